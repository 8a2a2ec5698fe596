import { setTimeout as sleep } from 'node:timers/promises';
import { resizeProcess } from '../resize/resize.js';
import type { PoolActivity } from '../results/pool-activity.js';
import type { Resize } from '../results/resize.js';
import type { OptionsOf } from './options.js';
import type { RunOptions } from './run-options.js';
import { checkOptions } from './values.js';

export type ResizeOptions = OptionsOf<'resize'>;
export type TopOptions = OptionsOf<'top'>;

/**
 * Resize libuv's pool in a Node process that runs already, through its inspector, which is open for that moment. The size holds
 * until the process ends.
 *
 * @throws {PlimsollError} when it cannot be reached, does not answer, or its pool cannot have that size.
 * @example
 * const { before, after } = await resize({ pid: 4711, size: 12 });
 */
export async function resize(
  options: ResizeOptions,
  { signal }: Pick<RunOptions<never>, 'signal'> = {},
): Promise<Resize> {
  const { pid, size, timeoutMs } = checkOptions('resize', options);
  const outcome = await resizeProcess(pid, size, timeoutMs, signal);
  return { schema: 'plimsoll/1', kind: 'resize', pid, takenAt: new Date().toISOString(), ...outcome };
}

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
  const { lookAt, Observer } = await import('../top/look.js');
  const observer = new Observer();
  lookAt(observer, of);
  await sleep(intervalMs);
  return {
    ...{ schema: 'plimsoll/1', kind: 'top', takenAt: new Date().toISOString(), intervalMs },
    processes: lookAt(observer, of),
  };
}
