import { blocksOf, type Outcome, type Round } from '../contest/contest.js';
import { PlimsollError } from '../errors.js';
import type { RoundResult, SizeResult, WorkloadResult } from '../results/bench.js';
import { compareGenerations, type GenerationsResult } from '../stats/generations.js';
import { boundsOf } from '../stats/intervals.js';
import { median } from '../stats/quantile.js';
import type { Measurement } from './messages.js';
import type { BenchPlan, ChosenWorkload } from './options.js';
import type { PoolsOutcome } from './pools.js';

type Options = Pick<BenchPlan, 'sizes' | 'baseline' | 'seed'>;
type Failure = NonNullable<WorkloadResult['failure']>;

export const failedWorkload = (workload: ChosenWorkload, error: PlimsollError): WorkloadResult => ({
  ...unmeasured(workload),
  failure: failureOf(error),
});

const failureOf = ({ code, message }: PlimsollError): Failure => ({ code, message });

function unmeasured({ name, description, spec }: ChosenWorkload): WorkloadResult {
  return {
    ...{ name, description, operations: null },
    parameters: spec.kind === 'built-in' ? { ...spec.parameters } : {},
    ...{ unloadedLatencyMs: null, method: null, noise: null, disturbances: [], twinRounds: [] },
    ...{ sizes: [], lost: [], ...NOT_RANKED, failure: null },
  };
}

/** What the rounds until now say; `null` before each size that is not lost was in a block. */
export function compareRounds(
  { rounds, lost, looks }: Pick<Outcome<Measurement>, 'rounds' | 'lost' | 'looks'>,
  { sizes, baseline, seed }: Options,
): GenerationsResult | null {
  const generations = blocksOf(rounds, ({ workMs, eventLoopDelayMs }) => ({
    time: workMs,
    delay: eventLoopDelayMs.p99,
  }));
  const blocks = generations.flat().filter((block) => block.has('twin') && block.has(baseline));
  const ids = sizes.filter((size) => !lost.has(size) && blocks.some((block) => block.has(size)));
  return blocks.length === 0 ? null : compareGenerations(generations, { ids, baseline, looks, seed });
}

/** One size alone is neither better nor worse than anything. */
const NOT_RANKED: Pick<WorkloadResult, 'recommended' | 'asGood' | 'higherEventLoopDelay' | 'settled'> = {
  ...{ recommended: null, asGood: [], higherEventLoopDelay: [], settled: false },
};

/** Everything that the rounds of one workload say; every round is kept, only complete blocks are compared. */
export function analyseWorkload(
  workload: ChosenWorkload,
  measured: PoolsOutcome<number>,
  options: Options,
): WorkloadResult {
  const { mode, fixed, operations, unloadedLatencyMs, rounds: fit, outcome, seconds } = measured;
  const { error, lost, rounds, generations, looks, stop, disturbances } = outcome;
  const result = compareRounds(outcome, options);
  const twinRounds = rounds.filter(({ arm }) => arm === 'twin').map(roundResult);
  const { repetitions, blocks, mostGenerations } = fit;
  return {
    ...unmeasured(workload),
    ...{ operations, unloadedLatencyMs, twinRounds },
    method: {
      ...{ mode, fixed, repetitions, blocks, generations, mostGenerations },
      ...{ rounds: twinRounds.length, shares: [...looks], seconds, stop },
    },
    disturbances: disturbances.map((disturbance) => ({ ...disturbance })),
    lost: [...lost].map(([size, reason]) => ({ size, ...failureOf(reason as PlimsollError) })),
    failure: error instanceof PlimsollError ? failureOf(error) : null,
    ...(result === null ? {} : judged(rounds, result)),
  };
}

function judged(rounds: readonly Round<Measurement>[], result: GenerationsResult): Partial<WorkloadResult> {
  const { aa, noisy, comparisons, recommended, asGood, higherEventLoopDelay, settled } = result;
  return {
    noise: { aaRatio: aa.ratio, aaInterval: boundsOf(aa), noisy },
    sizes: [...comparisons].map(([size, comparison]): SizeResult => {
      const { ratio, verdict, expectedLoss, chanceSlower } = comparison;
      const ofSize = rounds.filter(({ arm }) => arm === size);
      const middle = (pick: (measurement: Measurement) => number): number =>
        median(ofSize.map(({ result: measured }) => pick(measured)));
      const delay = (part: keyof Measurement['eventLoopDelayMs']): number =>
        middle(({ eventLoopDelayMs }) => eventLoopDelayMs[part]);
      return {
        size,
        observedThreads: ofSize.at(-1)?.result.observedThreads ?? null,
        workMs: middle(({ workMs }) => workMs),
        ...{ ratio, interval: boundsOf(comparison), verdict, expectedLoss, chanceSlower },
        eventLoopDelayMs: { p50: delay('p50'), p99: delay('p99'), max: delay('max') },
        rounds: ofSize.map(roundResult),
      };
    }),
    ...(comparisons.size === 1
      ? NOT_RANKED
      : { recommended, asGood: [...asGood], higherEventLoopDelay: [...higherEventLoopDelay], settled }),
  };
}

function roundResult({ generation, block, order, result }: Round<Measurement>): RoundResult {
  const { totalCpuSeconds: _, observedThreads: __, ...figures } = result;
  return { generation, block, order, ...figures };
}
