/** A pool behind what the scenarios need of it. Each method is the pool's own documented way, and nothing else. */
export interface Driver {
  submit(name: string, value?: unknown): PromiseLike<unknown>;
  /** A task that ends when the signal is aborted. */
  cancellable?(name: string, value: unknown, signal: AbortSignal): PromiseLike<unknown>;
  /** A task that must be over after so many milliseconds. */
  limited?(name: string, value: unknown, ms: number): PromiseLike<unknown>;
  /** Tasks that wait. */
  queued?(): number;
  close?(): PromiseLike<unknown>;
}

/**
 * Makes a pool of so many workers.
 *
 * @param worker name of a worker file of the pool in `workers/`, without extension; default: the one with all tasks
 */
export type Open<More = object> = (threads: number, worker?: string, more?: More) => Driver;
