import { pairedRatio } from './paired-comparison.js';

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
