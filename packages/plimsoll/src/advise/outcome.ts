import { itemAt } from '../collections/item-at.js';
import type { Machine } from '../model/machine.js';
import { measureWork } from '../model/measures.js';
import type { LatencySpread, OperationMeasures, RequestMeasures } from '../model/request-measures.js';
import { simulate } from '../model/simulate.js';
import type { Devices, Workload } from '../model/workload.js';
import type { PredictedMeasures } from '../results/advice.js';

/** Samples of the event-loop delay in a simulated run. */
const SAMPLES = 400;
/** What a thread of the pool is resident with once it has run, in bytes (measured on Node 20 to 26: docs/internals/model.md). */
const THREAD_BYTES = 8192;

/** What a simulated run at a size comes to. */
export function outcome(
  work: Workload,
  machine: Machine,
  size: number,
  seed: number,
  devices: Devices | null = null,
): PredictedMeasures {
  const passage = simulate(work, {
    size,
    machine,
    seed,
    sampleMs: sampleMs(work),
    ...(devices === null ? {} : { devices }),
  });
  const threads = size * work.processes;
  return { ...measureWork(work, passage, threads), memoryBytes: threads * THREAD_BYTES };
}

/** Between two samples of the event-loop delay: some hundred in a run, whether its jobs come at once or spread over minutes. */
function sampleMs({ atMs, parent, cpuMs, blockedMs }: Workload): number {
  let last = 0;
  let first = Number.POSITIVE_INFINITY;
  let work = 0;
  for (const [job, at] of atMs.entries()) {
    work += itemAt(cpuMs, job) + itemAt(blockedMs, job);
    if (parent[job] !== -1) continue;
    first = Math.min(first, at);
    last = Math.max(last, at);
  }
  return Math.max(1, Math.max(last - first, work / 64) / SAMPLES);
}

type Combine = (values: readonly number[]) => number;

/** Combine measures figure by figure; counts, names and what is no figure are those of the first. */
export function combine(all: readonly PredictedMeasures[], how: Combine): PredictedMeasures {
  const of = (pick: (measures: PredictedMeasures) => number): number => how(all.map(pick));
  return {
    queueWaitMs: { mean: of((m) => m.queueWaitMs.mean), p99: of((m) => m.queueWaitMs.p99) },
    latencyMs: combineSpreads(
      all.map(({ latencyMs }) => latencyMs),
      how,
    ),
    makespanMs: of((m) => m.makespanMs),
    jobsPerSecond: of((m) => m.jobsPerSecond),
    utilization: of((m) => m.utilization),
    eventLoopDelayMs: { p99: of((m) => m.eventLoopDelayMs.p99) },
    memoryBytes: Math.round(of((m) => m.memoryBytes)),
    requests: combineRequests(
      all.flatMap(({ requests }) => requests ?? []),
      how,
    ),
    operations: combineOperations(
      all.map(({ operations }) => operations),
      how,
    ),
  };
}

/** A route or an operation may be missing from a resampled run; its figures are NaN there, and do not count. */
function among(values: readonly number[], how: Combine): number {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.length === 0 ? Number.NaN : how(known);
}

const combineSpreads = (all: readonly LatencySpread[], how: Combine): LatencySpread => ({
  mean: among(
    all.map(({ mean }) => mean),
    how,
  ),
  p50: among(
    all.map(({ p50 }) => p50),
    how,
  ),
  p95: among(
    all.map(({ p95 }) => p95),
    how,
  ),
  p99: among(
    all.map(({ p99 }) => p99),
    how,
  ),
});

function combineRequests(all: readonly RequestMeasures[], how: Combine): RequestMeasures | null {
  const [first] = all;
  if (first === undefined) return null;
  return {
    latencyMs: combineSpreads(
      all.map(({ latencyMs }) => latencyMs),
      how,
    ),
    perSecond: among(
      all.map(({ perSecond }) => perSecond),
      how,
    ),
    isOverloaded: first.isOverloaded,
    routes: first.routes.map(({ route, count }) => {
      const own = all.flatMap(({ routes }) => routes.find((one) => one.route === route) ?? []);
      return {
        route,
        count,
        latencyMs: combineSpreads(
          own.map(({ latencyMs }) => latencyMs),
          how,
        ),
        perSecond: among(
          own.map(({ perSecond }) => perSecond),
          how,
        ),
      };
    }),
  };
}

function combineOperations(
  all: readonly (readonly OperationMeasures[])[],
  how: Combine,
): OperationMeasures[] {
  return (all[0] ?? []).map(({ name, count }) => {
    const own = all.flatMap((operations) => operations.find((one) => one.name === name) ?? []);
    return {
      name,
      count,
      latencyMs: {
        mean: among(
          own.map(({ latencyMs }) => latencyMs.mean),
          how,
        ),
        p99: among(
          own.map(({ latencyMs }) => latencyMs.p99),
          how,
        ),
      },
    };
  });
}
