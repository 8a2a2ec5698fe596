import { itemAt } from '../collections/item-at.js';
import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import type { Workload } from '../model/workload.js';
import type { Advice, Objective, Prediction, WhatIf } from '../results/advice.js';
import type { Trace } from '../results/trace.js';
import { budgets } from './budget.js';
import type { Calibrated } from './calibrate.js';
import type { Demand } from './estimate.js';
import { type NotFixed, notFixedBySize } from './not-fixed.js';
import { type Forecast, predict } from './predict.js';
import { type Choice, type Grounds, objectiveFor, recommend } from './recommend.js';
import { understand } from './understand.js';
import { changed } from './what-if.js';

export interface AdviseOptions {
  /** Pool sizes to predict, in threads; libuv's default is predicted in any case, for comparison. */
  readonly sizes: readonly number[];
  /**
   * What the recommended size is to be best at: `mean` or `p99` of what a request takes, or, without requests, an operation or
   * a job (milliseconds); `throughput` in requests or jobs a second; `makespan` from the first submission of a job to the last
   * callback (milliseconds).
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
  const { demand, host, calibrated: recorded } = understand(trace, seed, sliceMs);
  const calibrated = changed(recorded, demand.kinds, whatIf);
  const predicted = predict(calibrated, withDefault(sizes), seed);
  const grounds = groundsOf({ trace, demand, host, calibrated, predicted, objective });
  const recommended = recommend(grounds);
  const { budget, byKind } = budgets(trace);
  const { machine, outsideCores, workload } = calibrated;
  const { predictions, resamples } = predicted;
  return {
    schema: 'plimsoll/1',
    kind: 'advice',
    environment: trace.environment,
    trace: {
      command: [...trace.command],
      jobs: trace.processes.reduce((sum, { jobs }) => sum + jobs.length, 0),
      processes: demand.workload.processes,
      durationMs: trace.durationMs,
      size: demand.size,
      budget,
      byKind,
      requests: askedIn(trace, demand),
      operations: demand.measured.operations,
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
      objective: objectiveFor(grounds),
      arrivingPerSecond: arrivingPerSecond(workload),
    }),
    verification: [],
    verificationNoise: null,
  };
}

const jobsIn = ({ count, point }: Workload): number =>
  count - (point?.reduce((sum, value) => sum + value, 0) ?? 0);

/** Requests that come at their own times, a second. */
function arrivingPerSecond({ requests, atMs }: Workload): number {
  const moments = [...(requests?.arrival ?? [])]
    .filter((_, request) => requests?.clients[request] === -1)
    .map((arrival) => itemAt(atMs, arrival));
  const span = (moments.at(-1) ?? 0) - (moments[0] ?? 0);
  return span > 0 ? (1000 * (moments.length - 1)) / span : 0;
}

function askedIn({ processes }: Trace, { workload, measured }: Demand): Predicted['trace']['requests'] {
  if (workload.requests === undefined) return null;
  const { clients, answered } = workload.requests;
  const sum = (values: ArrayLike<number>): number =>
    Array.from(values).reduce((all, value) => all + value, 0);
  const all = processes.filter(({ jobs }) => jobs.length > 0).flatMap(({ requests }) => requests);
  return {
    count: answered.length,
    unanswered: answered.length - sum(answered),
    unsampled: all.filter(({ sampled }) => !sampled).length,
    fromClients: clients.filter((group) => group !== -1).length,
    measured: measured.requests,
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
    jobs: jobsIn(calibrated.workload),
    outsideShare: calibrated.outsideCores / host.cores,
    usesDns: calibrated.workload.slow.includes(1),
    instances: calibrated.workload.processes,
    pidsHeadroom,
    memoryLimitBytes,
    recordedThreads: demand.size * demand.workload.processes,
  };
}
