import type { Machine } from '../model/machine.js';
import { type Measures, measure } from '../model/measures.js';
import { resample } from '../model/resample.js';
import { simulate } from '../model/simulate.js';
import type { Devices, Workload } from '../model/workload.js';
import type { PredictedMeasures, Prediction } from '../results/advice.js';
import { quantile } from '../stats/quantile.js';
import { createRandom } from '../stats/random.js';

export interface Setting {
  readonly workload: Workload;
  readonly machine: Machine;
  /** What was seen to be served at a time of what jobs were blocked on. */
  readonly devices: Devices;
  /** Observed ÷ predicted at the size of the recording; 1 where nothing can be compared. */
  readonly discrepancy: Measures | null;
}

export interface Predicted {
  readonly predictions: readonly Prediction[];
  /** For each run as it might have been, what every size came to in it, in the order of the sizes. */
  readonly resamples: readonly (readonly PredictedMeasures[])[];
}

/** Jobs that may be simulated in all; more would keep people waiting. */
const MOST_JOBS = 1_500_000;
const MOST_RESAMPLES = 16;
const LEAST_RESAMPLES = 2;
/** Runs with other chances, whose mean is the prediction. */
const MOST_CHANCES = 5;
/** No machine is equally fast twice: each resample's CPU times are multiplied by something up to this much from 1. */
const SPEED_SPREAD = 0.1;
const BAND = 0.05;
const LOOKS = 400;
/** What a thread of the pool is resident with once it has run, in bytes (measured on Node 20 to 26: docs/model.md). */
const THREAD_BYTES = 8192;

/**
 * Predict what pool sizes come to. The prediction is the mean of runs with other chances; its band holds what resampled runs
 * came to, what the pessimistic bound says, and how far the simulation of the recorded run was from that run.
 */
export function predictSizes(setting: Setting, sizes: readonly number[], seed: number): Predicted {
  const { workload } = setting;
  const perRound = workload.count * sizes.length;
  const rounds = Math.floor(MOST_JOBS / perRound);
  const chances = Math.min(MOST_CHANCES, Math.max(1, Math.floor(rounds / 4)));
  const count = Math.min(MOST_RESAMPLES, Math.max(LEAST_RESAMPLES, rounds - 2 * chances));
  const isBlocked = workload.blockedMs.some((blocked) => blocked > 0);
  const random = createRandom(seed);
  const runs = Array.from({ length: count }, (_, index) => ({
    work: atSpeed(resample(workload, random), 1 + SPEED_SPREAD * (2 * random.next() - 1)),
    seed: seed + MOST_CHANCES + index,
  }));
  const resamples = runs.map((run) =>
    sizes.map((size) => outcome(run.work, setting.machine, size, run.seed, null)),
  );
  const predictions = sizes.map((size, column): Prediction => {
    const centre = average(
      Array.from({ length: chances }, (_, chance) =>
        outcome(workload, setting.machine, size, seed + chance, null),
      ),
    );
    const pessimistic = isBlocked ? outcome(workload, setting.machine, size, seed, setting.devices) : null;
    const seen = resamples.map((row) => row[column] as PredictedMeasures);
    return { size, ...centre, ...band(centre, pessimistic, seen, setting.discrepancy), pessimistic };
  });
  return { predictions, resamples };
}

function outcome(
  work: Workload,
  machine: Machine,
  size: number,
  seed: number,
  devices: Devices | null,
): PredictedMeasures {
  const passage = simulate(work, {
    size,
    machine,
    seed,
    lookMs: lookMs(work),
    ...(devices === null ? {} : { devices }),
  });
  const threads = size * work.processes;
  return { ...measure(passage, threads), memoryBytes: threads * THREAD_BYTES };
}

/** Between two looks at an event loop: some hundred in a run, whether its jobs come at once or spread over minutes. */
function lookMs({ atMs, parent, cpuMs, blockedMs }: Workload): number {
  let last = 0;
  let first = Number.POSITIVE_INFINITY;
  let work = 0;
  for (const [job, at] of atMs.entries()) {
    work += (cpuMs[job] as number) + (blockedMs[job] as number);
    if (parent[job] !== -1) continue;
    first = Math.min(first, at);
    last = Math.max(last, at);
  }
  return Math.max(1, Math.max(last - first, work / 64) / LOOKS);
}

const atSpeed = (work: Workload, factor: number): Workload => ({
  ...work,
  cpuMs: work.cpuMs.map((cpu) => cpu * factor),
  beforeMs: work.beforeMs.map((cpu) => cpu * factor),
  afterMs: work.afterMs.map((cpu) => cpu * factor),
});

type Combine = (values: readonly number[]) => number;

const average = (all: readonly PredictedMeasures[]): PredictedMeasures =>
  combine(all, (values) => values.reduce((sum, value) => sum + value, 0) / values.length);

function band(
  centre: PredictedMeasures,
  pessimistic: PredictedMeasures | null,
  seen: readonly PredictedMeasures[],
  discrepancy: Measures | null,
): { low: PredictedMeasures; high: PredictedMeasures } {
  const bounds = pessimistic === null ? [centre] : [centre, pessimistic];
  const near = combine(bounds, (values) => Math.min(...values));
  const far = combine(bounds, (values) => Math.max(...values));
  const low = combine([near, combine(seen, (values) => quantile(values, BAND))], (values) =>
    Math.min(...values),
  );
  const high = combine([far, combine(seen, (values) => quantile(values, 1 - BAND))], (values) =>
    Math.max(...values),
  );
  if (discrepancy === null) return { low, high };
  const ratio = { ...discrepancy, memoryBytes: 1 };
  return {
    low: combine([low, ratio], ([value = 0, factor = 1]) => value * Math.min(1, factor)),
    high: limited(combine([high, ratio], ([value = 0, factor = 1]) => value * Math.max(1, factor))),
  };
}

const limited = (measures: PredictedMeasures): PredictedMeasures => ({
  ...measures,
  utilization: Math.min(1, measures.utilization),
});

/** Combine measures figure by figure. */
export function combine(all: readonly PredictedMeasures[], how: Combine): PredictedMeasures {
  const of = (pick: (measures: PredictedMeasures) => number): number => how(all.map(pick));
  return {
    queueWaitMs: { mean: of((m) => m.queueWaitMs.mean), p99: of((m) => m.queueWaitMs.p99) },
    latencyMs: {
      mean: of((m) => m.latencyMs.mean),
      p50: of((m) => m.latencyMs.p50),
      p95: of((m) => m.latencyMs.p95),
      p99: of((m) => m.latencyMs.p99),
    },
    makespanMs: of((m) => m.makespanMs),
    throughput: of((m) => m.throughput),
    utilization: of((m) => m.utilization),
    eventLoopDelayMs: { p99: of((m) => m.eventLoopDelayMs.p99) },
    memoryBytes: Math.round(of((m) => m.memoryBytes)),
  };
}

/**
 * How far the simulation of the recorded run is from that run: observed ÷ predicted, figure by figure. Beyond a factor of 2,
 * and where a figure is close to nothing, the ratio says no more than that.
 */
export function discrepancyOf(
  observed: Measures,
  { workload, machine }: Omit<Setting, 'discrepancy'>,
  size: number,
  seed: number,
): Measures {
  const { memoryBytes: _, ...simulated } = outcome(workload, machine, size, seed, null);
  const pair = [observed, simulated].map((measures) => ({ ...measures, memoryBytes: 1 }));
  const ratio = combine(pair, ([seen = 0, predicted = 0]) =>
    Math.min(2, Math.max(0.5, (seen + LEAST_MS) / (predicted + LEAST_MS))),
  );
  // No job tells how late an event loop was.
  return { ...ratio, eventLoopDelayMs: { p99: 1 } };
}

const LEAST_MS = 0.05;
