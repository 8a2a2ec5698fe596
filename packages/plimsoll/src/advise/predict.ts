import type { Measures } from '../model/measures.js';
import type { Workload } from '../model/workload.js';
import type { PredictedMeasures, Prediction } from '../results/advice.js';
import { quantile } from '../stats/quantile.js';
import { createRandom } from '../stats/random.js';
import type { Calibrated } from './calibrate.js';
import { combine, outcome } from './outcome.js';
import { isOverloaded } from './overload.js';
import { resample } from './resample.js';

export interface Forecast {
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

/**
 * Predict what pool sizes come to. The prediction is the mean of runs with other chances; its band holds what resampled runs
 * came to, what the pessimistic bound says, and how far the simulation of the recorded run was from that run.
 */
export function predict(calibrated: Calibrated, sizes: readonly number[], seed: number): Forecast {
  const { workload, machine, devices, discrepancy } = calibrated;
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
  const resamples = runs.map((run) => sizes.map((size) => outcome(run.work, machine, size, run.seed)));
  const predictions = sizes.map((size, column): Prediction => {
    const centre = average(
      Array.from({ length: chances }, (_, chance) => outcome(workload, machine, size, seed + chance)),
    );
    const pessimistic = isBlocked ? outcome(workload, machine, size, seed, devices) : null;
    const seen = resamples.map((row) => row[column] as PredictedMeasures);
    const found = {
      ...centre,
      requests: withOverload(centre.requests, () => isOverloaded(workload, machine, size, seed)),
    };
    return { size, ...found, ...band(found, pessimistic, seen, discrepancy), pessimistic };
  });
  return { predictions, resamples };
}

const withOverload = (
  requests: PredictedMeasures['requests'],
  isOver: () => boolean,
): PredictedMeasures['requests'] => (requests === null ? null : { ...requests, isOverloaded: isOver() });

const atSpeed = (work: Workload, factor: number): Workload => ({
  ...work,
  cpuMs: work.cpuMs.map((cpu) => cpu * factor),
  beforeMs: work.beforeMs.map((cpu) => cpu * factor),
  afterMs: work.afterMs.map((cpu) => cpu * factor),
});

const average = (all: readonly PredictedMeasures[]): PredictedMeasures =>
  combine(all, (values) => values.reduce((sum, value) => sum + value, 0) / values.length);

function band(
  centre: PredictedMeasures,
  pessimistic: PredictedMeasures | null,
  seen: readonly PredictedMeasures[],
  discrepancy: Measures,
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
