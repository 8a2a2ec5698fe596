import {
  exponential,
  halfWidth,
  isShown,
  LEVEL,
  logRatios,
  type MeanInterval,
  type RatioInterval,
  type Verdict,
  verdictOfInterval,
  verdictOfRatio,
} from './intervals.js';
import { FIRST_LOOK, lookLevels } from './looks.js';
import { ACCEPTED_LOSS, type Estimated, estimatedOdds, type Odds } from './posterior-odds.js';
import { median, quantile } from './quantile.js';
import { fitTwoLevels, type TwoLevels } from './two-levels.js';

export interface Sample {
  readonly time: number;
  readonly delay: number;
}

export type Block<Id extends string | number = number> = ReadonlyMap<Id | 'twin', Sample>;

export interface GenerationsPlan<Id extends string | number = number> {
  /** The contestants in ascending order of what they cost, the baseline among them. */
  readonly ids: readonly Id[];
  readonly baseline: Id;
  /** Shares of the information at which it was looked, one for each generation: the intervals hold at all of them. */
  readonly looks: readonly number[];
  readonly seed: number;
}

export interface SizeComparison extends RatioInterval, Odds {
  readonly verdict: Verdict;
}

export interface GenerationsResult<Id extends string | number = number> {
  readonly aa: RatioInterval;
  readonly noisy: boolean;
  readonly comparisons: ReadonlyMap<Id, SizeComparison>;
  readonly best: Id;
  readonly recommended: Id | null;
  /** Not shown to be slower than another, nor to delay the event loop more. */
  readonly asGood: readonly Id[];
  readonly higherEventLoopDelay: readonly Id[];
  readonly settled: boolean;
  /** Almost certainly much slower than another contestant: not worth more time. */
  readonly hopeless: readonly Id[];
  /** Variance between generations ÷ variance between the blocks of one, at the least. */
  readonly between: number;
}

/** An interval this narrow (±5 %) is worth no more time. */
const PRECISE = 0.05;
const ACCEPTED_CHANCE = 0.05;
const HOPELESS_CHANCE = 0.999;
/** Delays near zero have no meaningful ratio; a millisecond more or less is nothing that a request notices. */
const LEAST_DELAY_MARGIN_MS = 1;
/** Of a normal error, farther than one standard error. */
const ONE_SIGMA = 0.3173;

/**
 * Compare contestants that were measured in turn by short rounds, in several generations of processes, and choose one.
 *
 * Within a block all share what the machine did, so the logarithms of their times are compared there, with both turns of the
 * baseline; `fitTwoLevels` makes an estimate of blocks and generations. Intervals hold at 95 % for all contestants (Bonferroni) and
 * at all looks together (`lookLevels`): a suite that is looked at after each generation, and stopped when it knows, gives a false
 * verdict in at most one case of twenty. A contestant that left keeps the interval of the look at which it did.
 *
 * @param generations the blocks of each; what is incomplete in one may be missing.
 * @throws {RangeError} when a contestant has no block in common with the baseline and its twin.
 */
export function compareGenerations<Id extends string | number = number>(
  generations: readonly (readonly Block<Id>[])[],
  plan: GenerationsPlan<Id>,
): GenerationsResult<Id> {
  const { ids, baseline, looks, seed } = plan;
  const pairs = (ids.length * (ids.length - 1)) / 2;
  /** Of the differences of two figures in the blocks that have both. */
  const fit = (value: Figure<Id>, reference: Figure<Id>): GenerationsFit =>
    fitOf(
      generations.map((blocks) =>
        blocks.map((block) => value(block) - reference(block)).filter((one) => !Number.isNaN(one)),
      ),
    );
  /** The baseline takes two turns in every block: their geometric mean is less noisy than either. */
  const turns = (id: Id): Figure<Id> => {
    const [first, twin] = [timeOf<Id>(id), timeOf<Id>('twin')];
    return id === baseline ? (block) => (first(block) + twin(block)) / 2 : first;
  };

  const aa = exponential(intervalOf(fit(timeOf<Id>('twin'), timeOf<Id>(baseline)), looks, 1));
  const noisy = isShown(verdictOfRatio(aa));
  const fits = new Map(ids.map((id) => [id, fit(turns(id), turns(baseline))]));
  const odds = oddsOf(fits, seed);
  const comparisons = new Map(
    [...fits].map(([id, one]): [Id, SizeComparison] => {
      const ratio = id === baseline ? ITSELF : exponential(intervalOf(one, looks, ids.length - 1));
      const verdict = noisy && id !== baseline ? 'unclear' : verdictOfRatio(ratio);
      return [id, { ...ratio, verdict, ...(odds.get(id) as Odds) }];
    }),
  );
  const of = (id: Id): SizeComparison => comparisons.get(id) as SizeComparison;
  const best = ids.reduce((a, b) => (of(b).ratio < of(a).ratio ? b : a));
  const rivals = [...fits].filter(([id]) => id !== baseline).map(([, { between }]) => between);
  const known = { aa, noisy, comparisons, best, between: rivals.length === 0 ? 0 : median(rivals) };
  if (noisy)
    return {
      ...known,
      recommended: null,
      asGood: [],
      higherEventLoopDelay: [],
      settled: false,
      hopeless: [],
    };

  /** Shown to be slower, by the two intervals that stand in the table or by the paired difference: one of that of all pairs. */
  const isSlower = (id: Id, rival: Id): boolean => {
    if (id === rival || of(id).ratio <= of(rival).ratio) return false;
    const rows = { ratio: 1, low: of(id).low / of(rival).high, high: of(id).high / of(rival).low };
    if (verdictOfRatio(rows) === 'worse') return true;
    return verdictOfInterval(intervalOf(fit(turns(id), turns(rival)), looks, pairs)) === 'worse';
  };
  const fast = ids.filter((id) => !ids.some((rival) => isSlower(id, rival)));
  const all = generations.flat();
  const calmest = fast.reduce((a, b) => (medianDelay(b, all) < medianDelay(a, all) ? b : a));
  const margin = delayMargin(generations, baseline);
  const isDelayedMore = (id: Id): boolean =>
    id !== calmest && intervalOf(fit(delayOf(id), delayOf(calmest)), looks, pairs).low > margin;
  const higherEventLoopDelay = fast.filter(isDelayedMore);
  const asGood = fast.filter((id) => !higherEventLoopDelay.includes(id));

  // The first whose expected loss is small enough; when there is none, the one with the least.
  const isAccepted = (id: Id): boolean => of(id).expectedLoss <= ACCEPTED_LOSS;
  const chosen =
    asGood.find(isAccepted) ?? asGood.reduce((a, b) => (of(b).expectedLoss < of(a).expectedLoss ? b : a));
  const canTell = (fits.get(baseline)?.generations ?? 0) >= FIRST_LOOK;
  const hopeless = ids.filter((id) => canTell && id !== baseline && of(id).chanceHopeless >= HOPELESS_CHANCE);
  const smaller = asGood.slice(0, asGood.indexOf(chosen));
  const settled =
    canTell &&
    isAccepted(chosen) &&
    of(chosen).chanceSlower <= ACCEPTED_CHANCE &&
    smaller.every((id) => of(id).chanceAccepted <= ACCEPTED_CHANCE) &&
    ids.every((id) => hopeless.includes(id) || isPrecise(of(id), of(id).verdict));
  return { ...known, recommended: canTell ? chosen : null, asGood, higherEventLoopDelay, settled, hopeless };
}

const ITSELF: RatioInterval = { ratio: 1, low: 1, high: 1 };

function oddsOf<Id>(fits: ReadonlyMap<Id, GenerationsFit>, seed: number): Map<Id, Odds> {
  const all = [...fits].map(([id, fit]): [Id, Estimated] => {
    const half = fit.halfWidth(ONE_SIGMA);
    const error = Number.isFinite(half) ? half : 0;
    return [id, { centre: fit.mean, error, deviations: fit.deviations.flat() }];
  });
  const df = Math.max(1, Math.min(...[...fits.values()].map((fit) => fit.df)));
  return estimatedOdds(new Map(all), df, seed);
}

const medianDelay = <Id extends string | number>(id: Id | 'twin', blocks: readonly Block<Id>[]): number =>
  median(blocks.flatMap((block) => block.get(id)?.delay ?? []));

/** How much the baseline's delay differs from its twin's in 19 generations of 20. */
function delayMargin<Id extends string | number>(
  generations: readonly (readonly Block<Id>[])[],
  baseline: Id,
): number {
  const twins = generations
    .filter((blocks) => blocks.some((block) => block.has('twin') && block.has(baseline)))
    .map((blocks) => Math.abs(medianDelay('twin', blocks) - medianDelay(baseline, blocks)));
  return Math.max(LEAST_DELAY_MARGIN_MS, quantile(twins, 0.95));
}

/** Of one block; NaN where it is missing. */
type Figure<Id extends string | number> = (block: Block<Id>) => number;

const timeOf =
  <Id extends string | number>(id: Id | 'twin'): Figure<Id> =>
  (block) =>
    Math.log(block.get(id)?.time ?? Number.NaN);

const delayOf =
  <Id extends string | number>(id: Id | 'twin'): Figure<Id> =>
  (block) =>
    block.get(id)?.delay ?? Number.NaN;

export interface PairedBlocks {
  readonly values: readonly number[];
  readonly reference: readonly number[];
}

export interface PairComparison extends RatioInterval {
  /** `better` is less. */
  readonly verdict: Verdict;
  readonly settled: boolean;
  readonly between: number;
}

/**
 * One contestant's values by another's, by the rules of `compareGenerations`, for contestants that need no ranking.
 *
 * @param comparisons how many hold together at 95 %; 1 for one by itself.
 */
export function comparePair(
  generations: readonly PairedBlocks[],
  { looks, comparisons }: { readonly looks: readonly number[]; readonly comparisons: number },
): PairComparison {
  const fit = fitOf(generations.map(({ values, reference }) => logRatios(values, reference)));
  const ratio = exponential(intervalOf(fit, looks, comparisons));
  const verdict = verdictOfRatio(ratio);
  const settled = Number.isFinite(ratio.high) && isPrecise(ratio, verdict);
  return { ...ratio, verdict, settled, between: fit.between };
}

const isPrecise = (ratio: RatioInterval, verdict: Verdict): boolean =>
  verdict === 'same' || halfWidth(ratio) <= PRECISE;

interface GenerationsFit extends TwoLevels {
  readonly generations: number;
  /** The last of them, from 0. */
  readonly last: number;
}

function fitOf(values: readonly (readonly number[])[]): GenerationsFit {
  const last = values.findLastIndex((blocks) => blocks.length > 0);
  if (last === -1) throw new RangeError('there is no block to compare');
  const generations = values.filter((blocks) => blocks.length > 0).length;
  return { ...fitTwoLevels(values), generations, last };
}

/** The interval at the look after the last generation of `fit`, one of `comparisons` that hold together. */
function intervalOf(fit: GenerationsFit, looks: readonly number[], comparisons: number): MeanInterval {
  const levels = lookLevels(looks.slice(FIRST_LOOK - 1), (1 - LEVEL) / Math.max(1, comparisons));
  const level = levels[Math.min(fit.last, looks.length - 1) - FIRST_LOOK + 1] ?? 0;
  // Before the first look there is an estimate, and no interval.
  const half = fit.generations < FIRST_LOOK ? Number.POSITIVE_INFINITY : fit.halfWidth(level);
  return { mean: fit.mean, low: fit.mean - half, high: fit.mean + half };
}
