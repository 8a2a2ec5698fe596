import type { Random } from '@plimsoll/lab';

/**
 * Moments of a Poisson process: independent users who do not wait for one another.
 *
 * @param rate mean number a second.
 * @returns milliseconds from the start, ascending, below `durationMs`.
 */
export function poissonArrivals(rate: number, durationMs: number, random: Random): number[] {
  const arrivals: number[] = [];
  for (;;) {
    // 1 − u is never 0.
    const next = (arrivals.at(-1) ?? 0) - (Math.log(1 - random.next()) * 1000) / rate;
    if (next >= durationMs) return arrivals;
    arrivals.push(next);
  }
}

/** Evenly spaced moments without end, the first one at once. */
export function* regularArrivals(rate: number): Generator<number, never> {
  for (let index = 0; ; index++) yield (index * 1000) / rate;
}
