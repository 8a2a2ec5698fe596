import { median } from './quantile.js';

/** The means of all pairs of values, each value with itself too, ascending. */
export function walshAverages(values: readonly number[]): number[] {
  const averages = values.flatMap((a, index) => values.slice(index).map((b) => (a + b) / 2));
  return averages.sort((a, b) => a - b);
}

/**
 * The Hodges–Lehmann estimate of the centre of the values: the median of their Walsh averages. Efficient where the
 * mean is, and hardly moved by outliers (Hollander & Wolfe, Nonparametric Statistical Methods, 3.2).
 *
 * @param values at least one number.
 * @example
 * hodgesLehmann([1, 2, 9]); // 3.5
 */
export const hodgesLehmann = (values: readonly number[]): number => median(walshAverages(values));
