import { captureEnvironment } from '#plimsoll/host/environment.js';
import { tuneResultOf } from '#plimsoll/report/findings/tune.js';
import { type TuneResult, tuneSchema } from '#plimsoll/results/tune.js';
import { createRandom, type Random } from '#plimsoll/stats/random.js';
import { answer, type TuneFacts } from '#plimsoll/tune/answer.js';
import { type Judgement, judge } from '#plimsoll/tune/judge.js';
import type { Arm, JudgePlan, Objective, Sample, Window } from '#plimsoll/tune/sample.js';

/** A server that is made up: what is true of it, and how noisy it is to measure. */
export interface World {
  readonly sizes: readonly number[];
  readonly baseline?: number;
  readonly objective?: Objective;
  /** Mean latency of a size, against that of the baseline; 1 where nothing is said. */
  readonly cost?: (size: number) => number;
  /** The baseline's second turn is off by this factor. */
  readonly twin?: number;
  /** Standard deviations, as logarithms: of a window, and of what all windows of a block have in common. */
  readonly noise?: number;
  readonly drift?: number;
  readonly requests?: number;
  readonly blocks: number;
  /** Change a window before it is judged. */
  readonly change?: (window: Window, random: Random) => Window;
}

export interface Simulated {
  readonly windows: Window[];
  readonly judgement: Judgement;
  readonly plan: JudgePlan;
  readonly blocks: number;
}

/** A contest: block after block until the judge knows, or the blocks are over. */
export function contest(world: World, seed: number): Simulated {
  const { sizes, baseline = 4, objective = 'mean', blocks } = world;
  const random = createRandom(seed);
  const windows: Window[] = [];
  const left: number[] = [];
  const plan: JudgePlan = { sizes, baseline, objective, mostBlocks: blocks, seed: 1, left };
  let living: readonly Arm[] = [...sizes, 'twin'];
  let judgement: Judgement | null = null;
  for (let block = 0; block < blocks; block++) {
    const common = (world.drift ?? 0) * random.normal();
    for (const [order, arm] of random.shuffle(living).entries())
      windows.push(windowOf(world, { block, order, arm }, common, random));
    judgement = judge(windows, plan);
    left.push(...sizes.filter((size) => living.includes(size) && !judgement?.living.includes(size)));
    living = judgement.living;
    if (judgement.settled) return { windows, judgement, plan, blocks: block + 1 };
  }
  return { windows, judgement: judgement as Judgement, plan, blocks };
}

const MEAN_MS = 20;

function windowOf(
  world: World,
  place: Pick<Window, 'block' | 'order' | 'arm'>,
  common: number,
  random: Random,
): Window {
  const { baseline = 4, requests = 100, noise = 0.05 } = world;
  const size = place.arm === 'twin' ? baseline : place.arm;
  const off = place.arm === 'twin' ? (world.twin ?? 1) : 1;
  const mean = MEAN_MS * (world.cost?.(size) ?? 1) * off * Math.exp(common + noise * random.normal());
  // Twenty clients that wait for their answers.
  const seconds = (requests * mean) / 1000 / 20;
  const latencies = Array.from({ length: requests }, () => mean * Math.exp(0.3 * random.normal() - 0.045));
  const window: Window = {
    ...place,
    size,
    seconds,
    completed: requests,
    routes: new Map([['GET /', latencies]]),
    failed: 0,
    unfinished: 0,
    inFlightGrowth: 0,
    loopDelayMs: { mean: 0.5, p99: 2 + 0.2 * random.normal() },
    cpuCores: 1.5,
    machineBusyCores: 1.8,
    queueWaitMs: { fast: 1, slow: 2 },
    busyThreads: Math.min(size, 8),
    disturbed: false,
  };
  return world.change?.(window, random) ?? window;
}

/** What is told of how it was measured. */
export const FACTS: TuneFacts = {
  environment: captureEnvironment({ directory: import.meta.dirname }),
  command: ['node', 'server.js'],
  pid: null,
  method: {
    ...{ mode: 'live', timeMs: 60_000, traffic: '/login', resizing: 'parking', processes: 1 },
    ...{ startedAt: '2026-11-26T12:00:00.000Z', seconds: 30, stop: 'settled' },
  },
  notes: [],
};
/** What a contest comes to; it is checked against the schema. */
export function resultOf(world: Partial<World>, facts: Partial<TuneFacts> = {}): TuneResult {
  const { windows, plan } = contest({ sizes: [1, 4, 16], noise: 0.03, blocks: 14, ...world }, 3);
  return resultOfSamples(windows, plan, facts);
}

export const resultOfSamples = (
  samples: readonly Sample[],
  plan: JudgePlan,
  facts: Partial<TuneFacts> = {},
): TuneResult =>
  tuneSchema.parse(JSON.parse(JSON.stringify(tuneResultOf(answer(samples, plan, { ...FACTS, ...facts })))));
