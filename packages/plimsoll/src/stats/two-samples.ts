import { studentCritical } from './student-t.js';

/** A mean difference with its interval. */
export interface MeanDifference {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/**
 * How much larger the mean of `a` is than that of `b`, samples of which each may have a spread of its own (Welch 1947).
 *
 * @param level of the interval, below 1.
 * @throws {RangeError} when one of them has fewer than two values.
 * @example
 * welch([3, 4, 5], [1, 2, 3], 0.95).difference; // 2
 */
export function welch(a: readonly number[], b: readonly number[], level: number): MeanDifference {
  if (a.length < 2 || b.length < 2)
    throw new RangeError(`two samples of two values and more, not ${a.length} and ${b.length}`);
  const [one, other] = [meanError(a), meanError(b)];
  const difference = one.mean - other.mean;
  const variance = one.variance + other.variance;
  if (variance === 0) return { difference, low: difference, high: difference };
  const freedom = variance ** 2 / (one.variance ** 2 / (a.length - 1) + other.variance ** 2 / (b.length - 1));
  const half = studentCritical(1 - level, freedom) * Math.sqrt(variance);
  return { difference, low: difference - half, high: difference + half };
}

/** A mean and the variance of its error. */
function meanError(values: readonly number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (values.length - 1) / values.length };
}
