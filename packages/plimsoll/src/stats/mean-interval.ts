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

/**
 * Student's interval of a mean.
 *
 * @param critical how many standard errors it goes to either side; infinite where nothing may be said yet.
 * @example
 * meanInterval([1, 2, 3], 4.3).mean; // 2
 */
export function meanInterval(values: readonly number[], critical: number): MeanInterval {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const half = Number.isFinite(critical)
    ? critical * Math.sqrt(squares / (values.length - 1) / values.length)
    : Number.POSITIVE_INFINITY;
  return { mean, low: mean - half, high: mean + half };
}

/** Of log ratios: the ratio itself. */
export const exponential = ({ mean, low, high }: MeanInterval): RatioInterval => ({
  ratio: Math.exp(mean),
  low: Math.exp(low),
  high: Math.exp(high),
});

/** Half of an interval as a factor: 0.05 is ±5 %. */
export const halfWidth = ({ low, high }: RatioInterval): number => Math.sqrt(high / low) - 1;
