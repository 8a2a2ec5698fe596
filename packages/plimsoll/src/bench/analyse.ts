import { PlimsollError } from '../errors.js';
import { type AlternatingOutcome, type AlternatingRound, pairedGenerations } from '../lab/alternating.js';
import type { Measurement } from '../lab/messages.js';
import type { RoundResult, SizeResult, WorkloadResult } from '../results/bench.js';
import { compareGenerations, type GenerationsPlan, type GenerationsResult } from '../stats/generations.js';
import type { RatioInterval } from '../stats/mean-interval.js';
import { median } from '../stats/quantile.js';
import type { BenchPlan, ChosenWorkload } from './options.js';
import type { Pilot, RoundsPlan } from './pilot.js';

type Outcome = AlternatingOutcome<Measurement>;
type Round = AlternatingRound<Measurement>;

/** A workload that was measured, with how. */
export interface MeasuredWorkload {
  readonly workload: ChosenWorkload;
  readonly isolated: boolean;
  readonly pilot: Pick<Pilot, 'operations' | 'unloadedLatencyMs'>;
  readonly rounds: RoundsPlan;
  readonly groups: readonly (readonly number[])[];
  readonly outcome: Outcome;
  /** By size, as counted in its processes. */
  readonly observedThreads: ReadonlyMap<number, number | null>;
  readonly disturbances: WorkloadResult['disturbances'];
  readonly seconds: number;
}

/** The result of a workload that could not be measured at all. */
export function failedWorkload(workload: ChosenWorkload, error: PlimsollError): WorkloadResult {
  return { ...unmeasured(workload), failure: failureOf(error) };
}

const failureOf = ({ code, message }: PlimsollError): { code: string; message: string } => ({
  code,
  message,
});

function unmeasured({ name, description, spec }: ChosenWorkload): WorkloadResult {
  return {
    name,
    description,
    operations: null,
    parameters: spec.kind === 'built-in' ? { ...spec.parameters } : {},
    unloadedLatencyMs: null,
    method: null,
    noise: null,
    disturbances: [],
    twinRounds: [],
    sizes: [],
    lost: [],
    ...NOT_RANKED,
    failure: null,
  };
}

/** What the rounds until now say; `null` before there is a complete block. Lost sizes are left out. */
export function compareRounds(
  { rounds, lost }: Pick<Outcome, 'rounds' | 'lost'>,
  { sizes, baseline, seed }: Pick<BenchPlan, 'sizes' | 'baseline' | 'seed'>,
  mostGenerations: number,
): GenerationsResult | null {
  const plan: GenerationsPlan = {
    ids: sizes.filter((size) => !lost.has(size)),
    baseline,
    mostGenerations,
    seed,
  };
  const generations = pairedGenerations(rounds, plan.ids, baseline).map(
    (generation) =>
      new Map(
        [...generation].map(([arm, { own, baseline, twin }]) => [
          arm,
          {
            times: own.map(({ workMs }) => workMs),
            baselineTimes: baseline.map(({ workMs }) => workMs),
            twinTimes: twin.map(({ workMs }) => workMs),
            delays: own.map(({ eventLoopDelayMs }) => eventLoopDelayMs.p99),
          },
        ]),
      ),
  );
  return generations.length === 0 ? null : compareGenerations(generations, plan);
}

/** One size alone is neither better nor worse than anything. */
const NOT_RANKED = {
  best: null,
  recommended: null,
  asGood: [],
  higherEventLoopDelay: [],
  settled: false,
} satisfies Partial<WorkloadResult>;

/** Everything that the rounds of one workload say; every round is kept, only complete blocks are compared. */
export function analyseWorkload(
  measured: MeasuredWorkload,
  options: Pick<BenchPlan, 'sizes' | 'baseline' | 'seed'>,
): WorkloadResult {
  const { workload, pilot, outcome, rounds, groups } = measured;
  const { error, lost } = outcome;
  const result = compareRounds(outcome, options, rounds.mostGenerations);
  const base: WorkloadResult = {
    ...unmeasured(workload),
    operations: pilot.operations,
    unloadedLatencyMs: pilot.unloadedLatencyMs,
    method: {
      mode: measured.isolated ? 'isolated' : 'alternating',
      repetitions: rounds.repetitions,
      blocks: rounds.blocks,
      generations: outcome.generations,
      mostGenerations: rounds.mostGenerations,
      rounds: outcome.rounds.filter(({ arm }) => arm === 'twin').length,
      looks: outcome.looks,
      groups: groups.map((group) => [...group]),
      seconds: measured.seconds,
      stop: outcome.stop,
    },
    disturbances: measured.disturbances,
    twinRounds: outcome.rounds.filter(({ arm }) => arm === 'twin').map(roundResult),
    lost: [...lost].map(([size, reason]) => ({ size, ...failureOf(reason as PlimsollError) })),
    failure: error instanceof PlimsollError ? failureOf(error) : null,
  };
  return result === null ? base : { ...base, ...judged(measured, result) };
}

type Judgement = Pick<
  WorkloadResult,
  'noise' | 'sizes' | 'best' | 'recommended' | 'asGood' | 'higherEventLoopDelay' | 'settled'
>;

function judged({ outcome, observedThreads }: MeasuredWorkload, result: GenerationsResult): Judgement {
  const { aa, noisy, comparisons, best, recommended, asGood, higherEventLoopDelay, settled } = result;
  return {
    noise: { aaRatio: aa.ratio, aaInterval: bounds(aa), noisy },
    sizes: [...comparisons].map(([size, comparison]): SizeResult => {
      const own = outcome.rounds.filter(({ arm }) => arm === size);
      const middle = (pick: (measurement: Measurement) => number): number =>
        median(own.map((round) => pick(round.result)));
      return {
        size,
        observedThreads: observedThreads.get(size) ?? null,
        workMs: middle(({ workMs }) => workMs),
        ratio: comparison.ratio,
        interval: bounds(comparison),
        verdict: comparison.verdict,
        probabilityOfBest: comparison.probabilityOfBest,
        expectedLoss: comparison.expectedLoss,
        chanceSlower: comparison.chanceSlower,
        eventLoopDelayMs: {
          p50: middle(({ eventLoopDelayMs }) => eventLoopDelayMs.p50),
          p99: middle(({ eventLoopDelayMs }) => eventLoopDelayMs.p99),
          max: middle(({ eventLoopDelayMs }) => eventLoopDelayMs.max),
        },
        rounds: own.map(roundResult),
      };
    }),
    ...(comparisons.size === 1
      ? NOT_RANKED
      : { best, recommended, asGood: [...asGood], higherEventLoopDelay: [...higherEventLoopDelay], settled }),
  };
}

/** With too few generations there is an estimate only. */
const bounds = ({ low, high }: RatioInterval): [number, number] | null =>
  Number.isFinite(high) && low > 0 ? [low, high] : null;

function roundResult({ generation, block, order, group, result }: Round): RoundResult {
  const { totalCpuSeconds: _, ...own } = result;
  return { generation, block, order, group, ...own };
}
