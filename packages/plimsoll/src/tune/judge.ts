import { itemAt } from '../collections/item-at.js';
import { mean } from '../collections/sum.js';
import {
  EQUAL_WITHIN,
  exponential,
  halfWidth,
  isShown,
  LEVEL,
  type MeanInterval,
  meanInterval,
  type RatioInterval,
  type Verdict,
  verdictOfInterval,
  verdictOfRatio,
} from '../stats/intervals.js';
import { FIRST_LOOK, lookBoundary } from '../stats/looks.js';
import { ACCEPTED_LOSS, type Odds, posteriorOdds } from '../stats/posterior-odds.js';
import { studentCritical } from '../stats/student-t.js';
import { bothTurns, type Costs, differences, logCosts, requestsUnderWay } from './costs.js';
import { type Arm, comparedWindows, type JudgePlan, type Sample } from './sample.js';
import { type Trouble, troublesOf } from './trouble.js';

export interface SizeRanking {
  readonly state: 'living' | 'left' | Trouble;
  /** Cost at this size ÷ cost at the baseline; its interval holds for all sizes and looks together. `null`: no block in common. */
  readonly ratio: RatioInterval | null;
  readonly verdict: Verdict;
  readonly blocks: number;
  /** Against the best of all; `null` for what is overloaded or fails, and before there are four common blocks. */
  readonly odds: Odds | null;
}

type Ranking = ReadonlyMap<number, SizeRanking>;

export interface Judgement {
  readonly living: readonly Arm[];
  readonly settled: boolean;
  readonly twin: (RatioInterval & { readonly blocks: number }) | null;
  readonly noisy: boolean;
  readonly leading: number | null;
  readonly confidence: 'sure' | 'likely' | 'cannot tell';
  readonly noDifference: boolean;
  readonly idle: boolean;
  readonly sizes: Ranking;
}

/** A size that is so likely to be more than 10 % worse than another gets no more time. */
const HOPELESS_CHANCE = 0.999;
/** A recommendation that is wrong (more than 5 % worse than the best) with a smaller chance is sure, or likely. */
const SURE_CHANCE = 0.05;
const LIKELY_CHANCE = 0.25;
/** To stop as soon as the chance is small picks the luckiest moment: it has to be smaller then. */
const STOP_CHANCE = 0.02;
/** An interval this narrow (±5 %) is worth no more time. */
const PRECISE = 0.05;
/** Fewer blocks than these are a coincidence. */
const LEAST_BLOCKS = 6;
/** A baseline that seems to differ from itself by more leaves no one sure. */
const TWIN_MARGIN = 0.05;
/** Sizes that seem to differ from the baseline by less may be all the same. */
const IDLE_MARGIN = 0.1;
/** Busy threads, and their share of the requests under way: with less, work of the pool cannot be what takes the time. */
const HARDLY_BUSY = 0.05;
/** Boundaries are simulated for so many looks. */
const LOOKS = [8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/**
 * Which sizes go on, and whether the answer is known. Pure: ask it after each complete block with all samples until now.
 *
 * Within a block all arms share what the machine did, so the logarithms of their costs are compared there, with both turns of the
 * baseline. Over blocks, Student's t gives intervals, which hold for all sizes and at all looks (`lookBoundary`), and the odds of
 * being the best or nearly so (`posteriorOdds`). A size that left keeps the blocks it had.
 */
export const judge = (samples: readonly Sample[], plan: JudgePlan): Judgement =>
  new Trial(samples, plan).judgement();

class Trial {
  readonly #samples: readonly Sample[];
  readonly #plan: JudgePlan;
  readonly #logs: Costs['of'];
  readonly #blocksEach: number;
  readonly #reference: (block: number) => number | undefined;
  readonly #troubles: ReadonlyMap<number, Trouble>;

  constructor(samples: readonly Sample[], plan: JudgePlan) {
    [this.#samples, this.#plan] = [samples, plan];
    ({ of: this.#logs, blocksEach: this.#blocksEach } = logCosts(samples, plan.objective));
    this.#reference = bothTurns(this.#logs, plan.baseline);
    this.#troubles = troublesOf(samples, plan.baseline);
  }

  judgement(): Judgement {
    const { sizes, baseline, left = [] } = this.#plan;
    const twin = this.#twin();
    const noisy = twin !== null && twin.blocks >= FIRST_LOOK && isShown(verdictOfRatio(twin));
    const able = sizes.filter((size) => !this.#troubles.has(size));
    const candidates = able.filter((size) => !left.includes(size));
    const odds = this.#odds(candidates);
    const isHopeless = (size: number): boolean =>
      size !== baseline && !noisy && (odds.get(size)?.chanceHopeless ?? 0) >= HOPELESS_CHANCE;
    const contenders = candidates.filter((size) => !isHopeless(size));
    const rankingOf = (size: number): SizeRanking => {
      const isOut = left.includes(size) || isHopeless(size);
      const isAbleNoMore = left.includes(size) && able.includes(size);
      const known = isAbleNoMore ? this.#odds([...candidates, size]) : odds;
      const state = this.#troubles.get(size) ?? (isOut ? 'left' : 'living');
      return { ...this.#against(size, noisy, isOut), state, odds: known.get(size) ?? null };
    };
    const ranking: Ranking = new Map(sizes.map((size) => [size, rankingOf(size)]));
    const good = contenders.filter(
      (size) => odds.has(size) && !contenders.some((rival) => this.#isSlower(size, rival)),
    );
    const noDifference = able.length === sizes.length && sizes.every((size) => isSame(ranking.get(size)));
    const isTwinAlike = isWithin(twin, TWIN_MARGIN);
    const choice =
      noDifference && isTwinAlike && good.length > 0
        ? ({ leading: baseline, confidence: 'sure', settled: true } as const)
        : this.#choose(good, ranking, isTwinAlike);
    const idle = this.#hardlyUsesPool() && nothingShown(ranking);
    const blocks = (twin?.blocks ?? 0) * this.#blocksEach;
    const canTell = !noisy && blocks >= FIRST_LOOK && choice !== null;
    return {
      living: [...sizes.filter((size) => size === baseline || contenders.includes(size)), 'twin'],
      ...{ twin, noisy, noDifference, idle, sizes: ranking },
      ...(canTell && choice.confidence !== 'cannot tell'
        ? { leading: choice.leading, confidence: choice.confidence }
        : { leading: null, confidence: 'cannot tell' }),
      settled: canTell && blocks >= LEAST_BLOCKS && (choice.settled || idle),
    };
  }

  #twin(): Judgement['twin'] {
    const baseline = this.#logs.get(this.#plan.baseline);
    const logs = differences(this.#logs, 'twin', (block) => baseline?.get(block));
    return logs.length === 0 ? null : { ...exponential(this.#interval(logs, 1)), blocks: logs.length };
  }

  #against(size: number, noisy: boolean, isOut: boolean): Pick<SizeRanking, 'ratio' | 'verdict' | 'blocks'> {
    const { baseline, sizes } = this.#plan;
    const blocks = this.#logs.get(size)?.size ?? 0;
    if (size === baseline) return { ratio: { ratio: 1, low: 1, high: 1 }, verdict: 'same', blocks };
    const logs = differences(this.#logs, size, this.#reference);
    const isComparable = !this.#troubles.has(size) && !this.#troubles.has(baseline);
    if (logs.length === 0 || !isComparable) return { ratio: null, verdict: 'unclear', blocks };
    const hasLooked = logs.length >= FIRST_LOOK;
    // Nobody will look again at one that left.
    const alpha = (1 - LEVEL) / (sizes.length - 1);
    const interval =
      isOut && hasLooked
        ? meanInterval(logs, studentCritical(alpha, logs.length - 1))
        : this.#interval(logs, sizes.length - 1);
    const ratio = exponential(interval);
    return { ratio, verdict: hasLooked && !noisy ? verdictOfRatio(ratio) : 'unclear', blocks: logs.length };
  }

  /** It holds for so many comparisons, and at every look. */
  #interval(logs: readonly number[], comparisons: number): MeanInterval {
    if (logs.length < FIRST_LOOK) return meanInterval(logs, Number.POSITIVE_INFINITY);
    const wanted = Math.max(Math.ceil(this.#plan.mostBlocks / this.#blocksEach), logs.length);
    const most = LOOKS.find((looks) => looks >= wanted) ?? logs.length;
    return meanInterval(logs, lookBoundary(most, 1 - (1 - LEVEL) / comparisons)(logs.length));
  }

  /** The logarithms of some sizes in the blocks that all of them have. */
  #common(sizes: readonly number[]): Map<number, number[]> {
    const rows = sizes.map((size) => this.#logs.get(size) ?? new Map<number, number>());
    const blocks = [...(rows[0]?.keys() ?? [])].filter((block) => rows.every((row) => row.has(block)));
    const logOf = (size: number, block: number): number | undefined =>
      size === this.#plan.baseline ? this.#reference(block) : this.#logs.get(size)?.get(block);
    return new Map(sizes.map((size) => [size, blocks.map((block) => logOf(size, block) as number)]));
  }

  #odds(sizes: readonly number[]): Map<number, Odds> {
    const common = this.#common(sizes);
    const [first = []] = common.values();
    return first.length < FIRST_LOOK ? new Map() : posteriorOdds(common, this.#plan.seed);
  }

  #isSlower(size: number, rival: number): boolean {
    if (size === rival) return false;
    const [logs = [], rivals = []] = this.#common([size, rival]).values();
    if (logs.length < FIRST_LOOK) return false;
    const gaps = logs.map((log, index) => log - itemAt(rivals, index));
    return verdictOfInterval(this.#interval(gaps, this.#plan.sizes.length - 1)) === 'worse';
  }

  /** By Little's law, so many requests were under way that busy threads are hardly any of their time. */
  #hardlyUsesPool(): boolean {
    const windows = comparedWindows(this.#samples);
    const busy = windows.flatMap(({ busyThreads }) => busyThreads ?? []);
    return busy.length > 0 && mean(busy) < HARDLY_BUSY * Math.min(1, mean(windows.map(requestsUnderWay)));
  }

  /**
   * The smallest size that is expected to lose at most 2 % against the best. Where that is not sure, the baseline stays unless it
   * is expected to lose more, and the size must be shown to be better: nobody should change a setting for a guess.
   */
  #choose(
    good: readonly number[],
    ranking: Ranking,
    isTwinAlike: boolean,
  ): (Pick<Judgement, 'confidence' | 'settled'> & { leading: number }) | null {
    const of = (size: number): Odds => ranking.get(size)?.odds as Odds;
    const isAccepted = (size: number): boolean => of(size).expectedLoss <= ACCEPTED_LOSS;
    const isSure = (size: number): boolean =>
      isTwinAlike && isAccepted(size) && of(size).chanceSlower <= SURE_CHANCE;
    const { baseline } = this.#plan;
    const [best] = good.toSorted((a, b) => of(a).expectedLoss - of(b).expectedLoss);
    const smallest = good.find(isAccepted) ?? best;
    if (smallest === undefined) return null;
    if (isSure(smallest)) {
      const smaller = good.slice(0, good.indexOf(smallest));
      const settled =
        of(smallest).chanceSlower <= STOP_CHANCE &&
        smaller.every((size) => of(size).chanceAccepted <= SURE_CHANCE) &&
        isPrecise(ranking.get(smallest) as SizeRanking);
      return { leading: smallest, confidence: 'sure', settled };
    }
    const keeps = good.includes(baseline) && isAccepted(baseline);
    const leading = keeps ? baseline : smallest;
    if (isSure(leading)) return { leading, confidence: 'sure', settled: false };
    // Which of several is the best may be open while it is known that this one beats the baseline: to keep that would be worse.
    const isBetter = ranking.get(smallest)?.verdict === 'better';
    const isGood = of(leading).chanceSlower <= LIKELY_CHANCE;
    const isLikely = keeps ? isGood : isBetter || (isGood && !good.includes(baseline));
    return { leading, confidence: isLikely ? 'likely' : 'cannot tell', settled: false };
  }
}

const isPrecise = ({ ratio, verdict }: SizeRanking): boolean =>
  verdict !== 'unclear' || (ratio !== null && halfWidth(ratio) <= PRECISE);

const isWithin = (ratio: RatioInterval | null, share: number): boolean =>
  ratio !== null && Math.abs(Math.log(ratio.ratio)) <= Math.log1p(share);

/** No size is shown to differ from the baseline, nor seems to by much. */
const nothingShown = (ranking: Ranking): boolean =>
  [...ranking.values()].every(
    ({ state, ratio, verdict }) => state === 'living' && !isShown(verdict) && isWithin(ratio, IDLE_MARGIN),
  );

/** Within 3 % of the baseline, and hardly likely to be a bad choice. */
const isSame = (size: SizeRanking | undefined): boolean =>
  size?.odds != null &&
  isWithin(size.ratio, EQUAL_WITHIN) &&
  size.odds.expectedLoss <= ACCEPTED_LOSS &&
  size.odds.chanceSlower <= SURE_CHANCE;
