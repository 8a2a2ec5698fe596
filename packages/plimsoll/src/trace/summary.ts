import { least, most } from '../collections/extremes.js';
import { grouped } from '../collections/grouped.js';
import { sum } from '../collections/sum.js';
import type { Trace, TracedProcess, UsageInterval } from '../results/trace.js';
import type { Budget, TracedKind, TracedProgram } from '../results/trace-summary.js';
import { budgetOf, type TimedJob, timedJobs } from './budget.js';
import { blockingOf, poolUse, waitsOf } from './waits.js';

/** A program of the command, without its advice. */
export type ProgramFacts = Omit<TracedProgram, 'advice'>;

export type Program = ReturnType<typeof programsOf>[number];

/** Notes of processes in which jobs may have run unseen. */
const UNSEEN = new Set(['trace.inspector', 'trace.worker', 'trace.other-tracing']);

/**
 * What a trace shows: for every program of the command (processes of one script, as a cluster has them, together) its pool,
 * how busy that was, and where the time of its jobs went. Programs with the most time in the pool come first.
 */
export function programsOf({ processes, notes }: Pick<Trace, 'processes' | 'notes'>) {
  const unseen = new Set(notes.flatMap(({ id, pid }) => (UNSEEN.has(id) ? [pid] : [])));
  const programs = grouped(processes, ({ script, node, size }) => JSON.stringify([script, node, size]));
  return [...programs.values()]
    .map((alike) => ({
      facts: factsOf(alike),
      recordedMs: most(alike.map(({ endMs }) => endMs)) - least(alike.map(({ startMs }) => startMs)),
      /** Whether every process could be looked into. */
      isSeen: !alike.some(({ pid }) => unseen.has(pid)),
    }))
    .sort((a, b) => timeIn(b.facts) - timeIn(a.facts));
}

const timeIn = ({ jobs, budget }: { jobs: number; budget: Budget | null }): number =>
  jobs * (budget?.totalMs.mean ?? 0);

function factsOf(processes: readonly TracedProcess[]): ProgramFacts {
  const [{ script, node, size }] = processes as readonly [TracedProcess, ...TracedProcess[]];
  const timed = processes.flatMap(timedJobs);
  const uses = processes.map(({ jobs, observedThreads }) => poolUse(jobs, observedThreads ?? size));
  const total = (of: (use: (typeof uses)[number]) => number): number => sum(uses.map(of));
  const threadMs = total((use) => use.size * use.activeMs);
  const waits = waitsOf(timed, uses);
  return {
    ...{ script, node, size, waits },
    blocking: blockingOf(uses, waits),
    pids: processes.map(({ pid }) => pid),
    observedThreads: [...new Set(processes.flatMap(({ observedThreads }) => observedThreads ?? []))],
    jobs: timed.length,
    activeMs: total(({ activeMs }) => activeMs),
    utilization: threadMs === 0 ? null : total(({ takenMs }) => takenMs) / threadMs,
    saturatedMs: total(({ saturatedMs }) => saturatedMs),
    queuedMs: total(({ queuedMs }) => queuedMs),
    requests: [...grouped(timed, ({ job }) => job.caller.request)].map(([request, alike]) => ({
      request,
      jobs: alike.length,
      totalMs: sum(alike.map(({ parts }) => parts.totalMs)),
    })),
    ...usageOf(processes),
    budget: budgetOf(timed),
    kinds: kindsOf(timed),
  };
}

/** How much of a core the event loops used, each on its own, and how many cores everything, while the pool was in use. */
function usageOf(processes: readonly TracedProcess[]) {
  const inUse = processes.flatMap(({ jobs, usage }) => {
    const first = least(jobs.map(({ submitMs }) => submitMs));
    const last = most(jobs.map(({ callbackMs }) => callbackMs));
    return usage.filter(({ fromMs, toMs }) => toMs > first && fromMs < last);
  });
  if (inUse.length === 0) return { eventLoopCpuShare: null, coresUsed: null };
  const total = (of: (interval: UsageInterval) => number): number => sum(inUse.map(of));
  const loops = total(({ eventLoop }) => eventLoop.cpuMs);
  const ms = most(inUse.map(({ toMs }) => toMs)) - least(inUse.map(({ fromMs }) => fromMs));
  return {
    eventLoopCpuShare: loops / total(({ fromMs, toMs }) => toMs - fromMs),
    coresUsed: (loops + total(({ pool, other }) => pool.cpuMs + other.cpuMs)) / ms,
  };
}

const kindsOf = (timed: readonly TimedJob[]): TracedKind[] =>
  [...grouped(timed, ({ job }) => job.kind)]
    .map(([kind, alike]) => ({
      kind,
      slowIo: alike[0]?.job.slowIo === true,
      jobs: alike.length,
      inferred: alike.filter(({ job }) => job.inferred).length,
      queued: alike.filter(({ job }) => job.queued).length,
      budget: budgetOf(alike) as Budget,
    }))
    .sort((a, b) => timeIn(b) - timeIn(a));
