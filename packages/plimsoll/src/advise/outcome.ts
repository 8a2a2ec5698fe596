import { itemAt } from '../collections/item-at.js';
import type { Machine } from '../model/machine.js';
import { measure } from '../model/measures.js';
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
  return { ...measure(passage, threads), memoryBytes: threads * THREAD_BYTES };
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
    jobsPerSecond: of((m) => m.jobsPerSecond),
    utilization: of((m) => m.utilization),
    eventLoopDelayMs: { p99: of((m) => m.eventLoopDelayMs.p99) },
    memoryBytes: Math.round(of((m) => m.memoryBytes)),
  };
}
