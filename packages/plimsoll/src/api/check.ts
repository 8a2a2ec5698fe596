import { usage } from '../errors.js';
import { LARGEST_POOL_SIZE } from '../libuv/pool-size.js';

/** @param shown the value as the user wrote it. */
export function checkSize(size: number, name: string, shown = String(size)): number {
  if (Number.isInteger(size) && size >= 1 && size <= LARGEST_POOL_SIZE) return size;
  throw usage(
    `${name}: a pool size is default, double, cpus or a whole number from 1 to ${LARGEST_POOL_SIZE}, not ${shown}`,
  );
}

/** Sizes in ascending order, without repetitions. */
export function checkSizes(sizes: readonly number[], name = 'sizes'): number[] {
  if (sizes.length === 0) throw usage(`${name}: at least one pool size is needed`);
  return ascending(sizes.map((size) => checkSize(size, name)));
}

export const ascending = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);

/** A whole number within bounds. */
export function checkCount(
  value: number,
  name: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
  shown = String(value),
): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw usage(`${name}: must be a whole number from ${least} to ${most}, not ${shown}`);
}

/** A number above 0. */
export function checkPositive(
  value: number,
  name: string,
  most = Number.MAX_VALUE,
  shown = String(value),
): number {
  if (value > 0 && value <= most) return value;
  const limit = most === Number.MAX_VALUE ? '' : ` and at most ${most}`;
  throw usage(`${name}: must be a number above 0${limit}, not ${shown}`);
}

/** An absolute http or https URL. */
export function checkUrl(value: string | URL, name: string): URL {
  const url = URL.canParse(String(value)) ? new URL(value) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw usage(
    `${name}: must be a URL such as http://127.0.0.1:3000/path, not ${JSON.stringify(String(value))}`,
  );
}
