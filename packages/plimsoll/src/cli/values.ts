import { PlimsollError } from '../errors.js';
import type { DnsMode } from '../lab/resolver/open.js';
import { DEFAULT_DELAY_MS } from '../lab/resolver/open.js';
import { DEFAULT_POOL_SIZE, LARGEST_POOL_SIZE } from '../libuv/pool-size.js';

const show = (value: string): string => JSON.stringify(value);

const usage = (text: string): PlimsollError => new PlimsollError('PLIMSOLL_USAGE', text);

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
  const size = /^\d+$/.test(trimmed) ? Number(trimmed) : Number.NaN;
  if (size >= 1 && size <= LARGEST_POOL_SIZE) return size;
  throw usage(
    `${option}: a pool size is default, double, cpus or a whole number from 1 to ${LARGEST_POOL_SIZE}, not ${show(text)}`,
  );
}

/** A comma-separated list of pool sizes, ascending and without repetitions. */
export function parseSizes(text: string, cpus: number): number[] {
  const sizes = text.split(',').map((item) => parseSize(item, cpus, '--sizes'));
  return [...new Set(sizes)].sort((a, b) => a - b);
}

/** A whole number of at least `least`. */
export function parseCount(text: string, option: string, least: number, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw usage(`${option}: must be a whole number from ${least} to ${most}, not ${show(text)}`);
}

/** A comma-separated list of whole numbers, in the order given and without repetitions. */
export function parseCounts(text: string, option: string, least: number, most: number): number[] {
  return [...new Set(text.split(',').map((item) => parseCount(item.trim(), option, least, most)))];
}

/** A number above 0. */
export function parsePositive(text: string, option: string, most: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value > 0 && value <= most) return value;
  throw usage(`${option}: must be a number above 0 and at most ${most}, not ${show(text)}`);
}

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
export function parseAssignments(texts: readonly string[]): Map<string, Record<string, string>> {
  const assignments = new Map<string, Record<string, string>>();
  for (const text of texts) {
    const match = /^([^.=]+)\.([^.=]+)=(.*)$/.exec(text);
    if (match === null)
      throw usage(
        `--set: must be WORKLOAD.PARAMETER=VALUE, such as crypto.iterations=10000, not ${show(text)}`,
      );
    const [, workload, parameter, value] = match as unknown as [string, string, string, string];
    assignments.set(workload, { ...assignments.get(workload), [parameter]: value });
  }
  return assignments;
}

/** An absolute http or https URL. */
export function parseUrl(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw usage(`${option}: must be a URL such as http://127.0.0.1:3000/path, not ${show(text)}`);
}
