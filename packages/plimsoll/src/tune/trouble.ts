import { grouped } from '../collections/grouped.js';
import { sum } from '../collections/sum.js';
import { answered } from './costs.js';
import { isWindow, type Sample, type Window } from './sample.js';

export type Trouble = 'overloaded' | 'failing';

/** A window is one of overload when so many requests more are under way at its end. */
const LEAST_GROWTH = 10;
const GROWTH_SHARE = 0.1;
/** Once may be an accident. */
const LEAST_TIMES = 2;
/** A size fails when it fails so much more often than the baseline. */
const MORE_FAILURES = 0.01;

/**
 * Sizes that do not keep up with the requests that come, whose latencies would grow for ever and say nothing; and sizes at which
 * clearly more requests fail than at the baseline, as one that fails quickly would look fast.
 */
export function troublesOf(samples: readonly Sample[], baseline: number): ReadonlyMap<number, Trouble> {
  const windows = samples.filter(isWindow).filter(({ disturbed }) => !disturbed);
  const usual = failuresOf(windows.filter(({ size }) => size === baseline));
  const usualShare = usual.requests === 0 ? 0 : usual.failed / usual.requests;
  const troubleOf = (size: number, ofSize: readonly Window[]): Trouble | null => {
    const overloaded = ofSize.filter(isOverloaded).length;
    if (overloaded >= LEAST_TIMES && 2 * overloaded >= ofSize.length) return 'overloaded';
    const { failed, requests } = failuresOf(ofSize);
    // Three standard errors, and one failure more than nothing.
    const expected = usualShare * requests + 3 * Math.sqrt(usualShare * requests + 1);
    const isMore = requests > 0 && failed > expected && failed / requests > usualShare + MORE_FAILURES;
    return size !== baseline && isMore ? 'failing' : null;
  };
  return new Map(
    [...grouped(windows, ({ size }) => size)].flatMap(([size, ofSize]): [number, Trouble][] => {
      const trouble = troubleOf(size, ofSize);
      return trouble === null ? [] : [[size, trouble]];
    }),
  );
}

/** Chance alone lets the number under way swing by the root of what came. */
const isOverloaded = ({ completed, inFlightGrowth }: Window): boolean =>
  inFlightGrowth > Math.max(LEAST_GROWTH, GROWTH_SHARE * completed, 2 * Math.sqrt(completed));

function failuresOf(windows: readonly Window[]): { readonly failed: number; readonly requests: number } {
  const failed = sum(windows.map((window) => window.failed));
  return { failed, requests: failed + sum(windows.map(answered)) };
}
