/**
 * The quantile of some values by linear interpolation between order statistics (type 7 of Hyndman & Fan 1996, the
 * default of R and NumPy).
 */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError('a quantile needs at least one value');
  return quantileOfSorted(
    values.toSorted((a, b) => a - b),
    q,
  );
}

export function quantileOfSorted(sorted: readonly number[], q: number): number {
  const rank = q * (sorted.length - 1);
  const below = sorted[Math.floor(rank)] as number;
  const above = sorted[Math.ceil(rank)] as number;
  return below + (above - below) * (rank - Math.floor(rank));
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
