import { median } from '@plimsoll/lab';

/** The means of all pairs of values, each value with itself too, ascending. */
function walshAverages(values: readonly number[]): number[] {
  const averages = values.flatMap((a, index) => values.slice(index).map((b) => (a + b) / 2));
  return averages.sort((a, b) => a - b);
}

/**
 * The Hodges–Lehmann estimate of the centre of the values: the median of their Walsh averages. Efficient where the
 * mean is, and hardly moved by outliers (Hollander & Wolfe, Nonparametric Statistical Methods, 3.2).
 */
export const hodgesLehmann = (values: readonly number[]): number => median(walshAverages(values));

/** An interval and the probability with which it covers the truth, exactly. */
export interface Interval {
  readonly low: number;
  readonly high: number;
  readonly level: number;
}

/**
 * P(V ≤ v) for every v, where V is Wilcoxon's signed-rank statistic of n values under the null hypothesis: each rank
 * 1 … n is positive with probability ½. Counted exactly, by adding one rank after another.
 */
function cumulativeNull(n: number): number[] {
  const sums = (n * (n + 1)) / 2;
  let probability = new Array<number>(sums + 1).fill(0);
  probability[0] = 1;
  for (let rank = 1; rank <= n; rank++)
    probability = probability.map((p, sum) => (p + (probability[sum - rank] ?? 0)) / 2);
  let total = 0;
  return probability.map((p) => {
    total += p;
    return total;
  });
}

/**
 * The confidence interval that belongs to the signed-rank test: an order statistic of the Walsh averages from either
 * end (Hollander & Wolfe 3.3). Its coverage is the least attainable one of at least `level`; where that level cannot
 * be had (n < 6 for 95 %), the widest interval with the level that it has.
 *
 * @param values at least one number.
 * @param level wanted coverage, 0 to 1.
 * @example
 * signedRankInterval([1, 2, 3, 4, 5]); // { low: 1, high: 5, level: 0.9375 }
 */
export function signedRankInterval(values: readonly number[], level = 0.95): Interval {
  const walsh = walshAverages(values);
  const cumulative = cumulativeNull(values.length);
  const k = Math.max(
    1,
    cumulative.findIndex((p) => p >= (1 - level) / 2 + 1e-12),
  );
  return {
    low: walsh[k - 1] as number,
    high: walsh[walsh.length - k] as number,
    level: 1 - 2 * (cumulative[k - 1] as number),
  };
}
