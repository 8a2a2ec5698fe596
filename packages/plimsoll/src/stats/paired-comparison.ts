import { itemAt } from '../collections/item-at.js';
import { hodgesLehmann, type Interval, signedRankInterval } from './signed-rank.js';

export type Verdict = 'better' | 'worse' | 'same' | 'unclear';

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
