export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** NaN where there are none. */
export const mean = (values: readonly number[]): number => sum(values) / values.length;

/** Of what is known; `null` where nothing is. */
export function meanOfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : mean(known);
}
