/** Factors to milliseconds and to bytes; a column has one kind of unit. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  µs: 1e-3,
  ms: 1,
  s: 1e3,
  min: 6e4,
  KB: 2 ** 10,
  MB: 2 ** 20,
  GB: 2 ** 30,
};

/** A number at the start of a text, its thousands grouped, and the unit after it; then seconds after minutes. */
const NUMBER = /^[<>≤≥≈~±]?\s*([−+-]?)(\d[\d,]*(?:\.\d+)?)\s*([a-zµ]+)?(?:\s+(\d+) s)?/i;

/** What a cell is sorted by: a number where it begins with one; `null` where it has nothing but a dash. */
export function cellValue(text: string): number | string | null {
  const trimmed = text.trim();
  if (/^[–—−-]?$/.test(trimmed)) return null;
  const [, sign = '', digits, unit = '', seconds = '0'] = NUMBER.exec(trimmed) ?? [];
  if (digits === undefined) return trimmed;
  const size = Number(digits.replaceAll(',', '')) * (UNITS[unit] ?? 1) + Number(seconds) * 1e3;
  return sign === '−' || sign === '-' ? -size : size;
}

/** The order of two cells, numbers before text; `null` is last in either direction. */
export function compareCells(a: string, b: string, direction: 1 | -1): number {
  const [left, right] = [cellValue(a), cellValue(b)];
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  if (typeof left === 'number' && typeof right === 'number') return direction * (left - right);
  if (typeof left !== typeof right) return typeof left === 'number' ? -1 : 1;
  return direction * String(left).localeCompare(String(right), 'en', { numeric: true });
}
