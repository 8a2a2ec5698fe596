import { isBuiltin } from 'node:module';
import { checkResize, MAX_THREADS, type ResizeOptions } from '../options.js';
import { sizeFor } from '../shared/pool-size.js';
import { countByName } from '../worker/tasks.js';
import { clock } from './deadline.js';
import { Libuv } from './libuv.js';
import { Link } from './link.js';
import { mainThreadState } from './start-engine.js';
import { type Engine, type EngineState, slowLimit } from './state.js';

/** libuv's pool in this process, which can be resized while it runs. */
export interface ResizableThreadPool {
  /**
   * Resolves with `size` once this many threads serve the queue; if it rejects, the old size is back. Calls
   * from all threads of the process run one after the other, and each promise describes its own call.
   *
   * Growing takes effect at once, even if every thread hangs. Shrinking waits for the jobs ahead in the
   * queue. No job is interrupted, dropped or run twice.
   *
   * @throws TypeError or RangeError, code PLIMSOLL_MONITOR_BAD_OPTION, unless `size` is a whole number, 1 to
   *   1,024
   * @throws ResizeError, code PLIMSOLL_MONITOR_RESIZE_LIMIT above `limit`, PLIMSOLL_MONITOR_RESIZE_TIMEOUT if
   *   jobs kept it from shrinking for `timeoutMs`, PLIMSOLL_MONITOR_RESIZE_UNAVAILABLE if it cannot be
   *   resized
   * @example
   * // Four threads hang on a file system that is gone. Eight more serve all other jobs.
   * await threadPool.resize(12);
   */
  resize(size: number, options?: ResizeOptions): Promise<number>;
  /** Threads that serve the queue, counted; `undefined` before the first job, or if it cannot be known. */
  readonly size: number | undefined;
  /** Concurrent lookups: (size + 1) / 2, or as at the start if libuv's variable cannot be written. */
  readonly slowLimit: number | undefined;
  /** The largest size for `resize()`: 1,024 with real threads, the initial size with parking. */
  readonly limit: number;
  /** The method of resizing; `false`: impossible. Before the first resize, the likely method. */
  readonly resizing: Engine | false;
  /** Why the pool cannot be resized, or cannot grow beyond its initial size. */
  readonly reason: string | undefined;
}

class ProcessThreadPool implements ResizableThreadPool {
  #link: Link | undefined;
  #libuv: Libuv | undefined | null = null;

  async resize(size: number, options: ResizeOptions = {}): Promise<number> {
    const deadline = clock() + checkResize(size, options);
    await this.link.request({ size, deadline });
    return size;
  }

  get link(): Link {
    this.#link ??= new Link(() => {
      this.#link = undefined;
    });
    return this.#link;
  }

  get size(): number | undefined {
    const known = this.#state?.size;
    if (known !== undefined && known > 0) return known;
    return this.#variables === undefined ? countByName() : this.#variables.counters().size || undefined;
  }

  get slowLimit(): number | undefined {
    const [size, state] = [this.size, this.#state];
    if (size === undefined) return undefined;
    return state === undefined || state.limitsSlow ? slowLimit(size) : Math.min(size, slowLimit(state.real));
  }

  get limit(): number {
    if (this.resizing === 'threads') return MAX_THREADS;
    return this.#state?.real || (this.size ?? sizeFor(process.env.UV_THREADPOOL_SIZE));
  }

  get resizing(): Engine | false {
    return this.#state?.engine || (this.#link?.reason === undefined && this.#likely().resizing);
  }

  get reason(): string | undefined {
    return this.#state?.engine ? this.#link?.reason : (this.#link?.reason ?? this.#likely().reason);
  }

  get #state(): EngineState | undefined {
    return this.#link?.state ?? mainThreadState();
  }

  /** The first search takes about 30 ms. */
  get #variables(): Libuv | undefined {
    if (this.#libuv === null) this.#libuv = Libuv.find();
    return this.#libuv;
  }

  #likely(): { readonly resizing: Engine | false; readonly reason?: string } {
    const no = (reason: string) => ({ resizing: false as const, reason });
    if (process.platform !== 'linux')
      return no(`pool threads can be counted only on Linux, and this is ${process.platform}`);
    // `process.permission` exists only under --permission.
    const mayNot = (scope: string): boolean => process.permission?.has(scope) === false;
    if (mayNot('worker')) return no('--permission without --allow-worker');
    if (this.#variables !== undefined && isBuiltin('node:ffi') && !mayNot('ffi'))
      return { resizing: 'threads' };
    if (this.#variables === undefined && countByName() === undefined)
      return no('pool threads cannot be counted');
    return {
      resizing: 'parking',
      reason:
        'only up to the size at its start: growing beyond it needs node:ffi, which Node has from 26.9 on',
    };
  }
}

/**
 * The thread pool of this process: its state, and `resize()`.
 *
 * @example
 * import { threadPool } from '@plimsoll/monitor';
 *
 * await threadPool.resize(2, { timeoutMs: 5000 });
 * console.log(threadPool.size, threadPool.limit, threadPool.resizing);
 */
export const threadPool: ResizableThreadPool = new ProcessThreadPool();

export const engineLink = (): Link => (threadPool as ProcessThreadPool).link;
