import {
  type Block,
  compareGenerations,
  createRandom,
  evenLooks,
  FIRST_LOOK,
  type GenerationsResult,
  halfWidth,
  median,
  type Random,
} from '@plimsoll/lab';
import type { Simulated } from './result.js';

const SIZES = [2, 4, 8];
const BASELINE = 4;
const LAST = 8;
/** Blocks of a generation, and the most generations: what 10 s hold. */
const PLAN = {
  resized: { blocks: 6, most: 6 },
  alternating: { blocks: 3, most: 12 },
} as const;

/** How a machine disturbs rounds, on the log scale. */
export interface World {
  readonly name: string;
  /** `resized`: one process has all sizes, so that processes differ only by how they suit one size better than another. */
  readonly mode: keyof typeof PLAN;
  /** Scale of the skewed noise of a round. */
  readonly spread: number;
  /** Standard deviation of what two processes of the same kind differ by. */
  readonly process: number;
  /** Standard deviation of what a block differs by from the one before: a random walk. */
  readonly drift: number;
  /** Share of the rounds that something makes up to `highest` longer. */
  readonly spikes: number;
  readonly highest: number;
}

const CALM = { spread: 0.02, drift: 0.01, spikes: 0.02, highest: 0.3 };
const DISTURBED = { spread: 0.08, drift: 0.1, spikes: 0.1, highest: 0.7 };

export const WORLDS: readonly World[] = [
  { name: 'calm', mode: 'resized', process: 0.002, ...CALM },
  { name: 'disturbed', mode: 'resized', process: 0.01, ...DISTURBED },
  { name: 'a process for each size, calm', mode: 'alternating', process: 0.005, ...CALM },
  { name: 'a process for each size, disturbed', mode: 'alternating', process: 0.02, ...DISTURBED },
];

/** Suites that are looked at after every generation, and end when they are settled. */
export function simulate(world: World, planted: number, suites: number, seed: number): Simulated {
  const random = createRandom(seed);
  const truth = (size: number): number => (size === LAST ? planted : 1);
  const best = Math.min(1, planted);
  const results = Array.from({ length: suites }, () => suite(world, truth, random));
  const count = (is: (one: GenerationsResult) => boolean): number =>
    results.filter(({ result }) => is(result)).length;
  const ofLast = (one: GenerationsResult) => one.comparisons.get(LAST);
  return {
    world: world.name,
    planted,
    suites,
    wrong: count((one) => isWrong(one, truth)),
    noisy: count(({ noisy }) => noisy),
    found: count((one) => planted !== 1 && ofLast(one)?.verdict === (planted > 1 ? 'worse' : 'better')),
    wronglyRecommended: count(({ recommended }) => recommended !== null && truth(recommended) > 1.05 * best),
    settled: count(({ settled }) => settled),
    meanGenerations: results.reduce((sum, { generations }) => sum + generations, 0) / suites,
    medianHalfWidth: median(results.flatMap(({ result }) => ofLast(result) ?? []).map(halfWidth)),
  };
}

/** A verdict that is not true, or an interval that does not hold the truth. */
const isWrong = ({ comparisons }: GenerationsResult, truth: (size: number) => number): boolean =>
  [...comparisons].some(([size, { verdict, low, high }]) => {
    const ratio = truth(size);
    return (
      (verdict === 'better' && ratio >= 1) ||
      (verdict === 'worse' && ratio <= 1) ||
      (verdict === 'same' && Math.abs(Math.log(ratio)) > Math.log(1.03)) ||
      ratio < low ||
      ratio > high
    );
  });

function suite(
  world: World,
  truth: (size: number) => number,
  random: Random,
): { result: GenerationsResult; generations: number } {
  const generations: Block[][] = [];
  const { most } = PLAN[world.mode];
  const walk = { at: 0 };
  for (;;) {
    generations.push(generation(world, truth, walk, random));
    if (generations.length < FIRST_LOOK) continue;
    const result = compareGenerations(generations, {
      ids: SIZES,
      baseline: BASELINE,
      looks: evenLooks(generations.length, most),
      seed: 1,
    });
    if (result.settled || generations.length === most) return { result, generations: generations.length };
  }
}

function generation(
  world: World,
  truth: (size: number) => number,
  walk: { at: number },
  random: Random,
): Block[] {
  const arms = [...SIZES, 'twin' as const];
  const processes = new Map(arms.map((arm) => [arm, world.process * random.normal()]));
  // The twin is the same size in the same process.
  if (world.mode === 'resized') processes.set('twin', processes.get(BASELINE) as number);
  return Array.from({ length: PLAN[world.mode].blocks }, () => {
    const block = new Map<number | 'twin', { time: number; delay: number }>();
    for (const arm of random.shuffle(arms)) {
      // Within a block too: a round is short against it, and yet not nothing.
      walk.at += (world.drift * random.normal()) / arms.length;
      const skewed = -Math.log(1 - random.next()) - 1;
      const spike = random.next() < world.spikes ? world.highest * random.next() : 0;
      const log = walk.at + (processes.get(arm) as number) + world.spread * skewed + spike;
      block.set(arm, { time: truth(arm === 'twin' ? BASELINE : arm) * Math.exp(log), delay: 1 });
    }
    return block;
  });
}
