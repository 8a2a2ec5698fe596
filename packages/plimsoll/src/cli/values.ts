import { ascending, checkCount, checkPositive, checkSize } from '../api/check.js';
import { usage } from '../errors.js';
import type { DnsMode } from '../lab/resolver/open.js';
import { DEFAULT_DELAY_MS } from '../lab/resolver/open.js';
import { DEFAULT_POOL_SIZE, LARGEST_POOL_SIZE } from '../libuv/pool-size.js';

const show = (value: string): string => JSON.stringify(value);

/**
 * A pool size as the user writes it: `default` (4), `double` (8), `cpus`, or a number.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE
 */
export function parseSize(text: string, cpus: number, option: string): number {
  const named: Record<string, number> = {
    default: DEFAULT_POOL_SIZE,
    double: 2 * DEFAULT_POOL_SIZE,
    cpus: Math.min(cpus, LARGEST_POOL_SIZE),
  };
  const trimmed = text.trim();
  if (Object.hasOwn(named, trimmed)) return named[trimmed] as number;
  return checkSize(wholeNumber(trimmed), option, show(text));
}

const wholeNumber = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN);

/** A comma-separated list of pool sizes, ascending and without repetitions. */
export function parseSizes(text: string, cpus: number): number[] {
  return ascending(text.split(',').map((item) => parseSize(item, cpus, '--sizes')));
}

/** A whole number of at least `least`. */
export const parseCount = (text: string, option: string, least: number, most: number): number =>
  checkCount(wholeNumber(text), option, least, most, show(text));

/** A comma-separated list of whole numbers, in the order given and without repetitions. */
export function parseCounts(text: string, option: string, least: number, most: number): number[] {
  return [...new Set(text.split(',').map((item) => parseCount(item.trim(), option, least, most)))];
}

/** A number above 0. */
export const parsePositive = (text: string, option: string, most: number): number =>
  checkPositive(text.trim() === '' ? Number.NaN : Number(text), option, most, show(text));

/** `auto`, `system`, `hosts`, `local` or `local:MS`. */
export function parseDns(text: string): DnsMode {
  if (text === 'auto' || text === 'system' || text === 'hosts') return { mode: text };
  if (text === 'local') return { mode: 'local', delayMs: DEFAULT_DELAY_MS };
  const delay = /^local:(\d+)$/.exec(text)?.[1];
  if (delay !== undefined && Number(delay) <= 10_000) return { mode: 'local', delayMs: Number(delay) };
  throw usage(
    `--dns: must be auto, system, hosts, local or local:MS (a delay of 0 to 10000 ms), not ${show(text)}`,
  );
}

/** Assignments `WORKLOAD.PARAMETER=VALUE`, by workload. */
export function parseAssignments(texts: readonly string[]): Record<string, Record<string, string>> {
  const assignments: Record<string, Record<string, string>> = {};
  for (const text of texts) {
    const match = /^([^.=]+)\.([^.=]+)=(.*)$/.exec(text);
    if (match === null)
      throw usage(
        `--set: must be WORKLOAD.PARAMETER=VALUE, such as crypto.iterations=10000, not ${show(text)}`,
      );
    const [, workload, parameter, value] = match as unknown as [string, string, string, string];
    assignments[workload] = { ...assignments[workload], [parameter]: value };
  }
  return assignments;
}

/**
 * The arguments of a target: a JSON array.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE
 */
export function parseArgs(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch {
    // Said below.
  }
  throw usage(`--args: must be a JSON array, such as '["secret", 10]', not ${show(text)}`);
}
