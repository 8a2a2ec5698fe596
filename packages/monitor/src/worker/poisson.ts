import type { Now } from '../shared/clock.js';

/** After a longer sleep (a stopped process) the beats that were missed are not made up for. */
const LATEST_NS = 1e9;

/**
 * Calls `beat` at random times, the gaps exponentially distributed. Such times see what a job sees that comes at any time
 * (PASTA: Wolff, 1982), and fall into no step with timers of the application.
 *
 * @param mean of the gaps, in milliseconds
 * @param beat how many times the mean the gap before it had, so that it counts for as many; returns the same for the next one
 */
export function beatAtRandom(mean: number, now: Now, beat: (stretch: number) => number): void {
  let stretch = 1;
  const gap = (): number => -Math.log(1 - Math.random()) * stretch * mean * 1e6;
  let next = now() + gap();
  const fire = (): void => {
    const time = now();
    if (time - next > LATEST_NS) next = time;
    for (; next <= time; next += gap()) stretch = beat(stretch);
    // Its time may be over already, and of a negative one Node warns.
    setTimeout(fire, Math.max(1, Math.ceil((next - now()) / 1e6)));
  };
  fire();
}
