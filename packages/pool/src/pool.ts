import { EventEmitterAsyncResource } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { badType } from './errors.js';
import { Core } from './host/core.js';
import { Histogram, type HistogramSummary } from './host/histogram.js';
import { type FilledOptions, fillOptions, flag, type PoolOptions } from './host/options.js';
import { type RunOptions, runWith } from './host/run-options.js';
import { ArrayTaskQueue, FixedQueue, queueOptionsSymbol } from './host/task-queue.js';
import type { WorkerHandle } from './host/worker-handle.js';
import { isMovable, move, transferableSymbol, valueSymbol } from './shared/move.js';
import type { AnyModule, NameOf, ResultOf, TaskOf } from './types.js';
import { VERSION } from './version.js';
import { context } from './worker/context.js';

/** Times of all tasks so far, in milliseconds. */
export interface PoolHistogram {
  /** From the start of a task's function to the end, measured in the worker. */
  readonly runTime: HistogramSummary;
  /** From `run()` to the start of the task's function; a worker's own start-up included. */
  readonly waitTime: HistogramSummary;
  resetRunTime(): void;
  resetWaitTime(): void;
}

/** Options of `close()`. */
export interface CloseOptions {
  /** Reject tasks that wait instead of running them. Default: false. */
  readonly force?: boolean | undefined;
}

/**
 * A pool of worker threads that share a task table with the host.
 *
 * Events: 'workerCreate' and 'workerDestroy' (a Worker), 'message' (what a worker file posts by `parentPort`),
 * 'needsDrain' (every worker is busy: a further task would wait), 'drain' (one is free again), 'error' (a worker
 * died without a task, or `close()` timed out), 'close'.
 *
 * @example
 * import { Pool } from '@plimsoll/pool';
 *
 * await using pool = new Pool<typeof import('./worker.js')>({
 *   filename: new URL('./worker.js', import.meta.url),
 * });
 * const sum = await pool.run({ a: 4, b: 6 }, { name: 'add' });
 */
export class Pool<Module = AnyModule> extends EventEmitterAsyncResource {
  readonly #core: Core;
  #histogram: PoolHistogram | undefined;

  /** @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION for a bad option */
  constructor(options: PoolOptions = {}) {
    const filled = fillOptions(options);
    super({ name: 'plimsoll.Pool' });
    this.#core = new Core(filled, {
      emit: (event: string, value?: unknown) => {
        if (event === 'workerCreate' || event === 'workerDestroy')
          this.emit(event, (value as WorkerHandle).thread);
        else if (value === undefined) this.emit(event);
        else this.emit(event, value);
      },
    });
  }

  /**
   * Runs a task in a worker. Values are copied as by `structuredClone`, when the task leaves the queue: do not
   * change a task that was submitted.
   *
   * Rejects, and never throws: with what the task threw (class name, message, stack, code, cause and own
   * properties kept), or with a PoolError.
   *
   * @example
   * const thumbnail = await pool.run(image, { name: 'resize', transferList: [image.buffer], timeout: 5_000 });
   */
  run<Name extends NameOf<Module> = Extract<'default', NameOf<Module>>>(
    task: TaskOf<Module, Name>,
    options?: RunOptions & { readonly name?: Name | null | undefined },
  ): Promise<ResultOf<Module, Name>>;
  run(task: unknown, options?: RunOptions): Promise<unknown> {
    if (options === undefined && !isMovable(task)) return this.#core.run(task, -1, undefined);
    try {
      return runWith(this.#core, task, options === undefined ? {} : options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Refuses further tasks, waits for those that were submitted (`closeTimeout` at most), then stops all workers. */
  async close(options: CloseOptions = {}): Promise<void> {
    if (typeof options !== 'object' || options === null) throw badType('options', options, 'an object');
    const own: CloseOptions = Object.assign(Object.create(null), options);
    await this.#core.close(flag('options.force', own.force) ?? false);
  }

  /** Stops all workers at once and rejects every task that is not done. */
  async destroy(): Promise<void> {
    await this.#core.destroy();
  }

  /** Closes the pool, without waiting for the end. */
  [Symbol.dispose](): void {
    this.close().catch((error: unknown) => this.emit('error', error));
  }

  /** Closes the pool. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get minThreads(): number {
    return this.#core.options.minThreads;
  }

  get maxThreads(): number {
    return this.#core.options.maxThreads;
  }

  /** The options, with every default filled in. */
  get options(): FilledOptions {
    return this.#core.options;
  }

  /** The workers, those that still start included. */
  get threads(): Worker[] {
    return this.#core.workers.map((worker) => worker.thread);
  }

  /** Workers that are ready and run nothing. */
  get idleThreads(): number {
    return this.#core.idleThreads;
  }

  /** Tasks that wait because every worker has enough to do. */
  get queueSize(): number {
    return this.#core.queueSize;
  }

  /** Tasks whose promise was settled. */
  get completed(): number {
    return this.#core.completed;
  }

  /** Milliseconds since the pool was made. */
  get duration(): number {
    return performance.now() - this.#core.startedAt;
  }

  /** Every worker is busy: a further task would wait. See the event of the same name. */
  get needsDrain(): boolean {
    return this.#core.needsDrain;
  }

  /** The part of its life for which `maxThreads` workers were busy, from 0 to 1; 0 without `recordTiming`. */
  get utilization(): number {
    const { runTimes, options } = this.#core;
    if (runTimes === undefined) return 0;
    return this.#core.totalRunTime / (this.duration * options.maxThreads);
  }

  /** Run and wait times; all zero without `recordTiming`. */
  get histogram(): PoolHistogram {
    this.#histogram ??= histogramOf(this.#core.runTimes, this.#core.waitTimes);
    return this.#histogram;
  }

  /** Are we inside a worker of a pool? */
  static get isWorkerThread(): boolean {
    return context.isWorkerThread;
  }

  /** Inside a worker: the option `workerData`. */
  static get workerData(): unknown {
    return context.workerData;
  }

  static get version(): string {
    return VERSION;
  }

  static get move(): typeof move {
    return move;
  }

  static get transferableSymbol(): typeof transferableSymbol {
    return transferableSymbol;
  }

  static get valueSymbol(): typeof valueSymbol {
    return valueSymbol;
  }

  static get queueOptionsSymbol(): typeof queueOptionsSymbol {
    return queueOptionsSymbol;
  }

  static get FixedQueue(): typeof FixedQueue {
    return FixedQueue;
  }

  static get ArrayTaskQueue(): typeof ArrayTaskQueue {
    return ArrayTaskQueue;
  }
}

const EMPTY = new Histogram();

function histogramOf(runTimes: Histogram | undefined, waitTimes: Histogram | undefined): PoolHistogram {
  return {
    get runTime() {
      return (runTimes ?? EMPTY).summary();
    },
    get waitTime() {
      return (waitTimes ?? EMPTY).summary();
    },
    resetRunTime: () => runTimes?.reset(),
    resetWaitTime: () => waitTimes?.reset(),
  };
}
