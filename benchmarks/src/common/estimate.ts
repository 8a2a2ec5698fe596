import { LEVEL, logRatios } from '@plimsoll/lab';
import { hodgesLehmann, type Interval, signedRankInterval } from './signed-rank.js';

/** An estimate and its exact interval of signed ranks, with the level that so many blocks allow. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly level: number;
}

/**
 * How many times the reference some values are, block by block.
 *
 * @returns `null` where nothing can be divided: a side is missing, their lengths differ, or a figure is not above 0, which
 * logarithms need.
 * @example
 * estimateRatio([20, 22], [10, 11])?.value; // 2
 */
export function estimateRatio(
  values: readonly number[] | null,
  reference: readonly number[] | null,
): Estimate | null {
  if (!canDivide(values, reference)) return null;
  const { ratio, interval } = pairedRatio(values, reference as readonly number[]);
  return { value: ratio, ...interval };
}

function canDivide(
  values: readonly number[] | null,
  reference: readonly number[] | null,
): values is readonly number[] {
  if (values === null || reference === null) return false;
  if (values.length === 0 || values.length !== reference.length) return false;
  return [...values, ...reference].every((value) => value > 0 && Number.isFinite(value));
}

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
