import { grouped } from '../collections/grouped.js';
import { sum } from '../collections/sum.js';
import type { Trace, TracedJob, TracedProcess, UsageInterval } from '../results/trace.js';
import type { Budget, TracedKind, TracedProgram } from '../results/trace-summary.js';
import { budgetOf, type Parts, partsOf } from './budget.js';
import { poolUse } from './pool-use.js';
import { waitsOf } from './waits.js';

/** A program of the command, without its advice. */
export type ProgramFacts = Omit<TracedProgram, 'advice'>;

/** A program, and the rest that advice depends on. */
export interface Program {
  readonly facts: ProgramFacts;
  readonly recordedMs: number;
  /** Whether every process could be recorded. */
  readonly isSeen: boolean;
}

/** Notes of processes whose jobs may be unseen. */
const UNSEEN = new Set(['trace.inspector', 'trace.worker', 'trace.other-tracing']);

/**
 * The programs of a command: processes of one script, as in a cluster, are one program. Programs with the most time in the
 * pool come first.
 */
export function programsOf({ processes, notes }: Pick<Trace, 'processes' | 'notes'>): Program[] {
  const unseen = new Set(notes.flatMap(({ id, pid }) => (UNSEEN.has(id) ? [pid] : [])));
  const programs = grouped(processes, ({ script, node, size }) => JSON.stringify([script, node, size]));
  return [...programs.values()]
    .map((alike) => ({
      facts: factsOf(alike),
      recordedMs:
        Math.max(...alike.map(({ endMs }) => endMs)) - Math.min(...alike.map(({ startMs }) => startMs)),
      isSeen: !alike.some(({ pid }) => unseen.has(pid)),
    }))
    .sort((a, b) => timeIn(b.facts) - timeIn(a.facts));
}

const timeIn = ({ jobs, budget }: { jobs: number; budget: Budget | null }): number =>
  jobs * (budget?.totalMs.mean ?? 0);

type CountedJob = TracedJob & { readonly parts: Parts };

/** Each job as often as the number of jobs that it stands for. */
function countedJobs(process: TracedProcess): CountedJob[] {
  const parts = partsOf(process);
  return process.jobs.flatMap((job, index) =>
    Array<CountedJob>(job.weight).fill({ ...job, parts: parts[index] as Parts }),
  );
}

function factsOf(processes: readonly TracedProcess[]): ProgramFacts {
  const [{ script, node, size }] = processes as readonly [TracedProcess, ...TracedProcess[]];
  const jobs = processes.flatMap(countedJobs);
  const uses = processes.map((process) => {
    const threads = process.observedThreads ?? size;
    return { threads, ...poolUse(process.jobs, threads, process.windows) };
  });
  const total = (of: (use: (typeof uses)[number]) => number): number => sum(uses.map(of));
  const threadMs = total(({ threads, activeMs }) => threads * activeMs);
  return {
    ...{ script, node, size },
    pids: processes.map(({ pid }) => pid),
    observedThreads: [...new Set(processes.flatMap(({ observedThreads }) => observedThreads ?? []))],
    jobs: jobs.length,
    recordedJobs: sum(processes.map((process) => process.jobs.filter(({ weight }) => weight > 0).length)),
    activeMs: total(({ activeMs }) => activeMs),
    utilization: threadMs === 0 ? null : total(({ takenMs }) => takenMs) / threadMs,
    saturatedMs: total(({ saturatedMs }) => saturatedMs),
    queuedMs: total(({ queuedMs }) => queuedMs),
    requests: [...grouped(jobs, ({ caller }) => caller.request)].map(([request, alike]) => ({
      request,
      jobs: alike.length,
      totalMs: sum(alike.map(({ parts }) => parts.totalMs)),
    })),
    waits: waitsOf(
      jobs,
      uses.map(({ behind }) => behind),
    ),
    ...usageOf(processes),
    budget: budgetOf(jobs.map(({ parts }) => parts)),
    kinds: kindsOf(jobs),
  };
}

/** While the pool was in use: the mean CPU share of the event loops, and the cores that all threads together used. */
function usageOf(
  processes: readonly TracedProcess[],
): Pick<TracedProgram, 'eventLoopCpuShare' | 'coresUsed'> {
  const inUse = processes.flatMap(({ jobs, usage }) => {
    const first = jobs[0]?.submitMs ?? Infinity;
    const last = jobs.reduce((latest, { callbackMs }) => Math.max(latest, callbackMs), 0);
    return usage.filter(({ fromMs, toMs }) => toMs > first && fromMs < last);
  });
  if (inUse.length === 0) return { eventLoopCpuShare: null, coresUsed: null };
  const total = (of: (interval: UsageInterval) => number): number => sum(inUse.map(of));
  const from = inUse.reduce((least, { fromMs }) => Math.min(least, fromMs), Infinity);
  const to = inUse.reduce((most, { toMs }) => Math.max(most, toMs), 0);
  return {
    eventLoopCpuShare: total(({ eventLoop }) => eventLoop.cpuMs) / total(({ fromMs, toMs }) => toMs - fromMs),
    coresUsed:
      total(({ eventLoop, pool, other }) => eventLoop.cpuMs + pool.cpuMs + other.cpuMs) / (to - from),
  };
}

function kindsOf(jobs: readonly CountedJob[]): TracedKind[] {
  return [...grouped(jobs, ({ kind }) => kind)]
    .map(([kind, alike]) => ({
      kind,
      slowIo: alike[0]?.slowIo === true,
      jobs: alike.length,
      inferred: alike.filter(({ inferred }) => inferred).length,
      queued: alike.filter(({ queued }) => queued).length,
      budget: budgetOf(alike.map(({ parts }) => parts)) as Budget,
    }))
    .sort((a, b) => timeIn(b) - timeIn(a));
}
