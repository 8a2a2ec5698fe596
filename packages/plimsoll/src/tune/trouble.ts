import { answered, isWindow } from './costs.js';
import type { Sample } from './plan.js';
import type { Window } from './window.js';

/** A window is one of overload when so many requests more are under way at its end. */
const LEAST_GROWTH = 10;
const GROWTH_SHARE = 0.1;
/** Once may be an accident. */
const LEAST_TIMES = 2;
/** A size fails when it fails so much more often than the baseline. */
const MORE_FAILURES = 0.01;

/** Sizes that do not keep up with the requests that come: their latencies would grow for ever, and say nothing. */
export function overloadedSizes(samples: readonly Sample[]): ReadonlySet<number> {
  const times = new Map<number, { all: number; overloaded: number }>();
  for (const window of samples.filter(isWindow)) {
    if (window.disturbed) continue;
    const { all, overloaded } = times.get(window.size) ?? { all: 0, overloaded: 0 };
    times.set(window.size, { all: all + 1, overloaded: overloaded + (isOverloaded(window) ? 1 : 0) });
  }
  return new Set(
    [...times]
      .filter(([, { all, overloaded }]) => overloaded >= LEAST_TIMES && 2 * overloaded >= all)
      .map(([size]) => size),
  );
}

/** Chance alone lets the number under way swing by the root of what came. */
const isOverloaded = ({ completed, inFlightGrowth }: Window): boolean =>
  inFlightGrowth > Math.max(LEAST_GROWTH, GROWTH_SHARE * completed, 2 * Math.sqrt(completed));

interface Failures {
  readonly failed: number;
  readonly requests: number;
}

/** Failures of all compared windows of a size. */
export function failuresOf(samples: readonly Sample[], size: number): Failures {
  const windows = samples.filter(isWindow).filter((window) => !window.disturbed && window.size === size);
  const failed = windows.reduce((sum, window) => sum + window.failed, 0);
  return { failed, requests: failed + windows.reduce((sum, window) => sum + answered(window), 0) };
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
