import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import { machineOf } from '../model/machine.js';
import type { Advice, Objective, Prediction, WhatIf } from '../results/advice.js';
import type { Trace } from '../results/trace.js';
import { budgets } from './budget.js';
import { type Calibrated, calibrate } from './calibrate.js';
import { type Demand, estimate } from './estimate.js';
import { type NotFixed, notFixedBySize } from './not-fixed.js';
import { type Forecast, predict } from './predict.js';
import { type Choice, type Grounds, recommend } from './recommend.js';
import { changed } from './what-if.js';

export interface AdviseOptions {
  /** Pool sizes to predict, in threads; libuv's default is predicted in any case, for comparison. */
  readonly sizes: readonly number[];
  /**
   * What the recommended size is to be best at: `mean` or `p99` of the latency from submission to callback (milliseconds),
   * `makespan` from the first submission to the last callback (milliseconds), or `throughput` (jobs a second).
   */
  readonly objective: Objective;
  /** Changes to what was recorded; `NO_CHANGE` for none. */
  readonly whatIf: WhatIf;
  /** A whole number; the same seed gives the same advice. */
  readonly seed: number;
  /** How long a thread keeps a core that others wait for, in milliseconds; by default 4, what most kernels come to. */
  readonly sliceMs?: number;
}

/** What was predicted; the sentences about it are composed above. */
export interface Predicted extends Omit<Advice, 'recommended' | 'findings'> {
  readonly recommended: Choice;
  readonly findings: NotFixed[];
}

/**
 * Predict from a trace what other pool sizes would do, and say which to take.
 *
 * @throws {PlimsollError} PLIMSOLL_NO_POOL_JOBS when nothing in it used the pool; PLIMSOLL_USAGE for a change that cannot be.
 * @example
 * advise(trace, { sizes: [2, 4, 8], objective: 'mean', whatIf: NO_CHANGE, seed: 1 }).recommended.size;
 */
export function advise(trace: Trace, options: AdviseOptions): Predicted {
  const begun = performance.now();
  const { sizes, objective, whatIf, seed, sliceMs } = options;
  const demand = estimate(trace);
  const host = machineOf(trace.environment, demand.wakeMs, demand.otherCores, sliceMs);
  const calibrated = changed(calibrate(demand, host, seed), demand.kinds, whatIf);
  const predicted = predict(calibrated, withDefault(sizes), seed);
  const recommended = recommend(groundsOf({ trace, demand, host, calibrated, predicted, objective }));
  const { budget, byKind } = budgets(trace);
  const { machine, outsideCores, workload } = calibrated;
  const { predictions, resamples } = predicted;
  return {
    schema: 'plimsoll/1',
    kind: 'advice',
    environment: trace.environment,
    trace: {
      command: [...trace.command],
      jobs: demand.workload.count,
      processes: demand.workload.processes,
      durationMs: trace.durationMs,
      size: demand.size,
      budget,
      byKind,
      notes: trace.notes.map(({ id, text }) => ({ id, text })),
    },
    method: {
      objective,
      sizes: [...sizes],
      seed,
      resamples: resamples.length,
      cores: machine.cores,
      quotaCores: machine.quota,
      otherThreadsCores: Math.max(0, machine.otherCores - outsideCores),
      outsideCores,
      timeSliceMs: machine.sliceMs,
      wakeUpMs: machine.wakeMs,
      seconds: (performance.now() - begun) / 1000,
      whatIf,
    },
    predictions: predictions.filter(({ size }) => sizes.includes(size)),
    recommended,
    findings: notFixedBySize({
      workload,
      machine,
      outsideCores,
      budget,
      chosen: predictions.find(({ size }) => size === recommended.size) as Prediction,
      predictions,
    }),
    verification: [],
    verificationNoise: null,
  };
}

const withDefault = (sizes: readonly number[]): number[] =>
  [...new Set([...sizes, DEFAULT_POOL_SIZE])].sort((a, b) => a - b);

/** What a recommendation rests on. */
function groundsOf(known: {
  readonly trace: Trace;
  readonly demand: Demand;
  /** The machine that was recorded on, without any change. */
  readonly host: { readonly cores: number };
  readonly calibrated: Calibrated;
  readonly predicted: Forecast;
  readonly objective: Objective;
}): Grounds {
  const { trace, demand, host, calibrated, predicted, objective } = known;
  const { pidsHeadroom, memoryLimitBytes } = trace.environment.limits;
  return {
    ...predicted,
    objective,
    jobs: calibrated.workload.count,
    outsideShare: calibrated.outsideCores / host.cores,
    usesDns: calibrated.workload.slow.includes(1),
    instances: calibrated.workload.processes,
    pidsHeadroom,
    memoryLimitBytes,
    recordedThreads: demand.size * demand.workload.processes,
  };
}
