import { Worker } from 'node:worker_threads';
import { checkOptions, checkSaturation, type MonitorOptions, type SaturationOptions } from '../options.js';
import { clockFrom, type Origin } from '../shared/clock.js';
import { Memory } from '../shared/memory.js';
import type { Startup, ToWorker, WatchNews } from '../shared/messages.js';
import { SOURCE } from '../worker/source.js';
import { ObservedPool, type ThreadPool } from './thread-pool.js';
import { WaitHistogram } from './wait-histogram.js';
import { WaitLog } from './wait-log.js';
import { type SaturationEvent, WatchList } from './watch-list.js';

/** For exporters: counts that `reset()` does not change. */
type Logs = Readonly<Record<'fast' | 'slow', WaitLog>>;

/** Megabytes. The Worker stores nothing, so a small heap is enough. */
const HEAP = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 };

const logsOf = new WeakMap<ThreadPoolMonitor, Logs>();

export const logs = (monitor: ThreadPoolMonitor): Logs => logsOf.get(monitor) as Logs;

/**
 * Measures how long jobs wait for a libuv pool thread: a histogram in nanoseconds, like that of
 * `perf_hooks.monitorEventLoopDelay()`. An idle pool reads about 0.1 ms, the time to wake a thread and
 * return.
 *
 * It never starts the pool, so it measures nothing before the application uses it, and does not keep the
 * process alive.
 */
export class ThreadPoolMonitor extends WaitHistogram {
  /** The waits of slow I/O (`dns.lookup`, `dns.lookupService`), which may use half of the pool's threads. */
  readonly slow: WaitHistogram;
  /** Size, busy threads and queue, where the platform provides them. */
  readonly threadPool: ThreadPool;
  readonly #options: ReturnType<typeof checkOptions>;
  readonly #origin: Origin;
  readonly #logs: Logs;
  readonly #pool: ObservedPool;
  readonly #watches = new WatchList();
  #thread: Worker | undefined;

  constructor(options: unknown) {
    const checked = checkOptions(options);
    const origin = process.hrtime();
    const now = clockFrom(origin);
    const both = { fast: new WaitLog(now), slow: new WaitLog(now) };
    super(both.fast);
    this.slow = new WaitHistogram(both.slow);
    this.#options = checked;
    this.#origin = origin;
    this.#logs = both;
    this.threadPool = this.#pool = new ObservedPool(now);
    logsOf.set(this, both);
  }

  /** Discards all waits so far, including those of slow I/O. */
  override reset(): void {
    super.reset();
    this.slow.reset();
  }

  /** Starts the Worker that submits the canaries. @returns false if it already runs */
  enable(): boolean {
    if (this.#thread !== undefined) return false;
    const memory = new Memory();
    // Callbacks on the main thread would also wait for the application's event loop.
    const worker = new Worker(SOURCE, {
      ...{ eval: true, name: 'plimsoll-monitor', resourceLimits: HEAP },
      // The application's preloaded modules would load this package again in this thread.
      ...{ execArgv: [], env: {} },
      workerData: {
        ...{ ...this.#options, buffer: memory.buffer, origin: this.#origin },
        watches: this.#watches.options,
      } satisfies Startup,
    });
    worker.on('message', (news: WatchNews) => this.#watches.notify(news));
    worker.on('error', (reason) => this.#lost(reason));
    // After adding the listeners, which ref the Worker.
    worker.unref();
    this.#thread = worker;
    this.#logs.fast.begin(memory.fast);
    this.#logs.slow.begin(memory.slow);
    this.#pool.state = memory.pool;
    return true;
  }

  /** Stops the Worker; its figures remain readable. @returns false if it does not run */
  disable(): boolean {
    if (this.#thread === undefined) return false;
    this.#thread.removeAllListeners('message');
    void this.#thread.terminate();
    this.#end();
    return true;
  }

  [Symbol.dispose](): void {
    this.disable();
  }

  /**
   * Calls back when no canary got a thread within `waitMs` for `forMs` milliseconds, and again as soon as one
   * does, or when the monitor is disabled. A burst that the pool works off in the meantime does not count.
   *
   * @returns a function that stops it
   * @throws TypeError or RangeError, code PLIMSOLL_MONITOR_BAD_OPTION
   * @example
   * monitor.onSaturation({ waitMs: 100, forMs: 1000 }, ({ saturated, waitMs }) => {
   *   log.warn({ saturated, waitMs }, 'thread pool');
   * });
   */
  onSaturation(options: SaturationOptions, callback: (event: SaturationEvent) => void): () => void {
    const { waitMs, forMs } = checkSaturation(options, callback);
    const post = (message: ToWorker): void => this.#thread?.postMessage(message);
    return this.#watches.add(waitMs * 1e6, forMs * 1e6, callback, post);
  }

  #lost(reason: unknown): void {
    this.#end();
    process.emitWarning(`The thread-pool monitor has stopped: ${String(reason)}`, {
      type: 'PlimsollWarning',
      code: 'PLIMSOLL_MONITOR_LOST',
    });
  }

  #end(): void {
    this.#thread = undefined;
    this.#logs.fast.end();
    this.#logs.slow.end();
    this.#pool.state = undefined;
    this.#watches.end();
  }
}

/**
 * Creates a monitor of libuv's thread pool, which all threads of a process share; `enable()` starts it.
 *
 * @throws TypeError or RangeError, code PLIMSOLL_MONITOR_BAD_OPTION
 * @example
 * const monitor = monitorThreadPool();
 * monitor.enable();
 * setInterval(() => {
 *   console.log(monitor.percentile(99) / 1e6, 'ms', monitor.threadPool);
 *   monitor.reset();
 * }, 10_000).unref();
 */
export function monitorThreadPool(options: MonitorOptions = {}): ThreadPoolMonitor {
  return new ThreadPoolMonitor(options);
}
