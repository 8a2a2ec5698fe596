import type { Now } from '../shared/clock.js';

/** After a longer sleep (a stopped process), missed beats are not made up for. */
const LATEST_NS = 1e9;

/**
 * Calls `beat` after exponentially distributed gaps. Such canaries see the queue as an observer at a random
 * time does (PASTA: Wolff, 1982), and never fall into step with the application's timers.
 *
 * @param mean gap in milliseconds
 * @param beat gets the factor that stretched its gap, which is its weight; returns the factor for the next
 *   gap
 */
export function beatAtRandom(mean: number, now: Now, beat: (stretch: number) => number): void {
  let stretch = 1;
  const gap = (): number => -Math.log(1 - Math.random()) * stretch * mean * 1e6;
  let next = now() + gap();
  const fire = (): void => {
    const time = now();
    if (time - next > LATEST_NS) next = time;
    for (; next <= time; next += gap()) stretch = beat(stretch);
    // The next beat may be overdue, and Node warns about negative delays.
    setTimeout(fire, Math.max(1, Math.ceil((next - now()) / 1e6)));
  };
  fire();
}
