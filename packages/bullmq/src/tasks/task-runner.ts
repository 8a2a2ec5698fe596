import { EventEmitter } from 'node:events';
import type { AnyModule, NameOf, Proxied, ResultOf, TaskOf } from '@plimsoll/pool';
import { badType, callsByName, count, flag, mapOver, plainCopy, Rejection } from '@plimsoll/pool/internal';
import {
  checkRun,
  type FleetMapOptions,
  type FleetProxyOptions,
  type FleetRunOptions,
} from '../shared/options.js';

const DEFAULT_CONCURRENCY = 64;

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
    const copy: FleetRunOptions = plainCopy(options);
    for (const name of ['name', 'jobId'] as const)
      if (copy[name] !== undefined)
        throw badType(`options.${name}`, copy[name], 'left out: a proxy has many calls');
    checkRun(this.defaultName, copy);
    const callOf =
      (name: string) =>
      async (...items: unknown[]) =>
        this.submit(items, { ...copy, name }, true);
    return callsByName(callOf) as Proxied<Of>;
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
    const { concurrency, ordered, signal, ...each } = plainCopy(options);
    const limits = {
      signal: checkRun(this.defaultName, { ...each, signal }).signal,
      concurrency:
        count('options.concurrency', concurrency, 1, Number.MAX_SAFE_INTEGER) ?? DEFAULT_CONCURRENCY,
      ordered: flag('options.ordered', ordered) ?? true,
    };
    return mapOver(items, limits, (item, settle) => {
      const controller = new AbortController();
      this.run(item as never, { ...each, signal: controller.signal } as never).then(
        settle,
        (error: unknown) => settle(new Rejection(error)),
      );
      return (reason) => controller.abort(reason);
    });
  }

  /** Refuses further tasks, and waits for those that were submitted. */
  abstract close(): Promise<void>;

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
