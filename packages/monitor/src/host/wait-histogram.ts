import { checkPercentile } from '../options.js';
import { middleOf } from '../shared/buckets.js';
import { sum, withUnfinished } from './censored.js';
import type { WaitLog } from './wait-log.js';

/** The minimum that Node's histograms return without any values. */
const LARGEST_INTEGER = 2 ** 63;

/** A summary of waits, like `toJSON()` of Node's histograms; times in nanoseconds. */
export interface WaitSummary {
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly stddev: number;
  readonly percentiles: Readonly<Record<string, number>>;
}

/**
 * How long jobs of one class wait for a pool thread, in nanoseconds; members as in `perf_hooks`. A canary
 * that has not returned counts as a wait longer than its age. Values are accurate to one part in 256.
 */
export class WaitHistogram {
  readonly #log: WaitLog;
  /** The counts at the last reset. */
  #before: Float64Array | undefined;

  constructor(log: WaitLog) {
    this.#log = log;
  }

  /** Discards all waits so far. */
  reset(): void {
    this.#before = this.#log.totals();
  }

  /** Canaries, including those that were skipped because many were out. */
  get count(): number {
    return Math.round(sum(this.#masses()));
  }

  /** The shortest wait; 9223372036854775808 without any, as in Node. */
  get min(): number {
    const bucket = this.#masses().findIndex((mass) => mass > 0);
    return bucket === -1 ? LARGEST_INTEGER : middleOf(bucket);
  }

  /** The longest wait; 0 without any. */
  get max(): number {
    const bucket = this.#masses().findLastIndex((mass) => mass > 0);
    return bucket === -1 ? 0 : middleOf(bucket);
  }

  /** Mean wait; NaN without any. */
  get mean(): number {
    return meanOf(this.#masses());
  }

  /** Standard deviation; NaN without any waits. */
  get stddev(): number {
    const masses = this.#masses();
    const mean = meanOf(masses);
    return Math.sqrt(meanOf(masses, (wait) => (wait - mean) ** 2));
  }

  /**
   * Returns the wait that `percent` percent of all waits do not exceed; 0 without any.
   *
   * @param percent above 0, up to 100
   * @throws TypeError or RangeError, code PLIMSOLL_MONITOR_BAD_OPTION
   */
  percentile(percent: number): number {
    checkPercentile(percent);
    return percentileOf(this.#masses(), percent);
  }

  /** Waits by percentile: 0, 50, 75, 87.5 … and the longest wait at 100. */
  get percentiles(): Map<number, number> {
    const masses = this.#masses();
    const longest = percentileOf(masses, 100);
    const found = new Map<number, number>();
    for (let percent = 0; percent < 100; percent = 100 - (100 - percent) / 2) {
      const wait = percentileOf(masses, percent);
      if (wait === longest) break;
      found.set(percent, wait);
    }
    return found.set(100, longest);
  }

  toJSON(): WaitSummary {
    const { count, min, max, mean, stddev, percentiles } = this;
    return { count, min, max, mean, stddev, percentiles: Object.fromEntries(percentiles) };
  }

  #masses(): Float64Array {
    const before = this.#before;
    const { totals, unfinished } = this.#log.snapshot();
    return withUnfinished(
      totals.map((count, bucket) => count - (before?.[bucket] ?? 0)),
      unfinished,
    );
  }
}

const meanOf = (masses: Float64Array, term = (wait: number): number => wait): number =>
  masses.reduce((total, mass, bucket) => (mass === 0 ? total : total + mass * term(middleOf(bucket))), 0) /
  sum(masses);

/** Spreading unfinished waits may lose this fraction of a canary to rounding. */
const ROUNDING = 1e-6;

function percentileOf(masses: Float64Array, percent: number): number {
  const count = sum(masses);
  if (count === 0) return 0;
  let left = Math.max(Math.min(1, count), Math.ceil((percent / 100) * count - ROUNDING)) - ROUNDING;
  const bucket = masses.findIndex((mass) => {
    left -= mass;
    return mass > 0 && left <= 0;
  });
  return middleOf(bucket === -1 ? masses.findLastIndex((mass) => mass > 0) : bucket);
}
