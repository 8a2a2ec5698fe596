import { WorkerError } from '../errors.js';
import { LONGEST_TIMER, timers } from '../shared/timers.js';
import type { RetryPolicy } from './fault-options.js';
import type { Ledger } from './ledger.js';
import { LOOSE, SETTLED, type Task } from './task.js';

/**
 * Tasks that died with their workers and run again. Each stays the task that it was, in nobody's hands until its backoff is
 * over: it is outstanding, and its signal and timeout end it, as ever.
 */
export class Retries {
  readonly #waiting = new Map<Task, NodeJS.Timeout>();
  readonly #tries = new WeakMap<Task, number>();
  readonly #ledger: Ledger;
  readonly #policy: RetryPolicy | undefined;
  readonly #resubmit: (task: Task) => void;

  /** @param policy of tasks without one of their own */
  constructor(ledger: Ledger, policy: RetryPolicy | undefined, resubmit: (task: Task) => void) {
    this.#ledger = ledger;
    this.#policy = policy;
    this.#resubmit = resubmit;
  }

  /** A task has died with its worker: it runs again, or is rejected. */
  lost(task: Task, error: WorkerError): void {
    if (task.state === SETTLED) return;
    const policy = task.extras?.beyond?.retry ?? this.#policy;
    const tries = this.#tries.get(task) ?? 0;
    const mayRunAgain =
      policy?.codes.includes(error.code) === true &&
      tries < policy.max &&
      !task.isBound &&
      task.extras?.beyond?.verdict === undefined;
    if (!mayRunAgain) this.#ledger.settle(task, error, true);
    else if (task.hasTransfer) this.#ledger.settle(task, cannotRunAgain(error), true);
    else this.#putAside(task, tries, policy.backoff * 2 ** tries);
  }

  #putAside(task: Task, tries: number, backoff: number): void {
    task.state = LOOSE;
    this.#tries.set(task, tries + 1);
    if (backoff === 0) {
      this.#resubmit(task);
      return;
    }
    const onTime = (): void => {
      this.#waiting.delete(task);
      if (task.state !== SETTLED) this.#resubmit(task);
    };
    // Not what keeps the process alive: the task does, as long as it is outstanding.
    this.#waiting.set(task, timers.setTimeout(onTime, Math.min(backoff, LONGEST_TIMER)).unref());
  }

  /** Rejects the tasks whose backoff is not over. */
  reject(reasonFor: () => unknown): void {
    for (const [task, timer] of [...this.#waiting]) {
      timers.clearTimeout(timer);
      this.#waiting.delete(task);
      this.#ledger.settle(task, reasonFor(), true);
    }
  }
}

function cannotRunAgain(error: WorkerError): WorkerError {
  const message = `'${error.taskName}' cannot run again, because what it was to transfer is gone: ${error.message}`;
  return new WorkerError('PLIMSOLL_POOL_NOT_RETRYABLE', message, error, { cause: error });
}
