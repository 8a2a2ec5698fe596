import { badRange, badType } from './errors.js';
import { type MapOptions, mapOf, type StreamOptions, streamOf } from './host/loops.js';
import { count, duration, fillOptions, flag, type PoolOptions, type RunOptions } from './host/options.js';
import { isFeed, unmoved } from './host/parcel.js';
import {
  type BroadcastOptions,
  type BroadcastResult,
  broadcast,
  check,
  type ProxyOptions,
  plainCopy,
  proxyOf,
  runWith,
  submit,
} from './host/submit.js';
import { type CloseOptions, PoolBase } from './pool-base.js';
import { BYTES, type BytesCall, LISTED, SPREAD } from './shared/calls.js';
import { isMovable } from './shared/move.js';
import type { AnyModule, ItemOf, NameOf, Proxied, ResultOf, StreamNameOf, TaskOf } from './types.js';

/** Options of `resize()`. Omitted options stay as they are. */
export interface ResizeOptions {
  readonly minThreads?: number | undefined;
  readonly maxThreads?: number | undefined;
}

const OF_PISCINA = ['atomics', 'loadBalancer', 'stricterFIFO', 'taskQueue', 'workerHistogram'];

/** @throws TypeError for an option that only Piscina has */
function withoutPiscinas(options: PoolOptions): PoolOptions {
  for (const name of OF_PISCINA) {
    const value = Object(options)[name] as unknown;
    if (value !== undefined)
      throw badType(`options.${name}`, value, "left out here (import Piscina from '@plimsoll/pool/piscina')");
  }
  return options;
}

/**
 * A pool of worker threads that share a task table with the host. Invalid options throw a TypeError or RangeError with
 * the code PLIMSOLL_POOL_BAD_OPTION.
 *
 * Events: 'workerCreate' and 'workerDestroy' (a Worker), 'message' (what a worker file posts to `parentPort`),
 * 'needsDrain' (every worker is busy: a further task would wait), 'drain' (a worker is free again), 'error' (a worker
 * died without a task, none can start while no task waits, or `using` could not close the pool), 'close'.
 *
 * @example
 * import { Pool } from '@plimsoll/pool';
 *
 * await using pool = new Pool<typeof import('./worker.js')>({
 *   filename: new URL('./worker.js', import.meta.url),
 * });
 * const sum = await pool.run({ a: 4, b: 6 }, { name: 'add' });
 */
export class Pool<Module = AnyModule> extends PoolBase {
  constructor(options: PoolOptions = {}) {
    super('plimsoll.Pool', fillOptions(withoutPiscinas(options)));
  }

  /**
   * Runs a task in a worker. The value is copied as by `structuredClone` when the task leaves the queue: do not change
   * it after the call.
   *
   * Rejects, and never throws: with what the task threw (class name, message, stack, code, cause and own properties
   * kept), or with a PoolError.
   * @example
   * const thumbnail = await pool.run(image, { name: 'resize', transferList: [image.buffer], timeout: 5_000 });
   */
  run<Name extends NameOf<Module> = Extract<'default', NameOf<Module>>>(
    task: TaskOf<Module, Name>,
    options?: RunOptions & { readonly name?: Name | null | undefined },
  ): Promise<ResultOf<Module, Name>>;
  run(task: unknown, options?: RunOptions): Promise<unknown> {
    try {
      if (options === undefined && (typeof task !== 'object' || (!isMovable(task) && !isFeed(task))))
        return this.core.run(task, -1, undefined);
      return runWith(this.core, task, options === undefined ? {} : options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * Runs a task once in each worker, starting workers included, after the tasks that the worker already has. The result
   * has an entry for each worker, in the form of `Promise.allSettled`. For workers that start later, use `setup()`.
   *
   * Rejects for bad options, a closed pool, and a signal that is already aborted. A later abort rejects the parts that
   * are not done.
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
   * The exported functions of the worker file as if they were here: with all their arguments, and returning promises.
   * Arguments are copied as tasks are; `move(value)` transfers one. Calls reject as `run` does, with
   * PLIMSOLL_POOL_LOAD_FAILED for a name that is not exported.
   *
   * A proxy with other options is cheap: `pool.proxy({ timeout: 1_000 }).resize(image, 200)`.
   *
   * @param options of each call: those of `run` without `name` and `transferList`
   * @example
   * const api = pool.proxy<typeof import('./worker.js')>();
   * const thumbnail = await api.resize(image, 200);
   */
  proxy<Of = Module>(options: ProxyOptions = {}): Proxied<Of> {
    return proxyOf(() => this.core, options) as Proxied<Of>;
  }

  /**
   * Runs a task for each item of an iterable or an async iterable, and gives the results to a `for await`. Nothing
   * begins before the loop does. At most `concurrency` items are in memory, so items are taken only as fast as the loop
   * takes results.
   *
   * The first failure, of a task or of the iterable, ends the loop with its reason. `break` ends it too: waiting tasks
   * are taken back, running tasks go on or are asked to end (`grace`), and the iterable is closed.
   * @example
   * for await (const thumbnail of pool.map(images, { name: 'resize', concurrency: 16 })) await save(thumbnail);
   */
  map<Name extends NameOf<Module> = Extract<'default', NameOf<Module>>>(
    items: Iterable<TaskOf<Module, Name>> | AsyncIterable<TaskOf<Module, Name>>,
    options?: MapOptions & { readonly name?: Name | null | undefined },
  ): AsyncIterableIterator<ResultOf<Module, Name>, undefined>;
  map(items: unknown, options: MapOptions = {}): AsyncIterableIterator<unknown, undefined> {
    return mapOf(this.core, items, options);
  }

  /**
   * Calls a generator function of a worker file, or a function that returns any other iterable, and gives its items to
   * a `for await`. Nothing begins before the loop does. The worker makes at most `highWaterMark` items ahead of the
   * loop.
   *
   * `break` closes the iterable in the worker and waits for its `finally` blocks. An error of the generator, or the
   * death of its worker, ends the loop with that reason, after the items that came before.
   * @example
   * for await (const row of pool.stream('report.csv', { name: 'rows' })) if (isLast(row)) break;
   */
  stream<Name extends StreamNameOf<Module> = Extract<'default', StreamNameOf<Module>>>(
    task: TaskOf<Module, Name>,
    options?: StreamOptions & { readonly name?: Name | null | undefined },
  ): AsyncIterableIterator<ItemOf<ResultOf<Module, Name>>, undefined>;
  stream(task: unknown, options: StreamOptions = {}): AsyncIterableIterator<unknown, undefined> {
    return streamOf(this.core, task, options);
  }

  /** @internal As `run()`, but the worker decodes the task and encodes the result. */
  runBytes(call: BytesCall, isSpread: boolean, options: RunOptions): Promise<Uint8Array | number> {
    const parcel = { ...unmoved(call), call: isSpread ? BYTES | SPREAD : BYTES };
    return submit(this.core, parcel, check(this.core, plainCopy(options))) as Promise<Uint8Array | number>;
  }

  /**
   * The names of the worker file's exported functions, sorted. Loads the file in a worker.
   *
   * Rejects as `run()` does, with PLIMSOLL_POOL_NO_FILENAME for a pool without a file.
   * @example
   * console.log(await pool.names()); // ['default', 'resize']
   */
  async names(): Promise<string[]> {
    const { handlers, options } = this.core;
    const handler = options.filename === null ? -1 : handlers.idOf(options.filename, 'names', LISTED);
    return (await this.core.run(undefined, handler, undefined)) as string[];
  }

  /**
   * Resolves when a further task would not wait: at once, if a worker is free or may be started. Use it to submit no
   * more tasks than workers can do.
   * @example
   * for (const image of images) {
   *   await pool.capacity();
   *   void pool.run(image).then(save);
   * }
   */
  capacity(): Promise<void> {
    return this.core.capacity();
  }

  /** Resolves when no task is under way and no stream is open. */
  onIdle(): Promise<void> {
    return this.core.idle.promise();
  }

  /** Begins no more tasks until `resume()`; open streams go on. */
  pause(): void {
    this.core.pause();
  }

  /** Ends a `pause()`; `close()` does so, too. */
  resume(): void {
    this.core.resume();
  }

  /** Rejects every task that no worker has begun, with PLIMSOLL_POOL_ABORTED. */
  clear(): void {
    this.core.clear();
  }

  /**
   * Resolves when `minThreads` workers are ready: the worker file is loaded, and its `setup()` is done. Rejects with
   * PLIMSOLL_POOL_START_FAILED if a worker ends before that, with PLIMSOLL_POOL_CIRCUIT_OPEN while the `breaker` starts
   * none, and with PLIMSOLL_POOL_CLOSED if the pool is closed. A later call waits for another attempt.
   * @example
   * await pool.ready();
   * server.listen(8080);
   */
  ready(): Promise<void> {
    return this.core.ready();
  }

  /**
   * Changes the numbers of workers at once. Workers beyond `maxThreads` take no more tasks and end after their running
   * tasks: no task is lost.
   *
   * @throws TypeError or RangeError for bad options, also for more workers than the pool's memory has room for: some more
   *   than twice the `maxThreads` that it was made with
   * @throws PoolError PLIMSOLL_POOL_CLOSED
   * @example
   * pool.resize({ minThreads: 2, maxThreads: 16 });
   */
  resize(options: ResizeOptions): void {
    const copy = plainCopy(options);
    const { core } = this;
    const most = core.mostThreads;
    const min = count('options.minThreads', copy.minThreads, 0, most);
    const max = count('options.maxThreads', copy.maxThreads, 1, most);
    const minThreads = min ?? Math.min(core.options.minThreads, max ?? core.options.minThreads);
    const maxThreads = max ?? Math.max(core.options.maxThreads, minThreads);
    if (minThreads > maxThreads) {
      throw badRange('options.minThreads', minThreads, `no more than options.maxThreads (${maxThreads})`);
    }
    core.resize(minThreads, maxThreads);
  }

  /**
   * Refuses further tasks, waits for submitted tasks and open streams, then for `dispose()` of worker files, and stops
   * all workers.
   *
   * Rejects with PLIMSOLL_POOL_CLOSE_TIMEOUT if that takes longer than `timeout`. The error says what was left;
   * everything is stopped.
   */
  async close(options: CloseOptions = {}): Promise<void> {
    const copy = plainCopy(options);
    try {
      const force = flag('options.force', copy.force) ?? false;
      await this.core.close(force, duration('options.timeout', copy.timeout));
    } finally {
      this.sayDestroyed();
    }
  }
}
