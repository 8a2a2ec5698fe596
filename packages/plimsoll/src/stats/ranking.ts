import { itemAt } from '../collections/item-at.js';
import { holm } from './holm.js';
import { EQUAL_WITHIN, LEVEL, logRatios, type Noise } from './paired-comparison.js';
import { median, quantile } from './quantile.js';
import { createRandom } from './random.js';
import { hodgesLehmann, type Interval, signedRankInterval, signedRankP } from './signed-rank.js';

const ALPHA = 0.05;
const DRAWS = 2000;

/**
 * How likely each size is to be the fastest: the share of bootstrap samples of whole blocks in which its mean log time
 * is the lowest. The mean, because a median of five or ten blocks takes too few values to be resampled.
 *
 * @returns one probability per size; they sum to 1.
 */
export function probabilityOfBest(
  times: ReadonlyMap<number, readonly number[]>,
  seed: number,
): Map<number, number> {
  const random = createRandom(seed);
  const sizes = [...times.keys()];
  const logs = sizes.map((size) => (times.get(size) as readonly number[]).map(Math.log));
  const blocks = logs[0]?.length ?? 0;
  const wins = sizes.map(() => 0);
  for (let draw = 0; draw < DRAWS; draw++) {
    const sums = sizes.map(() => 0);
    for (let pick = 0; pick < blocks; pick++) {
      const block = random.integer(0, blocks - 1);
      for (let index = 0; index < sizes.length; index++)
        sums[index] = itemAt(sums, index) + (logs[index]?.[block] as number);
    }
    const lowest = Math.min(...sums);
    const winners = sizes.flatMap((_, index) => (sums[index] === lowest ? [index] : []));
    for (const winner of winners) wins[winner] = itemAt(wins, winner) + 1 / winners.length;
  }
  return new Map(sizes.map((size, index) => [size, itemAt(wins, index) / DRAWS]));
}

/** What was measured at one size: one number per block, in the order of the blocks. */
export interface SizeSamples {
  readonly size: number;
  readonly times: readonly number[];
  /** Event-loop delay in milliseconds. */
  readonly delays: readonly number[];
}

export interface Ranking {
  /** The size with the lowest estimated time. */
  readonly best: number;
  /** The smallest size that is as good as the best; `null` when the data cannot say. */
  readonly recommended: number | null;
  /** Sizes that nothing distinguishes from the best; with too few blocks, those whose widest interval reaches it. */
  readonly asGood: number[];
  /** Sizes as fast as the best whose event loop is distinguishably later. */
  readonly laterLoop: number[];
  /** `proven`: shown to be at most 3 % slower than the best; otherwise merely not shown to be slower. */
  readonly confidence: 'proven' | 'not distinguished' | null;
}

/** Delays near zero have no meaningful ratio; a millisecond more or less is nothing that a request notices. */
const LEAST_DELAY_MARGIN_MS = 1;

/**
 * Rank the sizes: the fastest, those that cannot be told from it, and among these the ones for which the event loop
 * does not pay; of what remains the smallest is recommended, because threads cost memory and wake-ups.
 *
 * @param samples of every size, the baseline among them.
 * @param noise of the times; its threshold is the margin within which sizes count as equal.
 * @param delaysAa event-loop delays of the baseline and its twin, block by block.
 */
export function rankSizes(
  samples: readonly SizeSamples[],
  noise: Noise,
  delaysAa: readonly (readonly [number, number])[],
): Ranking {
  const reference = itemAt(samples, 0).times;
  const estimate = ({ times }: SizeSamples): number => hodgesLehmann(logRatios(times, reference));
  const best = samples.reduce((a, b) => (estimate(b) < estimate(a) ? b : a));

  const margin = Math.log1p(noise.threshold);
  const slower = distinguishablyAbove(samples, best, margin, ({ times }) => logRatios(times, best.times));
  const fast = samples.filter((sample) => !slower.has(sample.size));

  const delayMargin = Math.max(
    LEAST_DELAY_MARGIN_MS,
    quantile(
      delaysAa.map(([a, b]) => Math.abs(a - b)),
      0.95,
    ),
  );
  const calmest = fast.reduce((a, b) => (median(b.delays) < median(a.delays) ? b : a));
  const later = distinguishablyAbove(fast, calmest, delayMargin, ({ delays }) =>
    delays.map((delay, block) => delay - itemAt(calmest.delays, block)),
  );
  const good = fast.filter(({ size }) => !later.has(size));

  const chosen = good.reduce((a, b) => (b.size < a.size ? b : a));
  const interval = signedRankInterval(logRatios(chosen.times, best.times), LEVEL);
  const known = interval.level >= LEVEL && !noise.noisy;
  return {
    best: best.size,
    recommended: known ? chosen.size : null,
    asGood: noise.noisy ? [] : good.map(({ size }) => size),
    laterLoop: noise.noisy ? [] : [...later],
    confidence: known
      ? chosen === best || interval.high <= Math.log1p(EQUAL_WITHIN)
        ? 'proven'
        : 'not distinguished'
      : null,
  };
}

/**
 * The sizes whose values (differences from the best one's) lie beyond the margin, with p adjusted over all of them.
 * Where the wanted level cannot be had, the widest interval decides alone: an estimate, which nobody takes for proof.
 */
function distinguishablyAbove(
  samples: readonly SizeSamples[],
  best: SizeSamples,
  margin: number,
  differences: (sample: SizeSamples) => number[],
): Set<number> {
  const rivals = samples
    .filter((sample) => sample !== best)
    .map((sample) => ({ size: sample.size, values: differences(sample) }));
  const ps = holm(rivals.map(({ values }) => signedRankP(values)));
  const above = ({ low, level }: Interval, p: number): boolean =>
    low > margin && (level < LEVEL || p < ALPHA);
  return new Set(
    rivals
      .filter(({ values }, index) => above(signedRankInterval(values, LEVEL), itemAt(ps, index)))
      .map(({ size }) => size),
  );
}
