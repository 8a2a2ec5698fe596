import { itemAt } from '../collections/item-at.js';
import { hodgesLehmann, type Interval, signedRankInterval } from './signed-rank.js';

export type Verdict = 'better' | 'worse' | 'same' | 'unclear';

export interface Noise {
  readonly aaRatio: number;
  readonly aaInterval: Interval;
  /** Relative difference below which nothing counts. */
  readonly threshold: number;
  /** The twin differs from the baseline: nothing can be ranked. */
  readonly noisy: boolean;
}

export const LEVEL = 0.95;
/** What engineers care about: a smaller difference is not worth a change of settings. */
export const EQUAL_WITHIN = 0.03;

/** Logarithms make ratios differences, and a factor weighs as much as its inverse. */
export const logRatios = (times: readonly number[], reference: readonly number[]): number[] =>
  times.map((time, block) => Math.log(time / itemAt(reference, block)));

const exponential = ({ low, high, level }: Interval): Interval => ({
  low: Math.exp(low),
  high: Math.exp(high),
  level,
});

/**
 * How many times the reference some values are, block by block: the estimate and its exact interval.
 *
 * @example
 * pairedRatio([20, 22], [10, 11]).ratio; // 2
 */
export function pairedRatio(
  values: readonly number[],
  reference: readonly number[],
): { ratio: number; interval: Interval } {
  const logs = logRatios(values, reference);
  return { ratio: Math.exp(hodgesLehmann(logs)), interval: exponential(signedRankInterval(logs, LEVEL)) };
}

/**
 * How noisy the machine was, from the baseline and its twin. The threshold is the larger of 3 % and the far end of the
 * interval of their ratio: the largest effect that the same blocks still allow for where there is none. (The 95th
 * percentile of single pairs would be nearly their maximum, and a few spikes could hide a much slower size.) The
 * gate is judged at a fixed 3 %, or much noise would excuse itself.
 */
export function assessNoise(baseline: readonly number[], twin: readonly number[]): Noise {
  const logs = logRatios(twin, baseline);
  const interval = signedRankInterval(logs, LEVEL);
  const equal = Math.log1p(EQUAL_WITHIN);
  return {
    aaRatio: Math.exp(hodgesLehmann(logs)),
    aaInterval: exponential(interval),
    threshold: Math.max(EQUAL_WITHIN, Math.expm1(Math.max(-interval.low, interval.high))),
    noisy: interval.level >= LEVEL && (interval.low > equal || interval.high < -equal),
  };
}

/**
 * What an interval of log ratios says by itself: the interval and the verdict are of one procedure. Equality goes first: what
 * lies within 3 % is the same, however certain it is that it is not quite 1.
 */
export function verdictOfInterval({ low, high }: { readonly low: number; readonly high: number }): Verdict {
  const equal = Math.log1p(EQUAL_WITHIN);
  if (low >= -equal && high <= equal) return 'same';
  if (low > 0) return 'worse';
  return high < 0 ? 'better' : 'unclear';
}

/** The verdict on a ratio of times that has no interval: all that can be said is whether it is within 3 % of 1. */
export function verdictOfRatio(ratio: number): Verdict {
  const log = Math.log(ratio);
  if (Math.abs(log) <= Math.log1p(EQUAL_WITHIN)) return 'same';
  return log < 0 ? 'better' : 'worse';
}
