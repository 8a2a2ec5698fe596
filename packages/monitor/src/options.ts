import { badOption } from './errors.js';

/** Options of `monitorThreadPool()`. */
export interface MonitorOptions {
  /** Mean milliseconds between fast canaries, a whole number from 1 on. Default: 50. */
  readonly resolution?: number | undefined;
  /**
   * Mean milliseconds between slow-I/O canaries, a whole number from 1 on. Default: 1000. While the pool is
   * full, each takes the place of one of your lookups.
   */
  readonly slowResolution?: number | undefined;
}

/** Options of `onSaturation()`. */
export interface SaturationOptions {
  /** Milliseconds above which a wait is too long, more than 0. */
  readonly waitMs: number;
  /** Milliseconds for which every wait must be too long, 0 or more. */
  readonly forMs: number;
}

/** Options of `threadPool.resize()`. */
export interface ResizeOptions {
  /**
   * Milliseconds after which the promise rejects with PLIMSOLL_MONITOR_RESIZE_TIMEOUT and the pool returns to
   * its old size; above 0, or `Infinity` for no limit. Default: 30,000.
   */
  readonly timeoutMs?: number | undefined;
}

/** Options of `rescueThreadPool()`. */
export interface RescueOptions {
  /** Threads while none is blocked, 1 to 1,024. Default: the pool's current size. */
  readonly size?: number | undefined;
  /** Threads at most, more than `size`. Default: 32. */
  readonly max?: number | undefined;
  /** Milliseconds that a job may wait before threads are added, 10 or more. Default: 100. */
  readonly waitMs?: number | undefined;
  /** Milliseconds before the rescue removes threads that are not needed, 0 or more. Default: 10,000. */
  readonly holdMs?: number | undefined;
}

/** libuv's limit. */
export const MAX_THREADS = 1024;
/** The longest delay that `setTimeout` supports. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The rule for a number: in words, its bounds, and whether it must be a whole number. */
type Rule = readonly [expected: string, min: number, max: number, isWhole?: true];

export const RESOLUTION: Rule = ['a whole number of milliseconds from 1 on', 1, MAX_TIMER_MS, true];
export const threadsFrom = (min: number): Rule => [
  `a whole number of threads from ${min} to ${MAX_THREADS}`,
  ...([min, MAX_THREADS, true] as const),
];
const timeFrom = (min: number, max = Number.MAX_VALUE): Rule => [
  `a number of milliseconds ${min === Number.MIN_VALUE ? 'above 0' : `from ${min} on`}`,
  ...([min, max] as const),
];

export const fits = (value: number, [, min, max, isWhole]: Rule): boolean =>
  value >= min && value <= max && (!isWhole || Number.isInteger(value));

// These functions throw a TypeError or a RangeError, code PLIMSOLL_MONITOR_BAD_OPTION, and fill in defaults.

export function checkOptions(options: unknown): Required<Record<keyof MonitorOptions, number>> {
  const { resolution = 50, slowResolution = 1000 } = checkObject(options) as MonitorOptions;
  checkNumber('options.resolution', resolution, RESOLUTION);
  checkNumber('options.slowResolution', slowResolution, RESOLUTION);
  return { resolution, slowResolution };
}

export function checkSaturation(options: unknown, callback: unknown): SaturationOptions {
  const { waitMs, forMs } = checkObject(options) as SaturationOptions;
  checkNumber('options.waitMs', waitMs, timeFrom(Number.MIN_VALUE));
  checkNumber('options.forMs', forMs, timeFrom(0));
  if (typeof callback !== 'function') throw badOption(TypeError, 'callback', callback, 'a function');
  return { waitMs, forMs };
}

/** The same range as in `percentile()` of Node's histograms. */
export const checkPercentile = (value: unknown): void =>
  checkNumber('percentile', value, ['a number above 0 and up to 100', Number.MIN_VALUE, 100]);

export function checkRescue(
  options: unknown,
  initial: number,
): Required<Record<keyof RescueOptions, number>> {
  const { size = initial, max = 32, waitMs = 100, holdMs = 10_000 } = checkObject(options) as RescueOptions;
  checkNumber('options.size', size, threadsFrom(1));
  checkNumber('options.max', max, threadsFrom(size + 1));
  checkNumber('options.waitMs', waitMs, timeFrom(10, MAX_TIMER_MS));
  checkNumber('options.holdMs', holdMs, timeFrom(0, MAX_TIMER_MS));
  return { size, max, waitMs, holdMs };
}

/** @returns timeoutMs */
export function checkResize(size: unknown, options: unknown): number {
  checkNumber('size', size, threadsFrom(1));
  const { timeoutMs = 30_000 } = checkObject(options) as ResizeOptions;
  checkNumber('options.timeoutMs', timeoutMs, timeFrom(Number.MIN_VALUE, Number.POSITIVE_INFINITY));
  return timeoutMs;
}

function checkNumber(name: string, value: unknown, rule: Rule): void {
  if (typeof value !== 'number') throw badOption(TypeError, name, value, rule[0]);
  if (!fits(value, rule)) throw badOption(RangeError, name, value, rule[0]);
}

function checkObject(value: unknown): object {
  if (typeof value === 'object' && value !== null) return value;
  throw badOption(TypeError, 'options', value, 'an object');
}
