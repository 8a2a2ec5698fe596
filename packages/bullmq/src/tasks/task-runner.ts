import { EventEmitter } from 'node:events';
import type { AnyModule, NameOf, Proxied, ResultOf, TaskOf } from '@plimsoll/pool';
import type { FleetMapOptions, FleetProxyOptions, FleetRunOptions } from '../shared/options.js';
import { mapOf } from './map.js';
import { proxyOf } from './proxy.js';

/** What runs tasks, on threads of this process or on a fleet: code that uses this need not know which. */
export type Tasks<Module = AnyModule> = Pick<
  TaskRunner<Module>,
  'kind' | 'ready' | 'completed' | 'run' | 'proxy' | 'map' | 'close' | typeof Symbol.asyncDispose
>;

/** What both kinds have in common. */
export abstract class TaskRunner<Module = AnyModule> extends EventEmitter {
  /** Where tasks run. */
  abstract readonly kind: 'threads' | 'fleet';

  /** Tasks can be run: the task module is loaded, or Redis is reached. */
  abstract ready(): Promise<void>;

  /** Tasks whose promise was settled. */
  abstract get completed(): number;

  /** @internal The function of tasks without a name. */
  protected abstract get defaultName(): string;

  /** @internal Throws or rejects for whatever is wrong. `spread`: the task is a list of arguments. */
  protected abstract submit(task: unknown, options: FleetRunOptions, spread: boolean): Promise<unknown>;

  /**
   * Runs a task, and gives what its function gives; on a fleet at least once. Both are copied as by `structuredClone`.
   *
   * Rejects, and never throws: with what the task threw, with an error that a pool would give (AbortError, TimeoutError,
   * UncloneableError, PoolError PLIMSOLL_POOL_CLOSED …), or with a FleetError.
   *
   * @example
   * const page = await tasks.run(props, { name: 'render', timeout: 10_000, jobId: `page-${id}` });
   */
  run<Name extends NameOf<Module> = Extract<'default', NameOf<Module>>>(
    task: TaskOf<Module, Name>,
    options?: FleetRunOptions & { readonly name?: Name | null | undefined },
  ): Promise<ResultOf<Module, Name>>;
  async run(task: unknown, options: FleetRunOptions = {}): Promise<unknown> {
    return this.submit(task, options, false);
  }

  /**
   * The exported functions of the task module as if they were here, with all their arguments.
   *
   * @param options of each call: those of `run` without `name` and `jobId`
   * @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION
   * @example
   * const thumbnail = await tasks.proxy<typeof import('./tasks.js')>().resize(image, 200);
   */
  proxy<Of = Module>(options: FleetProxyOptions = {}): Proxied<Of> {
    const run = async (items: unknown[], own: FleetRunOptions): Promise<unknown> =>
      this.submit(items, own, true);
    return proxyOf(run, this.defaultName, options) as Proxied<Of>;
  }

  /**
   * Runs a task for each item of an iterable or an async iterable, and gives the results to a `for await`. Items are taken only as
   * fast as the loop takes results. The first failure ends the loop; that, and `break`, cancel what is under way.
   *
   * @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION
   * @example
   * for await (const thumbnail of tasks.map(images, { name: 'resize', concurrency: 200 })) await save(thumbnail);
   */
  map<Name extends NameOf<Module> = Extract<'default', NameOf<Module>>>(
    items: Iterable<TaskOf<Module, Name>> | AsyncIterable<TaskOf<Module, Name>>,
    options?: FleetMapOptions & { readonly name?: Name | null | undefined },
  ): AsyncIterableIterator<ResultOf<Module, Name>, undefined>;
  map(items: unknown, options: FleetMapOptions = {}): AsyncIterableIterator<unknown, undefined> {
    const run = async (item: unknown, own: FleetRunOptions): Promise<unknown> =>
      this.submit(item, own, false);
    return mapOf(run, this.defaultName, items, options);
  }

  /** Refuses further tasks, and waits for those that were submitted. */
  abstract close(): Promise<void>;

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
