import { grouped } from '../collections/grouped.js';
import { sum } from '../collections/sum.js';
import { answeredIn, comparedWindows, type Sample, type Window } from './sample.js';

export type Trouble = 'overloaded' | 'failing';

/** A window is one of overload when so many requests more are under way at its end. */
const LEAST_GROWTH = 10;
const GROWTH_SHARE = 0.1;
/** Once may be an accident. */
const LEAST_TIMES = 2;
/** A size fails when it fails so much more often than the baseline. */
const MORE_FAILURES = 0.01;

/** Latencies of a size that does not keep up would grow forever and say nothing; one that fails quickly would look fast. */
export function troublesOf(samples: readonly Sample[], baseline: number): ReadonlyMap<number, Trouble> {
  const bySize = grouped(comparedWindows(samples), ({ size }) => size);
  const usual = failuresOf(bySize.get(baseline) ?? []);
  const usualShare = usual.failed / Math.max(1, usual.requests);
  const troubles = new Map<number, Trouble>();
  for (const [size, windows] of bySize) {
    const overloaded = windows.filter(isOverloaded).length;
    const { failed, requests } = failuresOf(windows);
    // Three standard errors, and one failure more than nothing.
    const expected = usualShare * requests + 3 * Math.sqrt(usualShare * requests + 1);
    const isMore = failed > expected && failed > (usualShare + MORE_FAILURES) * requests;
    if (overloaded >= LEAST_TIMES && 2 * overloaded >= windows.length) troubles.set(size, 'overloaded');
    else if (size !== baseline && isMore) troubles.set(size, 'failing');
  }
  return troubles;
}

/** Chance alone lets the number under way swing by the root of what came. */
const isOverloaded = ({ completed, inFlightGrowth }: Window): boolean =>
  inFlightGrowth > Math.max(LEAST_GROWTH, GROWTH_SHARE * completed, 2 * Math.sqrt(completed));

function failuresOf(windows: readonly Window[]): { failed: number; requests: number } {
  const failed = sum(windows.map((window) => window.failed));
  return { failed, requests: failed + sum(windows.map(answeredIn)) };
}
