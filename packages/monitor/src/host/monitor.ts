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

/** What exporters read: counts that no `reset()` touches. */
type Logs = Readonly<Record<'fast' | 'slow', WaitLog>>;

/** Megabytes: it keeps nothing, and a small heap is one that the application does not notice. */
const HEAP = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 };

const logsOf = new WeakMap<ThreadPoolMonitor, Logs>();

export const logs = (monitor: ThreadPoolMonitor): Logs => logsOf.get(monitor) as Logs;

/**
 * How long a job waits for a thread of libuv's pool: a histogram as `perf_hooks.monitorEventLoopDelay()` gives one, in
 * nanoseconds. What it reads of an idle pool is the time to wake a thread and to come back, some 0.1 ms.
 *
 * It never starts the pool: until the application has used it, nothing is measured. It does not keep the process alive.
 */
export class ThreadPoolMonitor extends WaitHistogram {
  /** The waits of slow I/O (`dns.lookup`, `dns.lookupService`), which may have half of the pool's threads. */
  readonly slow: WaitHistogram;
  /** Size, busy threads and queue, where the platform tells. */
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

  /** Forgets all waits so far, those of slow I/O included. */
  override reset(): void {
    super.reset();
    this.slow.reset();
  }

  /** Starts the Worker that sends the canaries. @returns false when it runs already */
  enable(): boolean {
    if (this.#thread !== undefined) return false;
    const memory = new Memory();
    // Not from the main thread, whose callbacks wait for the application's event loop as well.
    const worker = new Worker(SOURCE, {
      ...{ eval: true, name: 'plimsoll-monitor', resourceLimits: HEAP },
      // What the application preloads is not for this thread, and would load this package in it again.
      ...{ execArgv: [], env: {} },
      workerData: {
        ...{ ...this.#options, buffer: memory.buffer, origin: this.#origin },
        watches: this.#watches.options,
      } satisfies Startup,
    });
    worker.on('message', (news: WatchNews) => this.#watches.tell(news));
    worker.on('error', (reason) => this.#lost(reason));
    // After the listeners, which take references of their own.
    worker.unref();
    this.#thread = worker;
    this.#logs.fast.begin(memory.fast);
    this.#logs.slow.begin(memory.slow);
    this.#pool.state = memory.pool;
    return true;
  }

  /** Stops the Worker; what was measured can still be read. @returns false when it does not run */
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
   * Calls back when the pool is saturated, that is when for `forMs` no canary got a thread within `waitMs`; and again as soon
   * as one does, or when the monitor is disabled. A burst that the pool works off meanwhile does not count.
   *
   * @returns what ends it
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
 * Makes a monitor of libuv's thread pool, which all threads of a process share. Enable it to begin.
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
