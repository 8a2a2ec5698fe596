import { tmpdir } from 'node:os';
import { captureEnvironment } from '#plimsoll/host/environment.js';
import type { Machine } from '#plimsoll/model/machine.js';
import { simulate } from '#plimsoll/model/simulate.js';
import type { Passage, Workload } from '#plimsoll/model/workload.js';
import type { Trace, TracedJob, TracedProcess, UsageInterval } from '#plimsoll/results/trace.js';
import { requestWork, type SimpleRequest } from './request-work.js';
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
  const traced = jobs.map(({ parent }, job) =>
    tracedJob(work, passage, job, { kind: kinds[job] as string, parent: parent ?? null }),
  );
  return traceOfRun(work, passage, { jobs: traced, operations: [], requests: [] }, size, machine);
}

/** The same of a run of requests, each job of which is an operation of its own; requests named by `isSampled` are recorded whole. */
export function requestTraceOf(
  requests: readonly SimpleRequest[],
  size: number,
  machine: Machine,
  isSampled: (request: number) => boolean = () => true,
): Trace {
  const work = requestWork(requests);
  const passage = simulate(work, { size, machine });
  const { arrival, end, follows } = work.requests as NonNullable<Workload['requests']>;
  const requestOf = new Int32Array(work.count);
  for (const [request, first] of arrival.entries())
    requestOf.fill(request, first, (end[request] as number) + 1);
  const steps = [...requestOf.keys()]
    .filter((step) => work.point?.[step] === 0 && isSampled(requestOf[step] as number))
    .sort((a, b) => (passage.submitMs[a] as number) - (passage.submitMs[b] as number) || a - b);
  const place = new Map(steps.map((step, index) => [step, index]));
  const jobs = steps.map((step, index) => {
    // The last of those that it waited for released it.
    const before = [work.parent[step] as number, ...afterOf(work, step)];
    const last = before.reduce((a, b) =>
      (passage.callbackMs[b] as number) > (passage.callbackMs[a] as number) ? b : a,
    );
    const isDirect = work.direct[step] === 1;
    return {
      ...tracedJob(work, passage, step, { kind: 'addon', parent: place.get(last) ?? null }),
      cause: isDirect ? (place.has(last) ? ('callback' as const) : ('request' as const)) : ('timer' as const),
      operation: index,
    };
  });
  // Every client has the connection on which it had its last answer; with one client at a time, any order will do.
  const free: { connection: number; endMs: number }[] = [];
  let connections = 0;
  const asked = [...arrival.keys()]
    .sort(
      (a, b) =>
        (passage.startMs[arrival[a] as number] as number) - (passage.startMs[arrival[b] as number] as number),
    )
    .map((request) => {
      const startMs = passage.startMs[arrival[request] as number] as number;
      const endMs = passage.callbackMs[end[request] as number] as number;
      const idle = follows[request] === 1 ? free.findIndex((one) => one.endMs <= startMs) : -1;
      const connection = idle === -1 ? ++connections : (free.splice(idle, 1)[0]?.connection ?? 0);
      free.push({ connection, endMs });
      free.sort((a, b) => a.endMs - b.endMs);
      return { request, traced: { startMs, endMs, connection } };
    });
  const numberOf = new Map(asked.map(({ request }, index) => [request, index]));
  return traceOfRun(
    work,
    passage,
    {
      jobs,
      operations: steps.map((step, index) => ({
        name: requests[requestOf[step] as number]?.route ?? 'addon',
        request: numberOf.get(requestOf[step] as number) ?? null,
        loopThread: 1,
        startMs: jobs[index]?.submitMs ?? 0,
        endMs: jobs[index]?.callbackMs ?? 0,
      })),
      requests: asked.map(({ request, traced }) => ({
        kind: 'http' as const,
        route: requests[request]?.route ?? 'GET /',
        loopThread: 1,
        end: 'answered' as const,
        sampled: isSampled(request),
        ...traced,
      })),
    },
    size,
    machine,
  );
}

const afterOf = ({ joins }: Workload, step: number): number[] =>
  [...(joins?.step ?? [])].flatMap((of, join) => (of === step ? [joins?.after[join] as number] : []));

function tracedJob(
  work: Workload,
  passage: Passage,
  job: number,
  { kind, parent }: { readonly kind: string; readonly parent: number | null },
): TracedJob {
  const at = (values: Float64Array): number => values[job] as number;
  return {
    kind,
    slowIo: work.slow[job] === 1,
    loopThread: 1,
    submitMs: at(passage.submitMs),
    startMs: at(passage.startMs),
    endMs: at(passage.endMs),
    callbackMs: at(passage.callbackMs),
    cpuMs: at(work.cpuMs),
    thread: 10,
    inferred: false,
    queued: at(passage.startMs) > at(passage.submitMs),
    parent,
    cause: null,
    operation: null,
  };
}

function traceOfRun(
  work: Workload,
  passage: Passage,
  run: Pick<TracedProcess, 'jobs' | 'operations' | 'requests'>,
  size: number,
  machine: Machine,
): Trace {
  const at = (values: Float64Array, step: number): number => values[step] as number;
  const end = Math.max(...passage.callbackMs) + 1;
  const usage = Array.from({ length: Math.ceil(end / INTERVAL_MS) }, (_, index): UsageInterval => {
    const fromMs = index * INTERVAL_MS;
    const toMs = fromMs + INTERVAL_MS;
    let cpuMs = 0;
    let coreWaitMs = 0;
    let loopMs = 0;
    for (let step = 0; step < work.count; step++) {
      const [startMs, endMs] = [at(passage.startMs, step), at(passage.endMs, step)];
      const isIn = (ms: number): boolean => ms >= fromMs && ms < toMs;
      if (isIn(at(passage.callbackMs, step))) loopMs += at(work.afterMs, step);
      if (isIn(at(passage.submitMs, step))) loopMs += at(work.beforeMs, step);
      if (work.point?.[step] === 1) continue;
      const span = Math.max(1e-9, endMs - startMs);
      const share = Math.max(0, Math.min(toMs, endMs) - Math.max(fromMs, startMs)) / span;
      cpuMs += share * at(work.cpuMs, step);
      coreWaitMs += share * Math.max(0, span - at(work.cpuMs, step) - at(work.blockedMs, step));
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
        ...run,
        usage,
      },
    ],
    notes: [],
  };
}
