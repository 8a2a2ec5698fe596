import { itemAt } from '../collections/item-at.js';

export type Verdict = 'better' | 'worse' | 'same' | 'unclear';

export const LEVEL = 0.95;
/** What engineers care about: a smaller difference is not worth a change of settings. */
export const EQUAL_WITHIN = 0.03;

/** Logarithms make ratios differences, and a factor weighs as much as its inverse. */
export const logRatios = (times: readonly number[], reference: readonly number[]): number[] =>
  times.map((time, block) => Math.log(time / itemAt(reference, block)));

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
