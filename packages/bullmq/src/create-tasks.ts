import type { AnyModule, PoolOptions } from '@plimsoll/pool';
import { plainCopy } from '@plimsoll/pool/internal';
import { Fleet } from './fleet/fleet.js';
import { LocalTasks } from './local/local-tasks.js';
import type { FleetOptions } from './shared/options.js';
import type { Tasks } from './tasks/task-runner.js';

/** Options of `createTasks()`. */
export interface TasksOptions extends PoolOptions {
  /** Where tasks run, if not here. Anything that is no object, such as an empty setting: on threads of this process. */
  readonly fleet?: FleetOptions | '' | false | null | undefined;
}

/**
 * Tasks on threads of this process, or on a fleet when `fleet` says so: one setting, and no change in the code that runs tasks.
 *
 * @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION
 * @example
 * const tasks = createTasks<typeof import('./tasks.js')>({
 *   filename: new URL('./tasks.js', import.meta.url),
 *   fleet: process.env.REDIS_URL && { queue: 'images', connection: process.env.REDIS_URL },
 * });
 * const thumbnail = await tasks.run(image, { name: 'resize' });
 */
export function createTasks<Module = AnyModule>(options: TasksOptions): Tasks<Module> {
  const { fleet, ...pool } = plainCopy(options);
  return fleet ? new Fleet<Module>(fleet) : new LocalTasks<Module>(pool);
}
