import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolActivity } from '../results/pool-activity.js';
import { lookAt } from '../top/chosen.js';
import { Observer } from '../top/look.js';
import type { OptionsOf } from './options.js';
import { checkOptions } from './values.js';

export type TopOptions = OptionsOf<'top'>;

/**
 * What each thread of running Node processes is doing: idle, running, waiting for a core, or blocked in which system call on
 * what. It reads /proc only; the processes notice nothing.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE where there is no /proc, and for a process that is gone or is not Node.
 * @example
 * const { processes } = await top({ of: 4711 });
 * console.log(processes[0]?.busy);
 */
export async function top(options: TopOptions = {}): Promise<PoolActivity> {
  const { of, intervalMs } = checkOptions('top', options);
  const observer = new Observer();
  lookAt(observer, of);
  await sleep(intervalMs);
  return {
    ...{ schema: 'plimsoll/1', kind: 'top', takenAt: new Date().toISOString(), intervalMs },
    processes: lookAt(observer, of).map((process) => ({ ...process, seen: [...process.seen] })),
  };
}
