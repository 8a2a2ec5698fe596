import { itemAt } from '../collections/item-at.js';
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
export const compareGenerations = <Id extends string | number = number>(
  generations: readonly (readonly Block<Id>[])[],
  plan: GenerationsPlan<Id>,
): GenerationsResult<Id> => new Trial(generations, plan).result();

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

const ITSELF: RatioInterval = { ratio: 1, low: 1, high: 1 };

class Trial<Id extends string | number> {
  readonly #generations: readonly (readonly Block<Id>[])[];
  readonly #plan: GenerationsPlan<Id>;
  readonly #pairs: number;

  constructor(generations: readonly (readonly Block<Id>[])[], plan: GenerationsPlan<Id>) {
    this.#generations = generations;
    this.#plan = plan;
    this.#pairs = (plan.ids.length * (plan.ids.length - 1)) / 2;
  }

  result(): GenerationsResult<Id> {
    const { ids, baseline, looks } = this.#plan;
    const aa = exponential(intervalOf(this.#fit(timeOf<Id>('twin'), timeOf<Id>(baseline)), looks, 1));
    const noisy = isShown(verdictOfRatio(aa));
    const fits = new Map(ids.map((id) => [id, this.#fit(this.#turns(id), this.#turns(baseline))]));
    const odds = this.#odds(fits);
    const comparisons = new Map(
      [...fits].map(([id, fit]): [Id, SizeComparison] => {
        const ratio = id === baseline ? ITSELF : exponential(intervalOf(fit, looks, ids.length - 1));
        const verdict = noisy && id !== baseline ? 'unclear' : verdictOfRatio(ratio);
        return [id, { ...ratio, verdict, ...(odds.get(id) as Odds) }];
      }),
    );
    const canTell = itemAt([...fits.values()], ids.indexOf(baseline)).generations >= FIRST_LOOK;
    const others = ids.filter((id) => id !== baseline).map((id) => fits.get(id)?.between ?? 0);
    const nothing = { recommended: null, asGood: [], higherEventLoopDelay: [], settled: false, hopeless: [] };
    return {
      ...{ aa, noisy, comparisons, ...this.#choose(comparisons, canTell), ...(noisy ? nothing : {}) },
      between: others.length === 0 ? 0 : median(others),
    };
  }

  /** Differences of two figures in the blocks that have both. */
  #fit(value: Figure<Id>, reference: Figure<Id>): GenerationsFit {
    return fitOf(
      this.#generations.map((blocks) =>
        blocks.flatMap((block) => {
          const difference = value(block) - reference(block);
          return Number.isNaN(difference) ? [] : [difference];
        }),
      ),
    );
  }

  /** The baseline takes two turns in every block: their geometric mean is less noisy than either. */
  #turns(id: Id): Figure<Id> {
    if (id !== this.#plan.baseline) return timeOf(id);
    const [first, twin] = [timeOf<Id>(id), timeOf<Id>('twin')];
    return (block) => (first(block) + twin(block)) / 2;
  }

  #odds(fits: ReadonlyMap<Id, GenerationsFit>): Map<Id, Odds> {
    const all = [...fits].map(([id, fit]): [Id, Estimated] => {
      const half = fit.halfWidth(ONE_SIGMA);
      const error = Number.isFinite(half) ? half : 0;
      return [id, { centre: fit.mean, error, deviations: fit.deviations.flat() }];
    });
    const df = Math.max(1, Math.min(...[...fits.values()].map((fit) => fit.df)));
    return estimatedOdds(new Map(all), df, this.#plan.seed);
  }

  /**
   * Of the contestants that are not shown to be slower than another, nor to delay the event loop more, the first whose expected
   * loss is small enough; when there is none, the one with the least.
   */
  #choose(
    comparisons: ReadonlyMap<Id, SizeComparison>,
    canTell: boolean,
  ): Omit<GenerationsResult<Id>, 'aa' | 'noisy' | 'comparisons' | 'between'> {
    const { ids, baseline } = this.#plan;
    const of = (id: Id): SizeComparison => comparisons.get(id) as SizeComparison;
    const best = ids.reduce((a, b) => (of(b).ratio < of(a).ratio ? b : a));
    const hopeless = ids.filter(
      (id) => canTell && id !== baseline && of(id).chanceHopeless >= HOPELESS_CHANCE,
    );
    const fast = ids.filter((id) => !ids.some((rival) => this.#isSlower(id, rival, of)));
    const higherEventLoopDelay = this.#delayedMore(fast);
    const asGood = fast.filter((id) => !higherEventLoopDelay.includes(id));
    const chosen =
      asGood.find((id) => of(id).expectedLoss <= ACCEPTED_LOSS) ??
      asGood.reduce((a, b) => (of(b).expectedLoss < of(a).expectedLoss ? b : a));
    const smaller = asGood.slice(0, asGood.indexOf(chosen));
    const settled =
      canTell &&
      of(chosen).expectedLoss <= ACCEPTED_LOSS &&
      of(chosen).chanceSlower <= ACCEPTED_CHANCE &&
      smaller.every((id) => of(id).chanceAccepted <= ACCEPTED_CHANCE) &&
      ids.every((id) => hopeless.includes(id) || isPrecise(of(id), of(id).verdict));
    return {
      ...{ best, recommended: canTell ? chosen : null, asGood, higherEventLoopDelay, settled, hopeless },
    };
  }

  /** Shown to be slower, by the two intervals that stand in the table or by the paired difference: one of that of all pairs. */
  #isSlower(id: Id, rival: Id, of: (id: Id) => SizeComparison): boolean {
    if (id === rival || of(id).ratio <= of(rival).ratio) return false;
    const rows = { ratio: 1, low: of(id).low / of(rival).high, high: of(id).high / of(rival).low };
    if (verdictOfRatio(rows) === 'worse') return true;
    const fit = this.#fit(this.#turns(id), this.#turns(rival));
    return verdictOfInterval(intervalOf(fit, this.#plan.looks, this.#pairs)) === 'worse';
  }

  #delayedMore(fast: readonly Id[]): Id[] {
    const { baseline, looks } = this.#plan;
    const delays = (id: Id | 'twin', blocks: readonly Block<Id>[]): number =>
      median(blocks.flatMap((block) => block.get(id)?.delay ?? []));
    const twins = this.#generations
      .filter((blocks) => blocks.some((block) => block.has('twin') && block.has(baseline)))
      .map((blocks) => Math.abs(delays('twin', blocks) - delays(baseline, blocks)));
    const margin = Math.max(LEAST_DELAY_MARGIN_MS, quantile(twins, 0.95));
    const all = this.#generations.flat();
    const calmest = fast.reduce((a, b) => (delays(b, all) < delays(a, all) ? b : a));
    return fast.filter((id) => {
      if (id === calmest) return false;
      return intervalOf(this.#fit(delayOf(id), delayOf(calmest)), looks, this.#pairs).low > margin;
    });
  }
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
