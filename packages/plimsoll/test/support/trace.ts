import { tmpdir } from 'node:os';
import { captureEnvironment } from '#plimsoll/host/environment.js';
import type { Machine } from '#plimsoll/model/machine.js';
import { simulate } from '#plimsoll/model/simulate.js';
import type { Trace, UsageInterval } from '#plimsoll/results/trace.js';
import { type SimpleJob, workloadOf } from './workload.js';

const INTERVAL_MS = 20;

/**
 * A trace as a recorder would have written it, of a run that was simulated: so what was put in is known. What jobs waited for
 * a core is spread over their time.
 */
export function traceOf(
  jobs: readonly SimpleJob[],
  kinds: readonly string[],
  size: number,
  machine: Machine,
): Trace {
  const work = workloadOf(jobs);
  const passage = simulate(work, { size, machine });
  const at = (values: Float64Array, job: number): number => values[job] as number;
  const traced = jobs.map(({ parent, slow = false }, job) => ({
    kind: kinds[job] as string,
    slowIo: slow,
    loopThread: 1,
    submitMs: at(passage.submitMs, job),
    startMs: at(passage.startMs, job),
    endMs: at(passage.endMs, job),
    callbackMs: at(passage.callbackMs, job),
    cpuMs: at(work.cpuMs, job),
    thread: 10,
    inferred: false,
    queued: at(passage.startMs, job) > at(passage.submitMs, job),
    parent: parent ?? null,
    cause: null,
    operation: null,
  }));
  const end = Math.max(...passage.callbackMs) + 1;
  const usage = Array.from({ length: Math.ceil(end / INTERVAL_MS) }, (_, index): UsageInterval => {
    const fromMs = index * INTERVAL_MS;
    const toMs = fromMs + INTERVAL_MS;
    let cpuMs = 0;
    let coreWaitMs = 0;
    let loopMs = 0;
    for (const [job, { startMs, endMs, callbackMs, submitMs }] of traced.entries()) {
      const span = Math.max(1e-9, endMs - startMs);
      const share = Math.max(0, Math.min(toMs, endMs) - Math.max(fromMs, startMs)) / span;
      cpuMs += share * at(work.cpuMs, job);
      coreWaitMs += share * Math.max(0, span - at(work.cpuMs, job) - at(work.blockedMs, job));
      if (callbackMs >= fromMs && callbackMs < toMs) loopMs += at(work.afterMs, job);
      if (submitMs >= fromMs && submitMs < toMs) loopMs += at(work.beforeMs, job);
    }
    const none = { cpuMs: 0, coreWaitMs: 0 };
    return {
      fromMs,
      toMs,
      eventLoop: { cpuMs: loopMs, coreWaitMs: 0 },
      pool: { cpuMs, coreWaitMs },
      other: none,
    };
  });
  const environment = captureEnvironment({ directory: tmpdir() });
  return {
    environment: {
      ...environment,
      cpu: { ...environment.cpu, affinityCores: machine.cores, logicalCores: machine.cores },
      limits: {
        ...environment.limits,
        cpuQuotaCores: machine.quota,
        pidsHeadroom: null,
        memoryLimitBytes: null,
      },
    },
    command: ['node', 'app.js'],
    startedAt: new Date(0).toISOString(),
    durationMs: end,
    processes: [
      {
        pid: 1,
        ppid: 0,
        node: '24.0.0',
        script: 'app.js',
        observedThreads: size,
        size,
        startMs: 0,
        endMs: end,
        jobs: traced,
        operations: [],
        requests: [],
        usage,
      },
    ],
    notes: [],
  };
}
