import { itemAt } from '../collections/item-at.js';
import { PlimsollError } from '../errors.js';
import type { Arm } from '../lab/block-order.js';
import { type BlockRun, type BlocksOutcome, completeBlocks } from '../lab/blocks.js';
import type { Measurement } from '../lab/messages.js';
import type { NoiseResult, RunResult, SizeResult, WorkloadResult } from '../results/bench.js';
import { type Comparison, comparePaired, type Noise } from '../stats/paired-comparison.js';
import { median } from '../stats/quantile.js';
import { probabilityOfBest, rankSizes } from '../stats/ranking.js';
import type { Interval } from '../stats/signed-rank.js';
import type { BenchPlan, ChosenWorkload } from './options.js';

type Runs = readonly BlockRun<Measurement>[];

/** The result of a workload that could not be measured at all. */
export function failedWorkload(workload: ChosenWorkload, error: PlimsollError): WorkloadResult {
  return { ...unmeasured(workload), failure: { code: error.code, message: error.message } };
}

function unmeasured({ name, description, spec }: ChosenWorkload): WorkloadResult {
  return {
    name,
    description,
    operations: null,
    parameters: spec.kind === 'built-in' ? { ...spec.parameters } : {},
    rounds: null,
    blocks: 0,
    repeatedBlocks: 0,
    noise: null,
    twinRuns: [],
    sizes: [],
    ...NOT_RANKED,
    failure: null,
  };
}

/** Everything that the runs of one workload say; every run is kept, only complete blocks are analysed. */
export function analyseWorkload(input: {
  workload: ChosenWorkload;
  /** Measured rounds of each run. */
  rounds: number;
  outcome: BlocksOutcome<Measurement>;
  options: Pick<BenchPlan, 'sizes' | 'baseline' | 'seed'>;
}): WorkloadResult {
  const { workload, rounds, outcome, options } = input;
  const { runs, repeatedBlocks, error } = outcome;
  const complete = completeBlocks(outcome, options.sizes);
  const blocks = complete.get('twin')?.length ?? 0;
  const base: WorkloadResult = {
    ...unmeasured(workload),
    operations: runs[0]?.result.operations ?? null,
    rounds,
    repeatedBlocks,
    twinRuns: runs.filter(({ arm }) => arm === 'twin').map(runResult),
    failure: error instanceof PlimsollError ? { code: error.code, message: error.message } : null,
  };
  return blocks === 0 ? base : { ...base, blocks, ...judge(complete, runs, options) };
}

/** What the complete blocks say. */
function judge(
  complete: ReadonlyMap<Arm, Runs>,
  runs: Runs,
  { sizes, baseline, seed }: Pick<BenchPlan, 'sizes' | 'baseline' | 'seed'>,
): Pick<
  WorkloadResult,
  'noise' | 'sizes' | 'best' | 'recommended' | 'asGood' | 'higherEventLoopDelay' | 'confidence'
> {
  const of = (arm: Arm): Runs => complete.get(arm) as Runs;
  const times = (arm: Arm): number[] => of(arm).map(({ result }) => result.roundMs);
  const delays = (arm: Arm): number[] => of(arm).map(({ result }) => result.eventLoopDelayMs.p99);

  const others = new Map(sizes.filter((size) => size !== baseline).map((size) => [size, times(size)]));
  const { noise, comparisons } = comparePaired({ baseline: times(baseline), twin: times('twin'), others });
  const chances = probabilityOfBest(new Map(sizes.map((size) => [size, times(size)])), seed);
  const twinDelays = delays('twin');
  const ranking = rankSizes(
    sizes.map((size) => ({ size, times: times(size), delays: delays(size) })),
    noise,
    delays(baseline).map((delay, block) => [delay, itemAt(twinDelays, block)] as const),
  );
  return {
    noise: noiseResult(noise),
    sizes: sizes.map((size) =>
      sizeResult(
        size,
        of(size),
        runs.filter(({ arm }) => arm === size),
        comparisons.get(size) ?? itself(noise.aaInterval.level),
        chances.get(size) as number,
      ),
    ),
    ...(others.size === 0 ? NOT_RANKED : ranking),
  };
}

/** One size alone is neither better nor worse than anything. */
const NOT_RANKED = {
  best: null,
  recommended: null,
  asGood: [],
  higherEventLoopDelay: [],
  confidence: null,
} satisfies Partial<WorkloadResult>;

/** The baseline against itself. */
const itself = (level: number): Comparison => ({
  ratio: 1,
  interval: { low: 1, high: 1, level },
  p: 1,
  verdict: 'same',
  blocksToResolve: null,
});

function sizeResult(
  size: number,
  used: Runs,
  all: Runs,
  comparison: Comparison,
  probability: number,
): SizeResult {
  const middle = (pick: (measurement: Measurement) => number): number =>
    median(used.map(({ result }) => pick(result)));
  return {
    size,
    observedThreads: used[0]?.result.observedThreads ?? null,
    roundMs: middle(({ roundMs }) => roundMs),
    ratio: comparison.ratio,
    interval: bounds(comparison.interval),
    level: comparison.interval.level,
    p: comparison.p,
    verdict: comparison.verdict,
    blocksToResolve: comparison.blocksToResolve,
    probabilityOfBest: probability,
    eventLoopDelayMs: {
      p50: middle(({ eventLoopDelayMs }) => eventLoopDelayMs.p50),
      p99: middle(({ eventLoopDelayMs }) => eventLoopDelayMs.p99),
      max: middle(({ eventLoopDelayMs }) => eventLoopDelayMs.max),
    },
    runs: all.map(runResult),
  };
}

function runResult({ block, order, result, disturbances, superseded }: BlockRun<Measurement>): RunResult {
  return {
    block,
    order,
    observedThreads: result.observedThreads,
    roundMs: result.roundMs,
    opsPerSecond: result.opsPerSecond,
    latencyMs: result.latencyMs,
    cpuSeconds: result.cpuSeconds,
    maxRssBytes: result.maxRssBytes,
    eventLoopDelayMs: result.eventLoopDelayMs,
    unloadedLatencyMs: result.unloadedLatencyMs,
    disturbances: result.steady === false ? [...disturbances, 'not-steady'] : disturbances,
    superseded,
  };
}

const bounds = ({ low, high }: Interval): [number, number] => [low, high];

export const noiseResult = ({ aaRatio, aaInterval, threshold, noisy }: Noise): NoiseResult => ({
  aaRatio,
  aaInterval: bounds(aaInterval),
  threshold,
  noisy,
});
