import { type AnyModule, Pool, type PoolOptions } from '@plimsoll/pool';
import { checkRun, type FleetRunOptions } from '../shared/options.js';
import { TaskRunner } from '../tasks/task-runner.js';
import { type Call, NamedTasks, repeated } from './named-tasks.js';

/**
 * Tasks on threads of this process, with a fleet's additional options (`attempts`, `jobId`).
 *
 * @example
 * const tasks = createTasks({ filename: new URL('./tasks.js', import.meta.url) }); // no `fleet`: LocalTasks
 * const sum = await tasks.run({ a: 4, b: 6 }, { name: 'add' });
 */
export class LocalTasks<Module = AnyModule> extends TaskRunner<Module> {
  readonly kind = 'threads';
  /** For what only a pool has: streams, `broadcast()`, `observe()`. */
  readonly pool: Pool;
  readonly #named = new NamedTasks();

  /** @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION */
  constructor(options: PoolOptions) {
    super();
    this.pool = new Pool(options);
  }

  ready(): Promise<void> {
    return this.pool.ready();
  }

  get completed(): number {
    return this.pool.completed;
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  /** @internal */
  protected get defaultName(): string {
    return this.pool.options.name;
  }

  /** @internal */
  protected submit(task: unknown, options: FleetRunOptions, spread: boolean): Promise<unknown> {
    const checked = checkRun(this.defaultName, options);
    const { name, jobId } = checked;
    const call: Call = (rest) => {
      if (!spread) return this.pool.run(task, { ...rest, name });
      const proxy = this.pool.proxy(rest) as Record<string, (...items: unknown[]) => Promise<unknown>>;
      return (proxy[name] as NonNullable<(typeof proxy)[string]>)(...(task as unknown[]));
    };
    return jobId === undefined ? repeated(checked, call) : this.#named.run(jobId, checked, call);
  }
}
