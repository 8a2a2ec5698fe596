import { itemAt } from '../collections/item-at.js';
import { holm } from './holm.js';
import { hodgesLehmann, type Interval, signedRankInterval, signedRankP } from './signed-rank.js';

export type Verdict = 'better' | 'worse' | 'same' | 'unclear';

/** One positive number per block, lower is better (milliseconds, say); all arrays in the order of the blocks. */
export interface BlockedTimes<Id extends string | number = number> {
  readonly baseline: readonly number[];
  /** The baseline a second time in every block: whatever differs from it is noise. */
  readonly twin: readonly number[];
  readonly others: ReadonlyMap<Id, readonly number[]>;
}

export interface Comparison {
  /** Hodges–Lehmann estimate of time ÷ time at the baseline. */
  readonly ratio: number;
  readonly interval: Interval;
  /** Adjusted by Holm's method over all sizes. */
  readonly p: number;
  readonly verdict: Verdict;
  /** How many more blocks would probably turn `unclear` into a verdict; `null` when that is not to be expected. */
  readonly blocksToResolve: number | null;
}

export interface Noise {
  readonly aaRatio: number;
  readonly aaInterval: Interval;
  /** Relative difference below which nothing counts. */
  readonly threshold: number;
  /** The twin differs from the baseline: nothing can be ranked. */
  readonly noisy: boolean;
}

export const LEVEL = 0.95;
const ALPHA = 0.05;
/** What engineers care about: a smaller difference is not worth a change of settings. */
export const EQUAL_WITHIN = 0.03;

/** Logarithms make ratios differences, and a factor weighs as much as its inverse. */
export const logRatios = (times: readonly number[], reference: readonly number[]): number[] =>
  times.map((time, block) => Math.log(time / itemAt(reference, block)));

const exponential = ({ low, high, level }: Interval): Interval => ({
  low: Math.exp(low),
  high: Math.exp(high),
  level,
});

/**
 * How many times the reference some values are, block by block: the estimate and its exact interval.
 *
 * @example
 * pairedRatio([20, 22], [10, 11]).ratio; // 2
 */
export function pairedRatio(
  values: readonly number[],
  reference: readonly number[],
): { ratio: number; interval: Interval } {
  const logs = logRatios(values, reference);
  return { ratio: Math.exp(hodgesLehmann(logs)), interval: exponential(signedRankInterval(logs, LEVEL)) };
}

/**
 * How noisy the machine was, from the baseline and its twin. The threshold is the larger of 3 % and the far end of the
 * interval of their ratio: the largest effect that the same blocks still allow for where there is none. (The 95th
 * percentile of single pairs would be nearly their maximum, and a few spikes could hide a much slower size.) The
 * gate is judged at a fixed 3 %, or much noise would excuse itself.
 */
export function assessNoise(baseline: readonly number[], twin: readonly number[]): Noise {
  const logs = logRatios(twin, baseline);
  const interval = signedRankInterval(logs, LEVEL);
  const gate = judge(interval, signedRankP(logs), Math.log1p(EQUAL_WITHIN));
  return {
    aaRatio: Math.exp(hodgesLehmann(logs)),
    aaInterval: exponential(interval),
    threshold: Math.max(EQUAL_WITHIN, Math.expm1(Math.max(-interval.low, interval.high))),
    noisy: gate === 'better' || gate === 'worse',
  };
}

/**
 * A verdict on log ratios: beyond ±`margin` with p below 0.05, wholly within ±3 %, or unclear. Noise widens the margin
 * that a difference must clear, never the one within which sizes count as the same. Margins are symmetric on the log
 * scale, so that swapping the two sides swaps `better` and `worse` and nothing else.
 */
function judge({ low, high, level }: Interval, p: number, margin: number): Verdict {
  if (level < LEVEL) return 'unclear';
  if (p < ALPHA && high < -margin) return 'better';
  if (p < ALPHA && low > margin) return 'worse';
  const equal = Math.log1p(EQUAL_WITHIN);
  return low >= -equal && high <= equal ? 'same' : 'unclear';
}

/**
 * The verdict on one pair, by the rules of `comparePaired` without its correction for many comparisons.
 *
 * @param noise of the same blocks; `null`: unknown, so that 3 % is the margin.
 */
export function judgeRatios(
  times: readonly number[],
  reference: readonly number[],
  noise: Noise | null,
): Verdict {
  if (noise?.noisy) return 'unclear';
  const logs = logRatios(times, reference);
  const margin = Math.log1p(noise?.threshold ?? EQUAL_WITHIN);
  return judge(signedRankInterval(logs, LEVEL), signedRankP(logs), margin);
}

/** The verdict on a ratio of times that has no interval: all that can be said is whether it is within 3 % of 1. */
export function verdictOfRatio(ratio: number): Verdict {
  const log = Math.log(ratio);
  if (Math.abs(log) <= Math.log1p(EQUAL_WITHIN)) return 'same';
  return log < 0 ? 'better' : 'worse';
}

/** Intervals shrink with the square root of the blocks; the distance to the margin is what they must shrink to. */
function blocksToResolve(
  estimate: number,
  { low, high }: Interval,
  blocks: number,
  margin: number,
): number | null {
  const halfWidth = (high - low) / 2;
  const wanted = Math.abs(Math.abs(estimate) - margin);
  const total = blocks * (halfWidth / wanted) ** 2;
  // Ten times the blocks is more extrapolation than the estimate can bear.
  return Number.isFinite(total) && total <= 10 * blocks ? Math.max(1, Math.ceil(total - blocks)) : null;
}

/**
 * Compare every contestant (a size, a library) with the baseline, block by block.
 *
 * With fewer than six blocks no verdict but `unclear` is possible, and none when the twin says that the machine is
 * too noisy.
 *
 * @throws {RangeError} when there is no block.
 * @example
 * comparePaired({ baseline: [10, 11], twin: [10, 11], others: new Map([[8, [5, 5]]]) });
 */
export function comparePaired<Id extends string | number = number>({
  baseline,
  twin,
  others,
}: BlockedTimes<Id>): {
  noise: Noise;
  comparisons: Map<Id, Comparison>;
} {
  const noise = assessNoise(baseline, twin);
  const margin = Math.log1p(noise.threshold);
  const logs = [...others].map(([size, times]) => ({ size, values: logRatios(times, baseline) }));
  const ps = holm(logs.map(({ values }) => signedRankP(values)));
  const comparisons = new Map<Id, Comparison>();
  for (const [index, { size, values }] of logs.entries()) {
    const estimate = hodgesLehmann(values);
    const interval = signedRankInterval(values, LEVEL);
    const p = itemAt(ps, index);
    const verdict = noise.noisy ? 'unclear' : judge(interval, p, margin);
    comparisons.set(size, {
      ratio: Math.exp(estimate),
      interval: exponential(interval),
      p,
      verdict,
      blocksToResolve:
        verdict === 'unclear' && !noise.noisy
          ? blocksToResolve(estimate, interval, values.length, margin)
          : null,
    });
  }
  return { noise, comparisons };
}
