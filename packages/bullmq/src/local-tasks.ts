import {
  type AnyModule,
  type NameOf,
  Pool,
  type PoolOptions,
  type Proxied,
  type ResultOf,
  type TaskOf,
} from '@plimsoll/pool';
import { ownOf } from '@plimsoll/pool/internal';
import { mapOver } from './map.js';
import { type Call, NamedTasks, repeated } from './named-tasks.js';
import {
  type CheckedRun,
  checkRun,
  type FleetMapOptions,
  type FleetProxyOptions,
  type FleetRunOptions,
} from './options.js';
import { proxyOf, refuseOwn } from './proxy.js';
import type { Tasks } from './tasks.js';

/** Tasks on threads of this process, with the options that a fleet has beyond those of a pool. */
export class LocalTasks<Module = AnyModule> implements Tasks<Module> {
  readonly kind = 'threads';
  /** For what only a pool has: streams, `explain()`, `broadcast()`. */
  readonly pool: Pool;
  readonly #named = new NamedTasks();

  constructor(options: PoolOptions) {
    this.pool = new Pool(options);
  }

  get ready(): Promise<void> {
    return this.pool.ready;
  }

  get completed(): number {
    return this.pool.completed;
  }

  run<Name extends NameOf<Module> = Extract<'default', NameOf<Module>>>(
    task: TaskOf<Module, Name>,
    options?: FleetRunOptions & { readonly name?: Name | null | undefined },
  ): Promise<ResultOf<Module, Name>>;
  run(task: unknown, options: FleetRunOptions = {}): Promise<unknown> {
    try {
      const checked = checkRun(this.pool.options.name, options);
      return this.#once(checked, (rest) => this.pool.run(task, { ...rest, name: checked.name }));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  proxy<Of = Module>(options: FleetProxyOptions = {}): Proxied<Of> {
    const own: FleetRunOptions = ownOf(options);
    refuseOwn(own);
    const checked = checkRun(this.pool.options.name, own);
    return proxyOf(
      (name) =>
        (...items) =>
          this.#once(checked, (rest) => {
            const proxy = this.pool.proxy(rest) as Record<string, (...given: unknown[]) => Promise<unknown>>;
            return (proxy[name] as (...given: unknown[]) => Promise<unknown>)(...items);
          }),
    ) as Proxied<Of>;
  }

  map<Name extends NameOf<Module> = Extract<'default', NameOf<Module>>>(
    items: Iterable<TaskOf<Module, Name>> | AsyncIterable<TaskOf<Module, Name>>,
    options?: FleetMapOptions & { readonly name?: Name | null | undefined },
  ): AsyncIterableIterator<ResultOf<Module, Name>, undefined>;
  map(items: unknown, options: FleetMapOptions = {}): AsyncIterableIterator<unknown, undefined> {
    const own: FleetMapOptions = ownOf(options);
    checkRun(this.pool.options.name, own);
    return mapOver((item, each) => this.run(item as never, each as never), items, own);
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #once(checked: CheckedRun, call: Call): Promise<unknown> {
    return checked.jobId === undefined
      ? repeated(checked, call)
      : this.#named.run(checked.jobId, checked, call);
  }
}
