import { isBuiltin } from 'node:module';
import { checkResize, MOST_THREADS, type ResizeOptions } from '../options.js';
import { sizeFor } from '../shared/pool-size.js';
import { countByName } from '../worker/tasks.js';
import { clock } from './deadline.js';
import { stateAtHome } from './home.js';
import { Libuv } from './libuv.js';
import { Link } from './link.js';
import { type Engine, type EngineState, slowLimit } from './state.js';

/** libuv's pool of this process, resized while it runs. */
export interface ResizableThreadPool {
  /**
   * Lets `size` threads serve the queue. Calls, of all threads of the process, run one after the other, and each promise tells of
   * its own: it resolves with `size` once that many threads serve the queue, and when it rejects the size is what it was before.
   *
   * A larger size is there at once, also while every thread hangs. A smaller one comes behind the jobs that wait: threads leave
   * when they have nothing older to do, and no job is interrupted, dropped or run twice.
   *
   * @throws TypeError or RangeError, code PLIMSOLL_MONITOR_BAD_OPTION, for what is no whole number from 1 to 1,024
   * @throws ResizeError, code PLIMSOLL_MONITOR_RESIZE_LIMIT above `limit`, PLIMSOLL_MONITOR_RESIZE_TIMEOUT when running jobs kept
   *   it from shrinking for `timeoutMs`, PLIMSOLL_MONITOR_RESIZE_UNAVAILABLE where this process's pool cannot be resized
   * @example
   * // Four threads hang in a file system that is gone. Eight more serve everything else meanwhile.
   * await threadPool.resize(12);
   */
  resize(size: number, options?: ResizeOptions): Promise<number>;
  /** Threads that serve the queue, counted; `undefined` before the pool's first job, and where nothing tells. */
  readonly size: number | undefined;
  /** Lookups (`dns.lookup`) that run at a time: (size + 1) / 2, or that of the real size where libuv's limit cannot be changed. */
  readonly slowLimit: number | undefined;
  /** The largest size that `resize()` takes: 1,024 by threads, the size that the pool has or will start with by parking. */
  readonly limit: number;
  /** How: by threads that start and end, by threads parked in a read, or not at all. Before the first resize, what is likely. */
  readonly resizing: Engine | false;
  /** Why the pool cannot be resized, or only up to the size it started with. */
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
    if (this.resizing === 'threads') return MOST_THREADS;
    return this.#state?.real || (this.size ?? sizeFor(process.env.UV_THREADPOOL_SIZE));
  }

  get resizing(): Engine | false {
    return this.#state?.engine || (this.#link?.reason === undefined && this.#likely().resizing);
  }

  get reason(): string | undefined {
    return this.#state?.engine ? this.#link?.reason : (this.#link?.reason ?? this.#likely().reason);
  }

  get #state(): EngineState | undefined {
    return this.#link?.state ?? stateAtHome();
  }

  /** Looking for them takes some 30 ms, once. */
  get #variables(): Libuv | undefined {
    if (this.#libuv === null) this.#libuv = Libuv.find();
    return this.#libuv;
  }

  #likely(): { readonly resizing: Engine | false; readonly reason?: string } {
    const no = (reason: string) => ({ resizing: false as const, reason });
    if (process.platform !== 'linux')
      return no(`only Linux tells how many threads the pool has, and this is ${process.platform}`);
    // `permission` is there under --permission only.
    const mayNot = (scope: string): boolean => process.permission?.has(scope) === false;
    if (mayNot('worker')) return no('--permission without --allow-worker');
    if (this.#variables !== undefined && isBuiltin('node:ffi') && !mayNot('ffi'))
      return { resizing: 'threads' };
    if (this.#variables === undefined && countByName() === undefined)
      return no('nothing tells how many threads the pool has');
    return {
      resizing: 'parking',
      reason:
        'only up to the size that the pool was started with: more needs node:ffi, which Node has from 26.9 on',
    };
  }
}

/**
 * The thread pool of this process: what it is like, and how to resize it.
 *
 * @example
 * import { threadPool } from '@plimsoll/monitor';
 *
 * await threadPool.resize(2, { timeoutMs: 5000 });
 * console.log(threadPool.size, threadPool.limit, threadPool.resizing);
 */
export const threadPool: ResizableThreadPool = new ProcessThreadPool();

export const engineLink = (): Link => (threadPool as ProcessThreadPool).link;
