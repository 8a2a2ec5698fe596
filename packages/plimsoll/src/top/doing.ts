import { PARKING } from '../host/process-pool.js';
import type { ThreadActivity } from '../host/thread-activity.js';
import type { Doing } from '../results/pool-activity.js';
import { systemCall } from './system-calls.js';

/** Below this share of a core a thread that sleeps now did nothing worth telling. */
const SOME = 0.05;

/**
 * @param before the same thread at the look before; `null` at the first one.
 * @param elapsedMs between the two.
 * @param targetOf names what a blocked thread waits for.
 */
export function doingOf(
  now: ThreadActivity,
  before: ThreadActivity | null,
  elapsedMs: number,
  targetOf: (thread: ThreadActivity) => string | null,
): Doing {
  const share = (pick: (thread: ThreadActivity) => number | null): number => {
    const [after, earlier] = [pick(now), before === null ? null : pick(before)];
    return after === null || earlier === null || elapsedMs <= 0
      ? 0
      : Math.min(1, Math.max(0, (after - earlier) / elapsedMs));
  };
  const [cpuShare, coreWaitShare] = [share(({ cpuMs }) => cpuMs), share(({ coreWaitMs }) => coreWaitMs)];
  const isRunnable = now.state === 'R';
  if (isRunnable || cpuShare > SOME || coreWaitShare > SOME) {
    const what = coreWaitShare > cpuShare && coreWaitShare > SOME ? 'waiting for a core' : 'running';
    return { what, cpuShare, coreWaitShare };
  }
  if (now.call !== null) {
    const { name, isIdle } = systemCall(now.call.number);
    if (isIdle) return { what: 'idle' };
    const on = targetOf(now);
    return PARKING.test(on ?? '') ? { what: 'parked' } : { what: 'blocked', call: name, on };
  }
  return { what: 'sleeping', state: now.state };
}

/** A thread that cannot be asked counts as idle while it sleeps without waiting for a disk. */
export const isBusy = (doing: Doing): boolean =>
  doing.what === 'sleeping' ? doing.state === 'D' : doing.what !== 'idle' && doing.what !== 'parked';
