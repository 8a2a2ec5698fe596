import { badType, outOfRange } from './errors.js';

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

/** `setTimeout` knows no longer ones. */
const LONGEST_MS = 2 ** 31 - 1;

/** With defaults. @throws TypeError or RangeError, code PLIMSOLL_MONITOR_BAD_OPTION */
export function checkOptions(options: unknown): Required<Record<keyof MonitorOptions, number>> {
  const { resolution = 50, slowResolution = 1000 } = checkObject('options', options) as MonitorOptions;
  checkResolution('options.resolution', resolution);
  checkResolution('options.slowResolution', slowResolution);
  return { resolution, slowResolution };
}

function checkResolution(name: string, value: unknown): void {
  const right = 'a whole number of milliseconds from 1 on';
  if (typeof value !== 'number') throw badType(name, value, right);
  if (!Number.isInteger(value) || value < 1 || value > LONGEST_MS) throw outOfRange(name, value, right);
}

/** @throws TypeError or RangeError, code PLIMSOLL_MONITOR_BAD_OPTION */
export function checkSaturation(options: unknown): SaturationOptions {
  const { waitMs, forMs } = checkObject('options', options) as SaturationOptions;
  checkTime('options.waitMs', waitMs, 'a number of milliseconds above 0', (time) => time > 0);
  checkTime('options.forMs', forMs, 'a number of milliseconds from 0 on', (time) => time >= 0);
  return { waitMs, forMs };
}

function checkTime(name: string, value: unknown, right: string, isRight: (time: number) => boolean): void {
  if (typeof value !== 'number') throw badType(name, value, right);
  if (!(isRight(value) && value < Number.POSITIVE_INFINITY)) throw outOfRange(name, value, right);
}

function checkObject(name: string, value: unknown): object {
  if (typeof value === 'object' && value !== null) return value;
  throw badType(name, value, 'an object');
}

/** @throws TypeError, code PLIMSOLL_MONITOR_BAD_OPTION */
export function checkFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw badType(name, value, 'a function');
}

/** As `percentile()` of Node's histograms takes it. @throws TypeError or RangeError, code PLIMSOLL_MONITOR_BAD_OPTION */
export function checkPercentile(value: unknown): void {
  const right = 'a number above 0 and up to 100';
  if (typeof value !== 'number') throw badType('percentile', value, right);
  if (!(value > 0 && value <= 100)) throw outOfRange('percentile', value, right);
}

/** libuv's own limit. */
export const MOST_THREADS = 1024;

/** @returns timeoutMs @throws TypeError or RangeError, code PLIMSOLL_MONITOR_BAD_OPTION */
export function checkResize(size: unknown, options: unknown): number {
  const right = `a whole number of threads from 1 to ${MOST_THREADS}`;
  if (typeof size !== 'number') throw badType('size', size, right);
  if (!Number.isInteger(size) || size < 1 || size > MOST_THREADS) throw outOfRange('size', size, right);
  const { timeoutMs = 30_000 } = checkObject('options', options) as ResizeOptions;
  const time = 'a number of milliseconds above 0';
  if (typeof timeoutMs !== 'number') throw badType('options.timeoutMs', timeoutMs, time);
  if (!(timeoutMs > 0)) throw outOfRange('options.timeoutMs', timeoutMs, time);
  return timeoutMs;
}
