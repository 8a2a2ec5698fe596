import { badOption } from './errors.js';

/** Options of `monitorThreadPool()`. */
export interface MonitorOptions {
  /** Mean milliseconds between the canaries of the fast class, a whole number from 1 on. Default: 50. */
  readonly resolution?: number | undefined;
  /**
   * Mean milliseconds between those of slow I/O, a whole number from 1 on. Default: 1000. While the pool is full each takes
   * the place of a lookup of yours.
   */
  readonly slowResolution?: number | undefined;
}

/** When `onSaturation()` calls. */
export interface SaturationOptions {
  /** The wait that is too long, in milliseconds, more than 0. */
  readonly waitMs: number;
  /** For how many milliseconds no job got a thread sooner, 0 or more. */
  readonly forMs: number;
}

/** Options of `threadPool.resize()`. */
export interface ResizeOptions {
  /**
   * Milliseconds after which the promise rejects with PLIMSOLL_MONITOR_RESIZE_TIMEOUT and the pool goes back to its old size;
   * above 0, `Infinity` for never. Default: 30,000.
   */
  readonly timeoutMs?: number | undefined;
}

/** Options of `rescueThreadPool()`. */
export interface RescueOptions {
  /** Threads while none is blocked, 1 to 1,024. Default: those that the pool has. */
  readonly size?: number | undefined;
  /** Threads at the most, above `size`. Default: 32. */
  readonly max?: number | undefined;
  /** Milliseconds that a job may wait before threads are added, 10 or more. Default: 100. */
  readonly waitMs?: number | undefined;
  /** Milliseconds that threads must not have been needed before they are given back, 0 or more. Default: 10,000. */
  readonly holdMs?: number | undefined;
}

/** libuv's own limit. */
export const MOST_THREADS = 1024;
/** `setTimeout` knows no longer times. */
export const LONGEST_MS = 2 ** 31 - 1;

/** What a number must be: in words, by its bounds, and whether it must be a whole one. */
type Rule = readonly [right: string, least: number, most: number, isWhole?: true];

export const RESOLUTION: Rule = ['a whole number of milliseconds from 1 on', 1, LONGEST_MS, true];
export const threadsFrom = (least: number): Rule => [
  `a whole number of threads from ${least} to ${MOST_THREADS}`,
  ...([least, MOST_THREADS, true] as const),
];
const timeFrom = (least: number, most = Number.MAX_VALUE): Rule => [
  `a number of milliseconds ${least === Number.MIN_VALUE ? 'above 0' : `from ${least} on`}`,
  ...([least, most] as const),
];

export const fits = (value: number, [, least, most, isWhole]: Rule): boolean =>
  value >= least && value <= most && (!isWhole || Number.isInteger(value));

// All of these throw a TypeError or a RangeError, code PLIMSOLL_MONITOR_BAD_OPTION.

/** With defaults. */
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

/** As `percentile()` of Node's histograms takes it. */
export const checkPercentile = (value: unknown): void =>
  checkNumber('percentile', value, ['a number above 0 and up to 100', Number.MIN_VALUE, 100]);

/** With defaults. */
export function checkRescue(options: unknown, usual: number): Required<Record<keyof RescueOptions, number>> {
  const { size = usual, max = 32, waitMs = 100, holdMs = 10_000 } = checkObject(options) as RescueOptions;
  checkNumber('options.size', size, threadsFrom(1));
  checkNumber('options.max', max, threadsFrom(size + 1));
  checkNumber('options.waitMs', waitMs, timeFrom(10, LONGEST_MS));
  checkNumber('options.holdMs', holdMs, timeFrom(0, LONGEST_MS));
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
