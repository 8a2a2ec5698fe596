import { grouped } from '../collections/grouped.js';
import { sum } from '../collections/sum.js';
import type { Trace, TracedProcess, UsageInterval } from '../results/trace.js';
import type { Budget, TracedKind, TracedProgram } from '../results/trace-summary.js';
import { budgetOf, type Parts, partsOf } from './budget.js';
import { poolUse } from './pool-use.js';
import { waitsOf } from './waits.js';

/** A program of the command, without its advice. */
export type ProgramFacts = Omit<TracedProgram, 'advice'>;

/** A program, and what an advice about it must know beside. */
export interface Program {
  readonly facts: ProgramFacts;
  readonly recordedMs: number;
  /** Whether every process could be looked into. */
  readonly isSeen: boolean;
}

/** Notes of processes in which jobs may have run unseen. */
const UNSEEN = new Set(['trace.inspector', 'trace.worker', 'trace.other-tracing']);

/**
 * What a trace shows: for every program of the command (processes of one script, as a cluster has them, together) its pool,
 * how busy that was, and where the time of its jobs went. Programs with the most time in the pool come first.
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

function factsOf(processes: readonly TracedProcess[]): ProgramFacts {
  const [{ script, node, size }] = processes as readonly [TracedProcess, ...TracedProcess[]];
  const parts = processes.map(partsOf);
  const uses = processes.map(({ jobs, observedThreads }) => {
    const threads = observedThreads ?? size;
    return { threads, ...poolUse(jobs, threads) };
  });
  const total = (of: (use: (typeof uses)[number]) => number): number => sum(uses.map(of));
  const threadMs = total(({ threads, activeMs }) => threads * activeMs);
  return {
    ...{ script, node, size },
    pids: processes.map(({ pid }) => pid),
    observedThreads: [...new Set(processes.flatMap(({ observedThreads }) => observedThreads ?? []))],
    jobs: sum(processes.map(({ jobs }) => jobs.length)),
    activeMs: total(({ activeMs }) => activeMs),
    utilization: threadMs === 0 ? null : total(({ takenMs }) => takenMs) / threadMs,
    saturatedMs: total(({ saturatedMs }) => saturatedMs),
    queuedMs: total(({ queuedMs }) => queuedMs),
    requests: requestsOf(processes),
    waits: waitsOf(processes, parts, uses),
    ...usageOf(processes),
    budget: budgetOf(parts.flat()),
    kinds: kindsOf(processes, parts.flat()),
  };
}

function requestsOf(processes: readonly TracedProcess[]): TracedProgram['requests'] {
  const jobs = processes.flatMap((process) => process.jobs);
  return [...grouped(jobs, ({ caller }) => caller.request)].map(([request, alike]) => ({
    request,
    jobs: alike.length,
    totalMs: sum(alike.map(({ submitMs, callbackMs }) => callbackMs - submitMs)),
  }));
}

/** How much of a core the event loops used, each on its own, and how many cores everything, while the pool was in use. */
function usageOf(
  processes: readonly TracedProcess[],
): Pick<TracedProgram, 'eventLoopCpuShare' | 'coresUsed'> {
  const inUse = processes.flatMap(({ jobs, usage }) => {
    const first = jobs[0]?.submitMs ?? Number.POSITIVE_INFINITY;
    const last = jobs.reduce((latest, { callbackMs }) => Math.max(latest, callbackMs), 0);
    return usage.filter(({ fromMs, toMs }) => toMs > first && fromMs < last);
  });
  if (inUse.length === 0) return { eventLoopCpuShare: null, coresUsed: null };
  const total = (of: (interval: UsageInterval) => number): number => sum(inUse.map(of));
  const from = inUse.reduce((least, { fromMs }) => Math.min(least, fromMs), Number.POSITIVE_INFINITY);
  const to = inUse.reduce((most, { toMs }) => Math.max(most, toMs), 0);
  return {
    eventLoopCpuShare: total(({ eventLoop }) => eventLoop.cpuMs) / total(({ fromMs, toMs }) => toMs - fromMs),
    coresUsed:
      total(({ eventLoop, pool, other }) => eventLoop.cpuMs + pool.cpuMs + other.cpuMs) / (to - from),
  };
}

function kindsOf(processes: readonly TracedProcess[], parts: readonly Parts[]): TracedKind[] {
  const jobs = processes
    .flatMap((process) => process.jobs)
    .map((job, index) => ({ ...job, parts: parts[index] as Parts }));
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
