import { quantileOfSorted } from '@plimsoll/lab';

/** What a number of latencies come to, in their own unit. */
export interface Summary {
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/**
 * @returns `null` when there are no values.
 * @example
 * summarise([1, 2, 3])?.mean; // 2
 */
export function summarise(values: readonly number[]): Summary | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    min: sorted[0] as number,
    max: sorted.at(-1) as number,
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    p50: quantileOfSorted(sorted, 0.5),
    p95: quantileOfSorted(sorted, 0.95),
    p99: quantileOfSorted(sorted, 0.99),
  };
}
