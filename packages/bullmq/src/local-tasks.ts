import {
  AbortError,
  type AnyModule,
  type NameOf,
  Pool,
  type PoolOptions,
  type Proxied,
  type ResultOf,
  type TaskOf,
  TimeoutError,
} from '@plimsoll/pool';
import { ownOf } from '@plimsoll/pool/internal';
import { mapOver } from './map.js';
import {
  type CheckedRun,
  checkRun,
  type FleetMapOptions,
  type FleetProxyOptions,
  type FleetRunOptions,
} from './options.js';
import { proxyOf, refuseOwn } from './proxy.js';
import type { Tasks } from './tasks.js';

type Call = (options: Pick<CheckedRun, 'signal' | 'timeout' | 'grace' | 'priority'>) => Promise<unknown>;

/** Tasks on threads of this process, with the options that a fleet has beyond those of a pool. */
export class LocalTasks<Module = AnyModule> implements Tasks<Module> {
  readonly kind = 'threads';
  /** For what only a pool has: streams, `explain()`, `broadcast()`. */
  readonly pool: Pool;
  /** Tasks that wait or run, by their `jobId`. */
  readonly #named = new Map<string, Promise<unknown>>();

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
    const { jobId } = checked;
    if (jobId === undefined) return repeated(checked, call);
    const known = this.#named.get(jobId);
    if (known !== undefined) return known;
    const started = repeated(checked, call);
    this.#named.set(jobId, started);
    const forget = (): void => void this.#named.delete(jobId);
    started.then(forget, forget);
    return started;
  }
}

/** Calls again what has thrown, as often as `attempts` allows; the timeout is that of all of them. */
async function repeated(
  { signal, timeout, grace, priority, attempts, name }: CheckedRun,
  call: Call,
): Promise<unknown> {
  const start = performance.now();
  for (let attempt = 1; ; attempt++) {
    const left = timeout === undefined ? undefined : Math.max(0, timeout - (performance.now() - start));
    try {
      return await call({ signal, timeout: left, grace, priority });
    } catch (error) {
      const isEnd = error instanceof AbortError || error instanceof TimeoutError;
      if (error instanceof TimeoutError && timeout !== undefined) throw new TimeoutError(timeout, name);
      if (isEnd || attempt >= attempts) throw error;
    }
  }
}
