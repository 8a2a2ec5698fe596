import { badType } from './errors.js';
import { type BroadcastOptions, type BroadcastResult, broadcast } from './host/broadcast.js';
import { flag } from './host/checks.js';
import { fillOptions, type PoolOptions, type RunOptions } from './host/options.js';
import { type ProxyOptions, proxyOf } from './host/proxy.js';
import { runWith } from './host/run-with.js';
import type { CloseOptions } from './pool-base.js';
import type { Proxied } from './proxied.js';
import { isMovable } from './shared/move.js';
import { StatefulPool } from './stateful-pool.js';
import type { AnyModule, NameOf, ResultOf, TaskOf } from './types.js';

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
export class Pool<Module = AnyModule> extends StatefulPool {
  /** @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION for a bad option */
  constructor(options: PoolOptions = {}) {
    super('plimsoll.Pool', fillOptions(options));
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
    try {
      if (options === undefined && !isMovable(task)) return this.core.run(task, -1, undefined);
      return runWith(this.core, task, options === undefined ? {} : options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Runs a task once in each worker that there is, those that still start included, after what each has to do already. What became
   * of it stands in one entry for each worker, in the form of `Promise.allSettled`. Workers that start later have `setup()`.
   *
   * Rejects for bad options, for a pool that is closed, and for a signal that is aborted already. A signal that is aborted later
   * rejects the parts that are not done.
   *
   * @example
   * const results = await pool.broadcast(newRules, { name: 'loadRules' });
   * const failed = results.filter(({ status }) => status === 'rejected');
   */
  broadcast<Name extends NameOf<Module> = Extract<'default', NameOf<Module>>>(
    task: TaskOf<Module, Name>,
    options?: BroadcastOptions & { readonly name?: Name | null | undefined },
  ): Promise<BroadcastResult<ResultOf<Module, Name>>[]>;
  async broadcast(task: unknown, options: BroadcastOptions = {}): Promise<BroadcastResult<unknown>[]> {
    return broadcast(this.core, task, options);
  }

  /**
   * The exported functions of the worker file as if they were here: with all their arguments, and a promise of what each
   * gives. Arguments are copied as tasks are; `move(value)` transfers one. Calls reject as `run` does, with
   * PLIMSOLL_POOL_LOAD_FAILED for a name that is not exported.
   *
   * It is cheap to make one with other options: `pool.proxy({ timeout: 1_000 }).resize(image, 200)`.
   *
   * @param options of each call: those of `run` without `name` and `transferList`
   * @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION
   * @example
   * const api = pool.proxy<typeof import('./worker.js')>();
   * const thumbnail = await api.resize(image, 200);
   */
  proxy<Of = Module>(options: ProxyOptions = {}): Proxied<Of> {
    return proxyOf(() => this.core, options) as Proxied<Of>;
  }

  async close(options: CloseOptions = {}): Promise<void> {
    if (typeof options !== 'object' || options === null) throw badType('options', options, 'an object');
    const own: CloseOptions = Object.assign(Object.create(null), options);
    await this.core.close(flag('options.force', own.force) ?? false);
    this.sayDestroyed();
  }
}
