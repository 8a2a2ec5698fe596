import { PlimsollError } from '../errors.js';
import { clampPoolSize, DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import { calibrate } from '../model/calibrate.js';
import { demandOf } from '../model/demand.js';
import { machineOf } from '../model/machine.js';
import { measuredIn } from '../model/observed.js';
import type { Advice, Objective, Prediction } from '../results/advice.js';
import type { Trace } from '../results/trace.js';
import { budgets } from './budget.js';
import { notFixedBySize } from './not-fixed.js';
import { discrepancyOf, predictSizes } from './predict.js';
import { recommend } from './recommend.js';
import { changedMachine, changedWorkload, type WhatIf, whatIfLines } from './what-if.js';

export interface AdviseOptions {
  /** Pool sizes to predict; the default size is looked at in any case. */
  readonly sizes: readonly number[];
  readonly objective: Objective;
  readonly whatIf: WhatIf;
  /** The same seed gives the same advice. */
  readonly seed: number;
  /** How long a thread keeps a core that others wait for, in milliseconds; measured, or what is usual. */
  readonly sliceMs?: number;
}

/**
 * Predict from a trace what other pool sizes would do, and say which to take.
 *
 * @throws {PlimsollError} PLIMSOLL_NO_POOL_JOBS when nothing in it used the pool; PLIMSOLL_USAGE for a change that cannot be.
 * @example
 * advise(trace, { sizes: [2, 4, 8], objective: 'mean', whatIf: NO_CHANGE, seed: 1 }).recommended.size;
 */
export function advise(trace: Trace, { sizes, objective, whatIf, seed, sliceMs }: AdviseOptions): Advice {
  const begun = performance.now();
  const jobs = trace.processes.reduce((sum, process) => sum + process.jobs.length, 0);
  if (jobs === 0)
    throw new PlimsollError(
      'PLIMSOLL_NO_POOL_JOBS',
      `nothing used the pool in the ${(trace.durationMs / 1000).toFixed(1)} s that were recorded: its size cannot matter`,
    );
  const recordedSize = sizeOf(trace);
  const demand = demandOf(trace);
  const host = machineOf(trace.environment, demand.wakeMs, demand.otherCores, sliceMs);
  const { workload, machine: found, outsideCores } = calibrate(demand, host, recordedSize);
  const devices = demand.mostBlocked;
  const discrepancy = discrepancyOf(
    measuredIn(trace, recordedSize),
    { workload, machine: found, devices },
    recordedSize,
    seed,
  );
  const work = changedWorkload(workload, demand.kinds, whatIf);
  const machine = changedMachine(found, whatIf);
  const all = [...new Set([...sizes, DEFAULT_POOL_SIZE])].sort((a, b) => a - b);
  const { predictions, resamples } = predictSizes(
    { workload: work, machine, devices, discrepancy },
    all,
    seed,
  );
  const recommended = recommend({
    predictions,
    resamples,
    objective,
    jobs: work.count,
    outsideShare: outsideCores / found.cores,
    usesDns: work.slow.includes(1),
    instances: work.processes,
    pidsHeadroom: trace.environment.limits.pidsHeadroom,
    memoryLimitBytes: trace.environment.limits.memoryLimitBytes,
    recordedThreads: recordedSize * demand.workload.processes,
  });
  const spent = budgets(trace);
  return {
    schema: 'plimsoll/1',
    kind: 'advice',
    environment: trace.environment,
    trace: {
      command: [...trace.command],
      jobs,
      processes: demand.workload.processes,
      durationMs: trace.durationMs,
      size: recordedSize,
      ...spent,
      notes: trace.notes.map(({ id, text }) => ({ id, text })),
    },
    method: {
      objective,
      sizes: [...sizes],
      seed,
      resamples: resamples.length,
      cores: machine.cores,
      quota: machine.quota,
      otherCores: Math.max(0, machine.otherCores - outsideCores),
      outsideCores,
      sliceMs: machine.sliceMs,
      wakeMs: machine.wakeMs,
      seconds: (performance.now() - begun) / 1000,
      whatIf: whatIfLines(whatIf),
    },
    predictions: predictions.filter(({ size }) => sizes.includes(size)),
    recommended,
    notFixedBySize: notFixedBySize({
      workload: work,
      machine,
      outsideCores,
      budget: spent.budget,
      chosen: predictions.find(({ size }) => size === recommended.size) as Prediction,
      predictions,
    }),
    verification: [],
  };
}

/** The size of the pool of the process with the most jobs: the counted one, else what the variable gives. */
function sizeOf({ processes }: Trace): number {
  const busiest = processes.reduce((most, one) => (one.jobs.length > most.jobs.length ? one : most));
  return clampPoolSize(busiest.observedThreads ?? busiest.size);
}
