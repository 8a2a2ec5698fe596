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

function checkThreads(name: string, value: unknown, least = 1): void {
  const right = `a whole number of threads from ${least} to ${MOST_THREADS}`;
  if (typeof value !== 'number') throw badType(name, value, right);
  if (!Number.isInteger(value) || value < least || value > MOST_THREADS) throw outOfRange(name, value, right);
}

/** With defaults. @throws TypeError or RangeError, code PLIMSOLL_MONITOR_BAD_OPTION */
export function checkRescue(options: unknown, usual: number): Required<Record<keyof RescueOptions, number>> {
  const given = checkObject('options', options) as RescueOptions;
  const { size = usual, max = 32, waitMs = 100, holdMs = 10_000 } = given;
  checkThreads('options.size', size);
  checkThreads('options.max', max, size + 1);
  const isTime = (least: number) => (time: number) => time >= least && time <= LONGEST_MS;
  checkTime('options.waitMs', waitMs, 'a number of milliseconds from 10 on', isTime(10));
  checkTime('options.holdMs', holdMs, 'a number of milliseconds from 0 on', isTime(0));
  return { size, max, waitMs, holdMs };
}

/** @returns timeoutMs @throws TypeError or RangeError, code PLIMSOLL_MONITOR_BAD_OPTION */
export function checkResize(size: unknown, options: unknown): number {
  checkThreads('size', size);
  const { timeoutMs = 30_000 } = checkObject('options', options) as ResizeOptions;
  const time = 'a number of milliseconds above 0';
  if (typeof timeoutMs !== 'number') throw badType('options.timeoutMs', timeoutMs, time);
  if (!(timeoutMs > 0)) throw outOfRange('options.timeoutMs', timeoutMs, time);
  return timeoutMs;
}
