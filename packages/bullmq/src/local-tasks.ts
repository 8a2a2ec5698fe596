import {
  AbortError,
  type AnyModule,
  type NameOf,
  Pool,
  type PoolError,
  type PoolOptions,
  type Proxied,
  type ResultOf,
  type TaskOf,
  TimeoutError,
} from '@plimsoll/pool';
import { listen, ownOf, unlisten } from '@plimsoll/pool/internal';
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

const LONGEST_TIMER = 0x7fffffff;

/** A task that several wait for. */
interface Shared {
  readonly result: Promise<unknown>;
  /** Ends it. */
  readonly control: AbortController;
  waiters: number;
}

type Call = (options: Pick<CheckedRun, 'signal' | 'timeout' | 'grace' | 'priority'>) => Promise<unknown>;

/** Tasks on threads of this process, with the options that a fleet has beyond those of a pool. */
export class LocalTasks<Module = AnyModule> implements Tasks<Module> {
  readonly kind = 'threads';
  /** For what only a pool has: streams, `explain()`, `broadcast()`. */
  readonly pool: Pool;
  /** Tasks that wait or run, by their `jobId`. */
  readonly #named = new Map<string, Shared>();

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
    const { jobId, signal } = checked;
    if (jobId === undefined) return repeated(checked, call);
    if ((signal as AbortSignal | undefined)?.aborted) throw new AbortError((signal as AbortSignal).reason);
    const shared = this.#named.get(jobId) ?? this.#share(jobId, checked, call);
    return resultFor(shared, checked, () => this.#forget(jobId, shared));
  }

  #share(jobId: string, checked: CheckedRun, call: Call): Shared {
    const control = new AbortController();
    const result = repeated({ ...checked, signal: control.signal, timeout: undefined }, call);
    const shared = { result, control, waiters: 0 };
    this.#named.set(jobId, shared);
    const forget = (): void => this.#forget(jobId, shared);
    result.then(forget, forget);
    return shared;
  }

  #forget(jobId: string, shared: Shared): void {
    if (this.#named.get(jobId) === shared) this.#named.delete(jobId);
  }
}

/** What one of those who wait for a task gets: a value of its own. The last one who gives up ends the task. */
function resultFor(
  shared: Shared,
  { signal, timeout, name }: CheckedRun,
  forget: () => void,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const giveUp = (reason: PoolError): void => {
      leave();
      reject(reason);
      if (shared.waiters > 0) return;
      forget();
      shared.control.abort();
    };
    const onAbort = (): void => giveUp(new AbortError((signal as AbortSignal).reason));
    const timer =
      timeout === undefined || timeout > LONGEST_TIMER
        ? undefined
        : setTimeout(() => giveUp(new TimeoutError(timeout, name)), timeout);
    const leave = (): void => {
      shared.waiters--;
      clearTimeout(timer);
      if (signal !== undefined) unlisten(signal, onAbort);
    };
    shared.waiters++;
    if (signal !== undefined) listen(signal, onAbort);
    shared.result.then(
      (value) => {
        leave();
        resolve(structuredClone(value));
      },
      (reason: unknown) => {
        leave();
        reject(reason);
      },
    );
  });
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
