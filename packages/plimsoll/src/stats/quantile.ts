/**
 * The quantile of some values by linear interpolation between order statistics (type 7 of Hyndman & Fan 1996, the
 * default of R and NumPy).
 *
 * @param values at least one number, in any order.
 * @param q from 0 to 1.
 * @throws {RangeError} when there are no values.
 * @example
 * quantile([4, 1, 3, 2], 0.5); // 2.5
 */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError('a quantile needs at least one value');
  return quantileOfSorted(
    values.toSorted((a, b) => a - b),
    q,
  );
}

/** The same of values that are in ascending order already; at least one. */
export function quantileOfSorted(sorted: readonly number[], q: number): number {
  const rank = q * (sorted.length - 1);
  const below = sorted[Math.floor(rank)] as number;
  const above = sorted[Math.ceil(rank)] as number;
  return below + (above - below) * (rank - Math.floor(rank));
}

/**
 * The middle value, or the mean of the two middle ones.
 *
 * @example
 * median([5, 1, 3]); // 3
 */
export const median = (values: readonly number[]): number => quantile(values, 0.5);
