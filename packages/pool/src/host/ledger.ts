import { SETTLED, type Task } from './task.js';

/**
 * The tasks between `run()` and their end, wherever they are. `queueSize`, `maxQueue`, `needsDrain` and the number of
 * workers follow from these counts, so they hold for every kind of queue.
 */
export class Ledger {
  /** Tasks whose promise is not settled. */
  outstanding = 0;
  /** Those among them that share a worker with no other task. */
  abortable = 0;
  /** Those that continue a stream: they wait for no worker but their own, so they count for nothing else. */
  bound = 0;
  /** Tasks whose promise was settled. */
  completed = 0;
  /** Those among them whose promise was rejected. */
  failed = 0;
  readonly #concurrency: number;
  readonly #onSettled: () => void;

  constructor(concurrency: number, onSettled: () => void) {
    this.#concurrency = concurrency;
    this.#onSettled = onSettled;
  }

  /** Tasks that so many workers could not take, if so many more were submitted. */
  waiting(threads: number, morePlain = 0, moreAbortable = 0): number {
    const abortable = this.abortable + moreAbortable;
    const plain = this.outstanding - this.bound - this.abortable + morePlain;
    const others = Math.max(0, threads - abortable) * this.#concurrency;
    return Math.max(0, abortable - threads) + Math.max(0, plain - others);
  }

  /** Settles a task's promise, once. */
  settle(task: Task, outcome: unknown, failed: boolean): void {
    if (task.state === SETTLED) return;
    const { abortable, extras } = task;
    task.state = SETTLED;
    task.value = undefined;
    this.outstanding--;
    if (extras?.beyond?.stream === 'continues') this.bound--;
    else if (abortable) this.abortable--;
    this.completed++;
    extras?.release?.();
    const beyond = extras?.beyond;
    const verdict = beyond?.stream === undefined ? beyond?.verdict : undefined;
    if (failed || verdict !== undefined) {
      this.failed++;
      task.reject(verdict === undefined ? outcome : verdict.reason);
    } else task.resolve(outcome);
    this.#onSettled();
  }
}
