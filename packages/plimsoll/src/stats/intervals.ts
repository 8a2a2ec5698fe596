import { itemAt } from '../collections/item-at.js';
import { mean, sum } from '../collections/sum.js';

export type Verdict = 'better' | 'worse' | 'same' | 'unclear';

export const LEVEL = 0.95;
/** What engineers care about: a smaller difference is not worth a change of settings. */
export const EQUAL_WITHIN = 0.03;

/** A mean with its interval: of log ratios, or of differences in milliseconds. */
export interface MeanInterval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface RatioInterval {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

/** Student's interval of a mean, `critical` standard errors to either side: infinite where nothing may be said yet. */
export function meanInterval(values: readonly number[], critical: number): MeanInterval {
  const middle = mean(values);
  const squares = sum(values.map((value) => (value - middle) ** 2));
  const error = Math.sqrt(squares / (values.length - 1) / values.length);
  const half = Number.isFinite(critical) ? critical * error : critical;
  return { mean: middle, low: middle - half, high: middle + half };
}

/** Logarithms make ratios differences, and a factor weighs as much as its inverse. */
export const logRatios = (times: readonly number[], reference: readonly number[]): number[] =>
  times.map((time, block) => Math.log(time / itemAt(reference, block)));

export const exponential = ({ mean: log, low, high }: MeanInterval): RatioInterval => ({
  ratio: Math.exp(log),
  low: Math.exp(low),
  high: Math.exp(high),
});

/** Before the first look there is an estimate only. */
export const boundsOf = ({ low, high }: Omit<RatioInterval, 'ratio'>): [number, number] | null =>
  Number.isFinite(high) && low > 0 ? [low, high] : null;

export const verdictOfRatio = ({ low, high }: RatioInterval): Verdict =>
  verdictOfInterval({ low: Math.log(low), high: Math.log(high) });

export const isShown = (verdict: Verdict): boolean => verdict === 'better' || verdict === 'worse';

/** Half of an interval as a factor: 0.05 is ±5 %. */
export const halfWidth = ({ low, high }: RatioInterval): number => Math.sqrt(high / low) - 1;

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
