import { MAX_TIMER_MS } from '../options.js';
import { clockFrom } from '../shared/clock.js';

const now = clockFrom([0, 0]);

/** Milliseconds on the monotonic clock that all threads share. */
export const clock = (): number => now() / 1e6;

/** Resolves with whether `work` resolves before `deadline`, a time of `clock`. */
export async function isInTime(work: Promise<void>, deadline: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    const left = deadline - clock();
    if (left <= MAX_TIMER_MS) timer = setTimeout(resolve, Math.max(1, left), false);
  });
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
