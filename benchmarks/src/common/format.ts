import type { Estimate } from './estimate.js';

const integer = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });

/** A figure with so many digits behind the point; thousands are grouped. */
export const formatFigure = (value: number, digits: number): string =>
  digits === 0 || Math.abs(value) >= 1000 ? integer.format(value) : value.toFixed(digits);

/** Three significant digits: ratios span four orders of magnitude. */
const significant = (value: number): string =>
  Math.abs(value) >= 100 ? integer.format(value) : value.toPrecision(Math.abs(value) < 0.1 ? 2 : 3);

/** `28.1 [27.0, 29.4]`; a level other than 95 % or more is said, and there may be no interval at all. */
export function formatEstimate({ value, low, high, level }: Estimate): string {
  if (!Number.isFinite(high)) return significant(value);
  const weak = level >= 0.95 ? '' : ` (${Math.floor(level * 100)} %)`;
  return `${significant(value)} [${significant(low)}, ${significant(high)}]${weak}`;
}
