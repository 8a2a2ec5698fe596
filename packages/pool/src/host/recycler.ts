import type { Crew } from './crew.js';
import type { FilledOptions } from './options.js';
import type { WorkerHandle } from './worker-handle.js';

/**
 * Replaces workers that have done enough: another one is started, and when it is ready the old one takes no more tasks and ends. One
 * at a time, so there is never more than one worker beyond `maxThreads`.
 */
export class Recycler {
  readonly #mostTasks: number;
  readonly #workers: readonly WorkerHandle[];
  readonly #crew: Crew;
  readonly #spawn: () => WorkerHandle | undefined;
  #current: { readonly old: WorkerHandle; readonly next: WorkerHandle } | undefined;
  /** How many tasks a worker had done when it could not be replaced. */
  readonly #postponed = new WeakMap<WorkerHandle, number>();

  constructor(
    { maxTasksPerWorker }: FilledOptions,
    workers: readonly WorkerHandle[],
    crew: Crew,
    spawn: () => WorkerHandle | undefined,
  ) {
    this.#mostTasks = maxTasksPerWorker ?? Number.POSITIVE_INFINITY;
    this.#workers = workers;
    this.#crew = crew;
    this.#spawn = spawn;
  }

  /** After tasks have ended. */
  look(): void {
    if (this.#current !== undefined) return;
    for (const old of this.#workers) {
      if (!this.#isDue(old)) continue;
      const next = this.#spawn();
      if (next === undefined) this.#postpone(old);
      else this.#current = { old, next };
      return;
    }
  }

  #isDue(worker: WorkerHandle): boolean {
    if (worker.retiring || !worker.ready) return false;
    const since = this.#postponed.get(worker);
    if (since === undefined) return worker.isOverHeap || worker.completed >= this.#mostTasks;
    // Not over and over again: when as many tasks as it may do have been done once more.
    return worker.completed - since >= Math.min(this.#mostTasks, 1000);
  }

  #postpone(worker: WorkerHandle): void {
    this.#postponed.set(worker, worker.completed);
  }

  onReady(worker: WorkerHandle): void {
    if (this.#current?.next !== worker) return;
    const { old } = this.#current;
    this.#current = undefined;
    this.#crew.retire(old);
  }

  /** A thread has exited. */
  onGone(worker: WorkerHandle): void {
    if (this.#current === undefined) return;
    const { old, next } = this.#current;
    if (worker === old || worker === next) this.#current = undefined;
    if (worker === next) this.#postpone(old);
  }
}
