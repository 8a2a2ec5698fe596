import {
  checkFunction,
  checkOptions,
  checkSaturation,
  type MonitorOptions,
  type SaturationOptions,
} from '../options.js';
import { clockFrom, type Origin } from '../shared/clock.js';
import { Memory } from '../shared/memory.js';
import { CanaryThread } from './canary-thread.js';
import { ObservedPool, type ThreadPool } from './thread-pool.js';
import { WaitHistogram } from './wait-histogram.js';
import { WaitLog } from './wait-log.js';
import { type SaturationEvent, WatchList } from './watch-list.js';

/** What exporters read: counts that no `reset()` touches. */
export interface Logs {
  readonly fast: WaitLog;
  readonly slow: WaitLog;
}

const logsOf = new WeakMap<ThreadPoolMonitor, Logs>();

/** The logs of a monitor, for exporters. */
export const logs = (monitor: ThreadPoolMonitor): Logs => logsOf.get(monitor) as Logs;

/**
 * How long a job waits for a thread of libuv's pool: a histogram as `perf_hooks.monitorEventLoopDelay()` gives one, in
 * nanoseconds. What it reads of an idle pool is the time to wake a thread and to come back, some 0.1 ms; nothing is subtracted.
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
  #thread: CanaryThread | undefined;

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
    this.#pool = new ObservedPool(now);
    this.threadPool = this.#pool;
    logsOf.set(this, both);
  }

  /** Forgets all waits so far, those of slow I/O included. */
  override reset(): void {
    super.reset();
    this.slow.reset();
  }

  /**
   * Starts the Worker that sends the canaries.
   *
   * @returns false when it runs already
   */
  enable(): boolean {
    if (this.#thread !== undefined) return false;
    const memory = new Memory();
    const startup = {
      ...this.#options,
      buffer: memory.buffer,
      origin: this.#origin,
      watches: this.#watches.options,
    };
    this.#thread = new CanaryThread(startup, {
      onNews: (news) => this.#watches.tell(news),
      onLost: (reason) => this.#lost(reason),
    });
    this.#logs.fast.begin(memory.fast);
    this.#logs.slow.begin(memory.slow);
    this.#pool.begin(memory);
    return true;
  }

  /**
   * Stops the Worker. What was measured can still be read.
   *
   * @returns false when it does not run
   */
  disable(): boolean {
    if (this.#thread === undefined) return false;
    this.#thread.stop();
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
    const { waitMs, forMs } = checkSaturation(options);
    checkFunction('callback', callback);
    return this.#watches.add(waitMs * 1e6, forMs * 1e6, callback, (message) => this.#thread?.post(message));
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
    this.#pool.end();
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
