import { itemAt } from '../collections/item-at.js';
import { FIRST_LOOK, lookBoundary } from './looks.js';
import {
  exponential,
  halfWidth,
  type MeanInterval,
  meanInterval,
  type RatioInterval,
} from './mean-interval.js';
import { LEVEL, logRatios, type Verdict, verdictOfInterval } from './paired-comparison.js';
import { ACCEPTED_LOSS, type Odds, posteriorOdds } from './posterior-odds.js';
import { median, quantile } from './quantile.js';
import { hodgesLehmann } from './signed-rank.js';

/** What one contestant did in the blocks of a generation. */
export interface Rounds {
  /** One positive number a block (milliseconds, say), lower is better. */
  readonly times: readonly number[];
  /** Of the baseline and of its twin, in the same blocks. */
  readonly baselineTimes: readonly number[];
  readonly twinTimes: readonly number[];
  /** Event-loop delay in milliseconds, in the same blocks. */
  readonly delays: readonly number[];
}

/** The rounds of every contestant, the baseline among them, and of the baseline's twin. */
export type Generation<Id extends string | number = number> = ReadonlyMap<Id | 'twin', Rounds>;

export interface GenerationsPlan<Id extends string | number = number> {
  /** The contestants in ascending order of what they cost, the baseline among them. */
  readonly ids: readonly Id[];
  readonly baseline: Id;
  /** The most generations that there can be: the intervals hold at every look until then. */
  readonly mostGenerations: number;
  /** Of the draws behind the odds. */
  readonly seed: number;
}

export interface SizeComparison extends RatioInterval, Odds {
  readonly verdict: Verdict;
}

export interface GenerationsResult<Id extends string | number = number> {
  /** The twin against the baseline. */
  readonly aa: RatioInterval;
  /** The twin itself differs: nothing can be told. */
  readonly noisy: boolean;
  readonly comparisons: ReadonlyMap<Id, SizeComparison>;
  /** The one with the lowest estimated time. */
  readonly best: Id;
  /** `null` when there are too few generations, or when it is too noisy. */
  readonly recommended: Id | null;
  /** Not shown to be slower than another, nor to delay the event loop more. */
  readonly asGood: readonly Id[];
  readonly higherEventLoopDelay: readonly Id[];
  /** More generations are not likely to change what is recommended. */
  readonly settled: boolean;
}

/** An interval this narrow (±5 %) is worth no more time. */
const PRECISE = 0.05;
const ACCEPTED_CHANCE = 0.05;
/** Delays near zero have no meaningful ratio; a millisecond more or less is nothing that a request notices. */
const LEAST_DELAY_MARGIN_MS = 1;

/**
 * Compare contestants that were measured in turn by short rounds, in several generations of fresh processes, and choose one.
 *
 * Two levels vary: rounds within a generation, and generations, because two processes of the same kind differ too (Kalibera &
 * Jones, "Rigorous benchmarking in reasonable time", 2013). A generation yields one number for each contestant, the
 * Hodges–Lehmann centre of its blocks' log ratios to the baseline and its twin; the spread of these numbers holds both levels, and Student's t
 * turns it into intervals. They hold at 95 % for all contestants (Bonferroni) and all looks together (`lookBoundary`): a suite
 * that is looked at after each generation, and stopped when it knows, gives a false verdict in at most one case of twenty.
 *
 * @throws {RangeError} when there is no generation.
 */
export function compareGenerations<Id extends string | number = number>(
  generations: readonly Generation<Id>[],
  plan: GenerationsPlan<Id>,
): GenerationsResult<Id> {
  const { ids, baseline, seed } = plan;
  const intervals = new Intervals(generations.length, plan.mostGenerations, ids.length - 1);
  const centres = (id: Id | 'twin', reference: (rounds: Rounds) => readonly number[]): number[] =>
    generations.map((generation) => {
      const rounds = roundsOf(generation, id);
      return hodgesLehmann(logRatios(rounds.times, reference(rounds)));
    });
  const aa = exponential(intervals.alone(centres('twin', ({ baselineTimes }) => baselineTimes)));
  const noisy = ['better', 'worse'].includes(intervals.verdict(aa));

  const logs = new Map(
    ids.map((id) => [id, id === baseline ? generations.map(() => 0) : centres(id, bothBaselines)]),
  );
  const odds = posteriorOdds(logs, seed);
  const comparisons = new Map(
    ids.map((id): [Id, SizeComparison] => {
      const ratio = exponential(intervals.ofAll(logs.get(id) as number[]));
      const verdict = noisy && id !== baseline ? 'unclear' : intervals.verdict(ratio);
      return [id, { ...ratio, verdict, ...(odds.get(id) as Odds) }];
    }),
  );
  const choice = choose({ logs, comparisons, intervals, delays: delaysOf(generations, plan) });
  const nothing = { recommended: null, asGood: [], higherEventLoopDelay: [], settled: false };
  return { aa, noisy, comparisons, ...choice, ...(noisy ? nothing : {}) };
}

/** What two contestants did in the blocks of a generation: one positive number a block each. */
export interface PairedBlocks {
  readonly values: readonly number[];
  readonly reference: readonly number[];
}

export interface PairPlan {
  /** The most generations that there can be: the interval holds at every look until then. */
  readonly mostGenerations: number;
  /** How many comparisons hold together at 95 %; 1 for one by itself. */
  readonly comparisons: number;
}

export interface PairComparison extends RatioInterval {
  /** `better` is less. */
  readonly verdict: Verdict;
  /** It is the same, or its interval is worth no more time. */
  readonly settled: boolean;
}

/**
 * One contestant's values by another's, by the rules of `compareGenerations`, for contestants that need no ranking.
 *
 * @throws {RangeError} when there is no generation.
 * @example
 * const generation = { values: [20, 21], reference: [10, 10.5] };
 * comparePair(Array(8).fill(generation), { mostGenerations: 8, comparisons: 1 }).verdict; // 'worse'
 */
export function comparePair(
  generations: readonly PairedBlocks[],
  { mostGenerations, comparisons }: PairPlan,
): PairComparison {
  const intervals = new Intervals(generations.length, mostGenerations, comparisons);
  const centres = generations.map(({ values, reference }) => hodgesLehmann(logRatios(values, reference)));
  const ratio = exponential(intervals.ofAll(centres));
  const verdict = intervals.verdict(ratio);
  return { ...ratio, verdict, settled: intervals.canTell && isPrecise(ratio, verdict) };
}

const isPrecise = (ratio: RatioInterval, verdict: Verdict): boolean =>
  verdict === 'same' || halfWidth(ratio) <= PRECISE;

/** The baseline takes two turns in every block: their geometric mean is less noisy than either. */
const bothBaselines = ({ baselineTimes, twinTimes }: Rounds): number[] =>
  baselineTimes.map((time, block) => Math.sqrt(time * itemAt(twinTimes, block)));

const roundsOf = <Id extends string | number>(generation: Generation<Id>, id: Id | 'twin'): Rounds =>
  generation.get(id) as Rounds;

/** Intervals of means over so many generations. */
class Intervals {
  /** Enough generations for a verdict. */
  readonly canTell: boolean;
  readonly #criticalOfAll: number;
  readonly #criticalAlone: number;

  /** @throws {RangeError} when there is no generation. */
  constructor(count: number, mostGenerations: number, comparisons: number) {
    if (count < 1) throw new RangeError('there is no generation to compare');
    this.canTell = count >= FIRST_LOOK;
    const most = Math.max(mostGenerations, count, FIRST_LOOK);
    // Before the first look there is an estimate, and no interval.
    const critical = (alpha: number): number => lookBoundary(most, 1 - alpha)(count);
    this.#criticalAlone = critical(1 - LEVEL);
    this.#criticalOfAll = critical((1 - LEVEL) / Math.max(1, comparisons));
  }

  /** For one comparison by itself. */
  alone(values: readonly number[]): MeanInterval {
    return meanInterval(values, this.#criticalAlone);
  }

  /** For all comparisons together. */
  ofAll(values: readonly number[]): MeanInterval {
    return meanInterval(values, this.#criticalOfAll);
  }

  verdict({ low, high }: RatioInterval): Verdict {
    return this.canTell ? verdictOfInterval({ low: Math.log(low), high: Math.log(high) }) : 'unclear';
  }
}

interface ChoiceInput<Id extends string | number> {
  readonly logs: ReadonlyMap<Id, readonly number[]>;
  readonly comparisons: ReadonlyMap<Id, SizeComparison>;
  readonly intervals: Intervals;
  readonly delays: Delays<Id>;
}

/**
 * Of the contestants that are not shown to be slower than another, nor to delay the event loop more, the first whose expected
 * loss is small enough; when there is none, the one with the least.
 */
function choose<Id extends string | number>(
  input: ChoiceInput<Id>,
): Pick<GenerationsResult<Id>, 'best' | 'recommended' | 'asGood' | 'higherEventLoopDelay' | 'settled'> {
  const { comparisons, intervals } = input;
  const ids = [...comparisons.keys()];
  const of = (id: Id): SizeComparison => comparisons.get(id) as SizeComparison;
  const best = ids.reduce((a, b) => (of(b).ratio < of(a).ratio ? b : a));
  const fast = ids.filter((id) => !ids.some((other) => isSlower(id, other, input)));
  const higherEventLoopDelay = delayedMore(fast, input);
  const asGood = fast.filter((id) => !higherEventLoopDelay.includes(id));
  const chosen =
    asGood.find((id) => of(id).expectedLoss <= ACCEPTED_LOSS) ??
    asGood.reduce((a, b) => (of(b).expectedLoss < of(a).expectedLoss ? b : a));
  const smaller = asGood.slice(0, asGood.indexOf(chosen));
  return {
    best,
    recommended: intervals.canTell ? chosen : null,
    asGood,
    higherEventLoopDelay,
    settled:
      intervals.canTell &&
      of(chosen).expectedLoss <= ACCEPTED_LOSS &&
      of(chosen).chanceSlower <= ACCEPTED_CHANCE &&
      smaller.every((id) => of(id).chanceAccepted <= ACCEPTED_CHANCE) &&
      ids.every((id) => isPrecise(of(id), of(id).verdict)),
  };
}

/** Shown to be slower, by the paired difference or by the two intervals that stand in the table. */
function isSlower<Id extends string | number>(
  id: Id,
  other: Id,
  { logs, comparisons, intervals }: ChoiceInput<Id>,
): boolean {
  if (id === other) return false;
  const own = comparisons.get(id) as RatioInterval;
  const others = comparisons.get(other) as RatioInterval;
  const rows = { ratio: own.ratio / others.ratio, low: own.low / others.high, high: own.high / others.low };
  const paired = exponential(intervals.ofAll(differences(logs.get(id), logs.get(other))));
  return [rows, paired].some((ratio) => intervals.verdict(ratio) === 'worse');
}

const differences = (values: readonly number[] = [], reference: readonly number[] = []): number[] =>
  values.map((value, index) => value - itemAt(reference, index));

interface Delays<Id extends string | number> {
  /** One number a generation: the median over its rounds. */
  readonly of: ReadonlyMap<Id, readonly number[]>;
  /** A smaller difference between two contestants is nothing. */
  readonly margin: number;
}

function delaysOf<Id extends string | number>(
  generations: readonly Generation<Id>[],
  { ids, baseline }: GenerationsPlan<Id>,
): Delays<Id> {
  const medians = (id: Id | 'twin'): number[] =>
    generations.map((generation) => median(roundsOf(generation, id).delays));
  const twins = differences(medians('twin'), medians(baseline)).map(Math.abs);
  return {
    of: new Map(ids.map((id) => [id, medians(id)])),
    margin: Math.max(LEAST_DELAY_MARGIN_MS, quantile(twins, 0.95)),
  };
}

/** Those whose event-loop delay is shown to be higher than that of the calmest among them. */
function delayedMore<Id extends string | number>(
  fast: readonly Id[],
  { delays: { of, margin }, intervals }: ChoiceInput<Id>,
): Id[] {
  const middle = (id: Id): number => median(of.get(id) as readonly number[]);
  const calmest = fast.reduce((a, b) => (middle(b) < middle(a) ? b : a));
  return fast.filter((id) => intervals.ofAll(differences(of.get(id), of.get(calmest))).low > margin);
}
