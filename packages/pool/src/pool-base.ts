import { EventEmitterAsyncResource } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { PoolError } from './errors.js';
import { Core } from './host/core.js';
import type { FilledOptions } from './host/options.js';
import type { Policy } from './host/state.js';
import type { WorkerHandle } from './host/worker-handle.js';
import { now } from './shared/clock.js';
import { Histogram, type HistogramSummary } from './shared/histogram.js';

/** Times of all tasks since the pool was made or the last reset, in milliseconds. */
export interface PoolHistogram {
  /** From the start of a task's function to its end, measured in the worker. */
  readonly runTime: HistogramSummary;
  /** From `run()` to the start of the task's function, including the start of a worker. */
  readonly waitTime: HistogramSummary;
  resetRunTime(): void;
  resetWaitTime(): void;
}

export interface CloseOptions {
  /** Reject the tasks that `queueSize` counts instead of running them, also after an earlier `close()`. Default: false. */
  readonly force?: boolean | undefined;
  /** Milliseconds that all of it may take. Only the first `close()` sets it. Default: the pool's `closeTimeout`. */
  readonly timeout?: number | undefined;
}

/** Statistics that are computed when they are read. */
export interface PoolStats {
  /**
   * Queue pressure: tasks that came in ÷ tasks that were settled, over the last five seconds. Above 1 the queue grows,
   * below 1 it shrinks; Infinity: none was settled; NaN: none came in either, or no `recordTiming`.
   */
  readonly pressure: number;
}

/** The arguments of each event's listeners. */
export interface PoolEvents<Shown = Worker, Value = unknown> {
  workerCreate: [worker: Shown];
  workerDestroy: [worker: Shown];
  message: [value: Value];
  error: [error: Value];
  needsDrain: [];
  drain: [];
  close: [];
}

type EventMap = Record<keyof PoolEvents, unknown[]>;

/** Types the listeners of `EventEmitterAsyncResource`. */
export interface PoolBase<Events extends EventMap> {
  on<Name extends keyof PoolEvents>(event: Name, listener: (...values: Events[Name]) => void): this;
  // biome-ignore lint/suspicious/noExplicitAny: as Node's own types have it
  on(event: string | symbol, listener: (...values: any[]) => void): this;
  once<Name extends keyof PoolEvents>(event: Name, listener: (...values: Events[Name]) => void): this;
  // biome-ignore lint/suspicious/noExplicitAny: as Node's own types have it
  once(event: string | symbol, listener: (...values: any[]) => void): this;
}

/** What `Pool`, `Piscina` and `Tinypool` have in common: a core, its events and its statistics. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: every method that the interface names is inherited
export abstract class PoolBase<Events extends EventMap = PoolEvents> extends EventEmitterAsyncResource {
  readonly #policy: Policy | undefined;
  #core: Core;
  #histogram: PoolHistogram | undefined;
  #stats: PoolStats | undefined;
  #saidDestroyed = false;
  /** The `duration` until the last `reopen()`, in milliseconds. */
  #earlier = 0;

  protected constructor(name: string, options: FilledOptions, policy?: Policy) {
    checkRuntime();
    super({ name });
    this.#policy = policy;
    this.#core = this.#open(options);
  }

  /** @internal */
  get core(): Core {
    return this.#core;
  }

  #open(options: FilledOptions): Core {
    const emit = (event: string, value?: unknown): void => {
      try {
        if (event === 'workerCreate' || event === 'workerDestroy')
          this.emit(event, this.viewOf(value as WorkerHandle));
        else if (value === undefined) this.emit(event);
        else this.emit(event, value);
      } catch (error) {
        // Remains an uncaught error, but not in the middle of the pool's work.
        queueMicrotask(() => {
          throw error;
        });
      }
    };
    return new Core(options, emit, this.#policy);
  }

  protected viewOf(worker: WorkerHandle): Events['workerCreate'][0] {
    return worker.thread;
  }

  /** @internal Starts anew, with new workers and the same options. `completed` and `duration` go on. */
  protected reopen(): void {
    const { completed, duration, options } = this.core;
    this.#core = this.#open(options);
    this.#core.completed = completed;
    this.#earlier += duration;
    this.#histogram = undefined;
    this.#stats = undefined;
  }

  /** Refuses further tasks, waits at most `closeTimeout` for submitted tasks, then stops all workers. */
  abstract close(options?: CloseOptions): Promise<void>;

  /** Stops all workers at once and rejects all unsettled tasks. Waits at most `closeTimeout` for threads to end. */
  async destroy(): Promise<void> {
    try {
      await this.core.destroy();
    } finally {
      this.sayDestroyed();
    }
  }

  /** Tells tools that watch async resources, such as jest's `--detectOpenHandles`, that the pool holds nothing open. */
  protected sayDestroyed(): void {
    if (this.#saidDestroyed) return;
    this.#saidDestroyed = true;
    this.emitDestroy();
  }

  /** Closes the pool without waiting for the end. */
  [Symbol.dispose](): void {
    this.close().catch((error: unknown) => this.emit('error', error));
  }

  /** Closes the pool. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get minThreads(): number {
    return this.core.options.minThreads;
  }

  get maxThreads(): number {
    return this.core.options.maxThreads;
  }

  /** The options with every default: a copy that cannot be changed. */
  get options(): Readonly<FilledOptions> {
    // Without a prototype, so that a polluted Object.prototype adds no option.
    return Object.freeze(Object.assign(Object.create(null), this.core.options) as FilledOptions);
  }

  /** The workers, including starting workers. */
  get threads(): Worker[] {
    return this.core.workers.map((worker) => worker.thread);
  }

  /** Workers that are ready and run nothing. */
  get idleThreads(): number {
    return this.core.idleThreads;
  }

  /** Tasks that wait because every worker has enough to do. */
  get queueSize(): number {
    return this.core.queueSize;
  }

  /** Tasks whose promise was settled. */
  get completed(): number {
    return this.core.completed;
  }

  /** Milliseconds since the pool was made. */
  get duration(): number {
    return this.#earlier + this.core.duration;
  }

  /** Whether every worker is busy, so that a further task would wait. See the event of the same name. */
  get needsDrain(): boolean {
    return this.core.needsDrain;
  }

  /** The time that tasks ran ÷ the time that `maxThreads` workers could have run tasks: 0 to 1; 0 without `recordTiming`. */
  get utilization(): number {
    return Math.min(1, (this.core.timing?.ever('run').sum ?? 0) / this.core.capacityTime);
  }

  /** Statistics that are computed when they are read: `stats.pressure`. */
  get stats(): PoolStats {
    const core = this.core;
    this.#stats ??= {
      get pressure() {
        return core.timing?.at(now()) ?? Number.NaN;
      },
    };
    return this.#stats;
  }

  /** Run and wait times; nothing is recorded without `recordTiming`. */
  get histogram(): PoolHistogram {
    const { timing } = this.core;
    this.#histogram ??= {
      get runTime() {
        return (timing?.since('run') ?? new Histogram()).summary();
      },
      get waitTime() {
        return (timing?.since('wait') ?? new Histogram()).summary();
      },
      resetRunTime: () => timing?.reset('run'),
      resetWaitTime: () => timing?.reset('wait'),
    };
    return this.#histogram;
  }
}

/** Refuses runtimes that lack what the pool needs. @throws PoolError PLIMSOLL_POOL_UNSUPPORTED_RUNTIME */
function checkRuntime(): void {
  const { waitAsync } = Atomics as { waitAsync?: unknown };
  const missing = typeof SharedArrayBuffer === 'function' ? 'Atomics.waitAsync' : 'SharedArrayBuffer';
  if (typeof SharedArrayBuffer === 'function' && typeof waitAsync === 'function') return;
  const message =
    `This runtime has no ${missing}. @plimsoll/pool needs Node.js ^20.19 or >= 22.12, Bun 1.4, Deno 2.9, ` +
    "or the main process of Electron that has such a Node.js; a web page's threads will not do";
  throw new PoolError('PLIMSOLL_POOL_UNSUPPORTED_RUNTIME', message);
}
