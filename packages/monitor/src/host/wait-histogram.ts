import { checkPercentile } from '../options.js';
import { middleOf } from '../shared/buckets.js';
import { sum, withUnfinished } from './censored.js';
import type { WaitLog } from './wait-log.js';

/** What Node's histograms call the smallest of no values. */
const LARGEST_INTEGER = 2 ** 63;

/** A summary of waits, as `toJSON()` of Node's histograms gives it; times in nanoseconds. */
export interface WaitSummary {
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly stddev: number;
  readonly percentiles: Readonly<Record<string, number>>;
}

/**
 * How long jobs of one class wait for a thread of the pool, in nanoseconds, read like a histogram of `perf_hooks`. A canary
 * that has not come back yet counts as some wait longer than its age. Values are right to one part in 256.
 */
export class WaitHistogram {
  readonly #log: WaitLog;
  /** What had been counted at the last reset. */
  #before: Float64Array | undefined;

  constructor(log: WaitLog) {
    this.#log = log;
  }

  /** Forgets all waits so far. */
  reset(): void {
    this.#before = this.#log.totals();
  }

  /** Canaries; one that was sent more rarely, because many were out, counts for those that it stands for. */
  get count(): number {
    return Math.round(sum(this.#masses()));
  }

  /** The shortest wait; 9223372036854775808 when there is none, as in Node. */
  get min(): number {
    const bucket = this.#masses().findIndex((mass) => mass > 0);
    return bucket === -1 ? LARGEST_INTEGER : middleOf(bucket);
  }

  /** The longest wait; 0 when there is none. */
  get max(): number {
    const bucket = this.#masses().findLastIndex((mass) => mass > 0);
    return bucket === -1 ? 0 : middleOf(bucket);
  }

  /** NaN when there is none. */
  get mean(): number {
    return meanOf(this.#masses());
  }

  /** Standard deviation; NaN when there is none. */
  get stddev(): number {
    const masses = this.#masses();
    const mean = meanOf(masses);
    return Math.sqrt(meanOf(masses, (wait) => (wait - mean) ** 2));
  }

  /**
   * The wait that `percent` of all waits do not exceed; 0 when there is none.
   *
   * @param percent above 0, up to 100
   * @throws TypeError or RangeError, code PLIMSOLL_MONITOR_BAD_OPTION
   */
  percentile(percent: number): number {
    checkPercentile(percent);
    return percentileOf(this.#masses(), percent);
  }

  /** Waits by percentile: 0, 50, 75, 87.5 … up to the longest one at 100. */
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
    const counts = this.#log.totals().map((count, bucket) => count - (before?.[bucket] ?? 0));
    return withUnfinished(counts, this.#log.unfinished());
  }
}

const meanOf = (masses: Float64Array, of = (wait: number): number => wait): number =>
  masses.reduce((total, mass, bucket) => (mass === 0 ? total : total + mass * of(middleOf(bucket))), 0) /
  sum(masses);

/** So much of a canary may be lost by rounding when unfinished ones are spread. */
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
