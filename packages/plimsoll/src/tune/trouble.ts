import { grouped } from '../collections/grouped.js';
import { sum } from '../stats/mean.js';
import { answered } from './costs.js';
import { isWindow, type Sample, type Window } from './sample.js';

/** A window is one of overload when so many requests more are under way at its end. */
const LEAST_GROWTH = 10;
const GROWTH_SHARE = 0.1;
/** Once may be an accident. */
const LEAST_TIMES = 2;
/** A size fails when it fails so much more often than the baseline. */
const MORE_FAILURES = 0.01;

/** Sizes that do not keep up with the requests that come: their latencies would grow for ever, and say nothing. */
export function overloadedSizes(samples: readonly Sample[]): ReadonlySet<number> {
  const windows = samples.filter(isWindow).filter(({ disturbed }) => !disturbed);
  const bySize = [...grouped(windows, ({ size }) => size)];
  const isShown = (ofSize: readonly Window[]): boolean => {
    const { length } = ofSize.filter(isOverloaded);
    return length >= LEAST_TIMES && 2 * length >= ofSize.length;
  };
  return new Set(bySize.flatMap(([size, ofSize]) => (isShown(ofSize) ? [size] : [])));
}

/** Chance alone lets the number under way swing by the root of what came. */
const isOverloaded = ({ completed, inFlightGrowth }: Window): boolean =>
  inFlightGrowth > Math.max(LEAST_GROWTH, GROWTH_SHARE * completed, 2 * Math.sqrt(completed));

/** Failures of all compared windows of a size. */
function failuresOf(
  samples: readonly Sample[],
  size: number,
): { readonly failed: number; readonly requests: number } {
  const windows = samples.filter(isWindow).filter((window) => !window.disturbed && window.size === size);
  const failed = sum(windows.map((window) => window.failed));
  return { failed, requests: failed + sum(windows.map(answered)) };
}

/** Sizes at which clearly more requests fail than at the baseline; a size that fails quickly would look fast. */
export function failingSizes(samples: readonly Sample[], baseline: number): ReadonlySet<number> {
  const usual = failuresOf(samples, baseline);
  const usualShare = usual.requests === 0 ? 0 : usual.failed / usual.requests;
  const sizes = new Set(samples.map(({ size }) => size));
  sizes.delete(baseline);
  return new Set(
    [...sizes].filter((size) => {
      const { failed, requests } = failuresOf(samples, size);
      // Three standard errors, and one failure more than nothing.
      const expected = usualShare * requests + 3 * Math.sqrt(usualShare * requests + 1);
      return requests > 0 && failed > expected && failed / requests > usualShare + MORE_FAILURES;
    }),
  );
}
