import { timers } from '../shared/timers.js';

const LONGEST_TIMER = 0x7fffffff;

/** Whether something resolves within so many milliseconds; Infinity: it waits for ever. Rejects as it does. */
export async function isInTime(something: Promise<unknown>, milliseconds: number): Promise<boolean> {
  if (milliseconds === Number.POSITIVE_INFINITY) return something.then(() => true);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = timers.setTimeout(() => resolve(false), Math.min(milliseconds, LONGEST_TIMER));
  });
  try {
    return await Promise.race([something.then(() => true), late]);
  } finally {
    timers.clearTimeout(timer);
  }
}
