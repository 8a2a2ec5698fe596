import { itemAt } from '../collections/item-at.js';
import { FIRST_LOOK, lookBoundary } from '../stats/looks.js';
import { exponential, meanInterval, type RatioInterval } from '../stats/mean-interval.js';
import { LEVEL, type Verdict, verdictOfInterval } from '../stats/paired-comparison.js';
import { ACCEPTED_LOSS, type Odds, posteriorOdds } from '../stats/posterior-odds.js';
import { costsOf } from './costs.js';
import type { JudgePlan, Sample } from './plan.js';
import { failingSizes, overloadedSizes } from './trouble.js';
import type { Arm } from './window.js';

/** What became of a size. `left`: it is out, because it was hopeless. */
export type SizeState = 'living' | 'left' | 'overloaded' | 'failing';

/** What one size costs against the baseline, by the objective; lower is better. */
export interface SizeRanking {
  readonly state: SizeState;
  /** Cost at this size ÷ cost at the baseline, its interval for all sizes and looks together; `null` without a common block. */
  readonly ratio: RatioInterval | null;
  readonly verdict: Verdict;
  /** Blocks, or groups of blocks, that it rests on. */
  readonly blocks: number;
  /** Against the best of all; `null` for what is overloaded or fails, and before there are two common blocks. */
  readonly odds: Odds | null;
}

export interface Ranking {
  readonly living: readonly Arm[];
  readonly settled: boolean;
  readonly noise: (RatioInterval & { readonly noisy: boolean; readonly blocks: number }) | null;
  readonly leading: number | null;
  readonly sizes: ReadonlyMap<number, SizeRanking>;
}

/** A size that is so likely to be more than 10 % slower than another gets no more time. */
const HOPELESS_CHANCE = 0.995;
const ACCEPTED_CHANCE = 0.05;

/** One log cost a block. */
type Logs = ReadonlyMap<number, number>;

export function rank(samples: readonly Sample[], plan: JudgePlan): Ranking {
  return new Contest(samples, plan).ranking();
}

class Contest {
  readonly #plan: JudgePlan;
  readonly #logs: ReadonlyMap<Arm, Logs>;
  readonly #most: number;
  readonly #overloaded: ReadonlySet<number>;
  readonly #failing: ReadonlySet<number>;

  constructor(samples: readonly Sample[], plan: JudgePlan) {
    this.#plan = plan;
    const { of, blocksEach } = costsOf(samples, plan.objective);
    this.#logs = new Map(
      [...of].map(([arm, costs]) => [
        arm,
        new Map([...costs].map(([block, cost]) => [block, Math.log(cost)])),
      ]),
    );
    this.#most = Math.ceil(plan.mostBlocks / blocksEach);
    this.#overloaded = overloadedSizes(samples);
    this.#failing = failingSizes(samples, plan.baseline);
  }

  ranking(): Ranking {
    const { sizes, baseline, left = [] } = this.#plan;
    const noise = this.#noise();
    const able = sizes.filter((size) => !this.#overloaded.has(size) && !this.#failing.has(size));
    const candidates = able.filter((size) => !left.includes(size));
    const odds = this.#odds(candidates);
    const hopeless = candidates.filter(
      (size) => size !== baseline && (odds.get(size)?.chanceHopeless ?? 0) >= HOPELESS_CHANCE,
    );
    const ranked = new Map(
      sizes.map((size): [number, SizeRanking] => {
        const own = odds.get(size) ?? (able.includes(size) ? this.#oddsOfLeft(size, candidates) : null);
        const isOut = left.includes(size) || hopeless.includes(size);
        return [
          size,
          { ...this.#against(size, noise?.noisy ?? false), state: this.#stateOf(size, isOut), odds: own },
        ];
      }),
    );
    const living = sizes.filter((size) => size === baseline || ranked.get(size)?.state === 'living');
    const contenders = candidates.filter((size) => !hopeless.includes(size));
    const { leading, settled } = this.#choose(contenders, ranked);
    const canTell = noise !== null && !noise.noisy;
    return {
      living: [...living, 'twin'],
      noise,
      sizes: ranked,
      leading: canTell ? leading : null,
      settled: canTell && settled,
    };
  }

  #stateOf(size: number, isOut: boolean): SizeState {
    if (this.#overloaded.has(size)) return 'overloaded';
    if (this.#failing.has(size)) return 'failing';
    return isOut ? 'left' : 'living';
  }

  #noise(): Ranking['noise'] {
    const logs = this.#differences('twin', (block) => this.#logs.get(this.#plan.baseline)?.get(block));
    if (logs.length === 0) return null;
    const ratio = exponential(meanInterval(logs, this.#critical(logs.length, 1)));
    const noisy = logs.length >= FIRST_LOOK && ['better', 'worse'].includes(verdictOf(ratio));
    return { ...ratio, noisy, blocks: logs.length };
  }

  #against(size: number, noisy: boolean): Pick<SizeRanking, 'ratio' | 'verdict' | 'blocks'> {
    const { baseline, sizes } = this.#plan;
    const logs =
      size === baseline
        ? [...(this.#logs.get(size)?.values() ?? [])].map(() => 0)
        : this.#differences(size, this.#reference);
    const blocks = logs.length;
    const isComparable = ![size, baseline].some((one) => this.#overloaded.has(one) || this.#failing.has(one));
    if (blocks === 0 || !isComparable) return { ratio: null, verdict: 'unclear', blocks };
    const ratio = exponential(meanInterval(logs, this.#critical(blocks, sizes.length - 1)));
    const canTell = blocks >= FIRST_LOOK && (!noisy || size === baseline);
    return { ratio, verdict: canTell ? verdictOf(ratio) : 'unclear', blocks };
  }

  /** The baseline takes two turns in every block: their geometric mean is less noisy than either. */
  readonly #reference = (block: number): number | undefined => {
    const turns = [this.#plan.baseline, 'twin' as const]
      .map((arm) => this.#logs.get(arm)?.get(block))
      .filter((log) => log !== undefined);
    return turns.length === 0 ? undefined : turns.reduce((sum, log) => sum + log, 0) / turns.length;
  };

  #differences(arm: Arm, reference: (block: number) => number | undefined): number[] {
    return [...(this.#logs.get(arm) ?? [])].flatMap(([block, log]) => {
      const other = reference(block);
      return other === undefined ? [] : [log - other];
    });
  }

  /** How many standard errors an interval of so many blocks goes to either side, at every look. */
  #critical(blocks: number, comparisons: number): number {
    if (blocks < FIRST_LOOK) return Number.POSITIVE_INFINITY;
    const most = LOOKS.find((looks) => looks >= Math.max(this.#most, blocks)) ?? blocks;
    return lookBoundary(most, 1 - (1 - LEVEL) / Math.max(1, comparisons))(blocks);
  }

  /** Sizes in the blocks that all of them have. */
  #common(sizes: readonly number[]): Map<number, number[]> {
    const rows = sizes.map((size) =>
      size === this.#plan.baseline
        ? new Map(
            [...(this.#logs.get(size) ?? [])].map(([block]) => [block, this.#reference(block) as number]),
          )
        : (this.#logs.get(size) ?? new Map<number, number>()),
    );
    const [first = new Map<number, number>(), ...others] = rows;
    const blocks = [...first.keys()].filter((block) => others.every((row) => row.has(block)));
    return new Map(
      sizes.map((size, index) => [size, blocks.map((block) => itemAt(rows, index).get(block) as number)]),
    );
  }

  #odds(sizes: readonly number[]): Map<number, Odds> {
    const common = this.#common(sizes);
    const [first] = common.values();
    return first === undefined || first.length < FIRST_LOOK
      ? new Map()
      : posteriorOdds(common, this.#plan.seed);
  }

  /** In the blocks that it had. */
  #oddsOfLeft(size: number, candidates: readonly number[]): Odds | null {
    return this.#odds([...candidates, size]).get(size) ?? null;
  }

  #choose(
    contenders: readonly number[],
    ranked: ReadonlyMap<number, SizeRanking>,
  ): { leading: number | null; settled: boolean } {
    const known = contenders.filter((size) => ranked.get(size)?.odds != null);
    const of = (size: number): Odds => ranked.get(size)?.odds as Odds;
    const [first] = known;
    if (first === undefined) return { leading: null, settled: false };
    const leading =
      known.find((size) => of(size).expectedLoss <= ACCEPTED_LOSS) ??
      known.reduce((a, b) => (of(b).expectedLoss < of(a).expectedLoss ? b : a));
    const smaller = known.slice(0, known.indexOf(leading));
    const settled =
      of(leading).expectedLoss <= ACCEPTED_LOSS &&
      of(leading).chanceSlower <= ACCEPTED_CHANCE &&
      smaller.every((size) => of(size).chanceAccepted <= ACCEPTED_CHANCE);
    return { leading, settled };
  }
}

/** Boundaries are simulated for so many looks. */
const LOOKS = [8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

const verdictOf = ({ low, high }: RatioInterval): Verdict =>
  verdictOfInterval({ low: Math.log(low), high: Math.log(high) });
