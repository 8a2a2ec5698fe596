import { badRange } from './errors.js';
import { count } from './host/checks.js';
import { ownOf } from './host/submit.js';
import { ObservablePool } from './observable-pool.js';

/** Options of `resize()`. What is left out stays as it is. */
export interface ResizeOptions {
  readonly minThreads?: number | undefined;
  readonly maxThreads?: number | undefined;
}

/** What a pool can do with its workers, beyond giving them tasks. */
export abstract class StatefulPool extends ObservablePool {
  /**
   * As many workers as `minThreads` says are ready: the worker file is loaded, and its `setup()` is done. Rejects with
   * PLIMSOLL_POOL_START_FAILED when a worker ends before that, and with PLIMSOLL_POOL_CLOSED when the pool does; who asks again
   * waits for another attempt.
   *
   * @example
   * await pool.ready();
   * server.listen(8080);
   */
  ready(): Promise<void> {
    return this.core.ready();
  }

  /**
   * Changes how many workers there are, at once. Workers beyond `maxThreads` take no more tasks, and end when they have ended those
   * that they run: no task is lost.
   *
   * @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION, also for more than the pool's memory has room for: twice the
   *   `maxThreads` that it was made with, and some; PoolError PLIMSOLL_POOL_CLOSED
   * @example
   * pool.resize({ minThreads: 2, maxThreads: 16 });
   */
  resize(options: ResizeOptions): void {
    const own = ownOf(options);
    const { core } = this;
    const most = core.mostThreads;
    const min = count('options.minThreads', own.minThreads, 0, most);
    const max = count('options.maxThreads', own.maxThreads, 1, most);
    const minThreads = min ?? Math.min(core.options.minThreads, max ?? core.options.minThreads);
    const maxThreads = max ?? Math.max(core.options.maxThreads, minThreads);
    if (minThreads > maxThreads) {
      throw badRange('options.minThreads', minThreads, `no more than options.maxThreads (${maxThreads})`);
    }
    core.resize(minThreads, maxThreads);
  }
}
