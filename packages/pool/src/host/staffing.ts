import type { Crew } from './crew.js';
import { startFailure, workerFailure } from './faults.js';
import type { Guard } from './guard.js';
import type { PoolState } from './state.js';
import type { WorkerHandle } from './worker-handle.js';

/** So many workers in a row may die before they take a task, although tasks wait. Some may have been ended from outside. */
const MOST_IDLE_DEATHS = 10;

/** Decides when a worker is started and whether a dead one is replaced. */
export class Staffing {
  /** No task is taken any more; those that were submitted still run. */
  closing = false;
  /** Nothing runs any more. */
  ended = false;
  /** Workers that have died before they took a task, since one has ended a task. */
  #idleDeaths = 0;
  /** Why the last worker could not even be made. */
  #startError: { error: unknown } | undefined;
  readonly #state: PoolState;
  readonly #crew: Crew;
  readonly #onError: (error: unknown) => void;
  readonly #guard: Guard;

  /** @param onError hears of deaths that no task is rejected for. */
  constructor(state: PoolState, crew: Crew, guard: Guard, onError: (error: unknown) => void) {
    this.#guard = guard;
    this.#state = state;
    this.#crew = crew;
    this.#onError = onError;
  }

  /** Starts a worker when those that there are could not take all tasks, if so many more were submitted. */
  spawnForNeed(morePlain = 0, moreAbortable = 0): void {
    const { options, ledger } = this.#state;
    const { count } = this.#crew;
    const { minThreads, maxThreads } = options;
    if (count >= maxThreads || this.ended) return;
    // A worker that is wanted anyway takes a task before another one gets its second: the first tasks begin first.
    const isWanted = count < minThreads && ledger.outstanding + morePlain + moreAbortable > count;
    if (isWanted || ledger.waiting(count, morePlain, moreAbortable) > 0) this.spawn();
  }

  /** Starts a worker. An error of Node is kept for the tasks that wait for a worker. */
  spawn(): boolean {
    if (!this.#guard.maySpawn) return false;
    try {
      return this.#crew.spawn();
    } catch (error) {
      this.#startError = { error };
      return false;
    }
  }

  /** Starts a worker in the place of one that will retire when it is ready; undefined: that cannot be. */
  spawnInPlace(): WorkerHandle | undefined {
    if (this.closing || !this.#guard.maySpawn) return undefined;
    try {
      return this.#crew.spawn(1) ? this.#state.workers.at(-1) : undefined;
    } catch {
      // The old one goes on.
      return undefined;
    }
  }

  /** With no worker and no way to start one, nobody would ever run what waits. */
  rejectIfNoneCanStart(): void {
    if (this.#startError === undefined || this.#state.workers.length > 0) return;
    const { error } = this.#startError;
    this.#startError = undefined;
    this.#state.backlog.reject(() => startFailure(error));
  }

  /** As many workers as there must be, and one more for tasks that wait. */
  refill(): void {
    if (this.ended || (this.closing && this.#state.ledger.outstanding === 0)) return;
    while (this.#crew.count < this.#state.options.minThreads && this.spawn());
    this.spawnForNeed();
    this.rejectIfNoneCanStart();
  }

  /** Tells why a worker has exited, if nobody has stopped it and none of the `lost` tasks that it ran is rejected for that. */
  explain(worker: WorkerHandle, exitCode: number, lost: number): void {
    if (worker.leaving) return;
    if (!worker.ready) this.#onFailedStart(worker, exitCode);
    else if (lost === 0 && worker.failure !== undefined) this.#onError(worker.failure.error);
  }

  /** When no worker can start, every task that waits gets the reason, rather than waiting for ever. */
  #onFailedStart(worker: WorkerHandle, exitCode: number): void {
    this.#guard.failed(workerFailure(worker, exitCode));
    if (this.#state.workers.length > 0) return;
    const waiting = this.#state.ledger.outstanding;
    this.#state.backlog.reject(() => workerFailure(worker, exitCode));
    if (waiting === 0) this.#onError(workerFailure(worker, exitCode));
  }

  /**
   * A worker that died before it did anything is replaced only when a task needs one, and one that could not even
   * start is not: no loop of deaths. The workers that are left serve the queue, or the last of them ends it.
   */
  replace(worker: WorkerHandle, exitCode: number, lost: number): void {
    const hasWorked = worker.completed > 0 || lost > 0;
    if (hasWorked) this.#idleDeaths = 0;
    if (hasWorked || worker.leaving || worker.retiring) this.refill();
    else if (worker.ready) this.#replaceIdle(worker, exitCode);
  }

  #replaceIdle(worker: WorkerHandle, exitCode: number): void {
    if (++this.#idleDeaths < MOST_IDLE_DEATHS) {
      this.spawnForNeed();
      return;
    }
    this.#idleDeaths = 0;
    this.#state.backlog.reject(() => workerFailure(worker, exitCode));
  }
}
