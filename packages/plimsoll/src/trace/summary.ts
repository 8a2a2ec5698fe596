import type { Recording, TracedProcess, UsageInterval } from '../results/trace.js';
import type { TracedKind, TracedProgram } from '../results/trace-summary.js';
import { type AdviceFact, adviceOf } from './advice.js';
import { budgetOf, type Parts, partsOf } from './budget.js';
import { saturationOf } from './saturation.js';

/** A program of the command, without the sentence of its advice. */
export type Program = Omit<TracedProgram, 'advice'> & { readonly advice: AdviceFact };

/**
 * What a trace shows: for every program of the command (processes of one script, as a cluster has them, together) its pool,
 * how busy that was, and where the time of its jobs went. Programs with the most time in the pool come first.
 */
export function programsOf({ environment, processes, notes }: Recording): Program[] {
  const programs = new Map<string, TracedProcess[]>();
  for (const process of processes) {
    const key = JSON.stringify([process.script, process.node, process.size]);
    programs.set(key, [...(programs.get(key) ?? []), process]);
  }
  const cores = environment.cpu.effectiveCpus;
  const unseen = new Set(notes.flatMap(({ id, pid }) => (UNSEEN.has(id) && pid !== undefined ? [pid] : [])));
  return [...programs.values()]
    .map((own) => programOf(own, cores, unseen))
    .sort((a, b) => timeIn(b) - timeIn(a));
}

/** Notes of processes in which jobs may have run unseen. */
const UNSEEN = new Set(['trace.inspector', 'trace.worker', 'trace.other-tracing']);

const timeIn = ({ jobs, budget }: Program): number => jobs * (budget?.totalMs.mean ?? 0);

interface Detail {
  readonly process: TracedProcess;
  readonly parts: readonly Parts[];
}

function programOf(processes: readonly TracedProcess[], cores: number, unseen: ReadonlySet<number>): Program {
  const [first] = processes as readonly [TracedProcess, ...TracedProcess[]];
  const details = processes.map((process) => ({ process, parts: partsOf(process) }));
  const saturations = processes.map(({ jobs, observedThreads, size }) => ({
    threads: observedThreads ?? size,
    ...saturationOf(jobs, observedThreads ?? size),
  }));
  const total = (of: (one: (typeof saturations)[number]) => number): number =>
    saturations.reduce((sum, one) => sum + of(one), 0);
  const threadTime = total(({ threads, activeMs }) => threads * activeMs);
  const facts = {
    script: first.script,
    node: first.node,
    size: first.size,
    pids: processes.map(({ pid }) => pid),
    observedThreads: [...new Set(processes.flatMap(({ observedThreads }) => observedThreads ?? []))],
    jobs: processes.reduce((sum, { jobs }) => sum + jobs.length, 0),
    chained: processes.reduce(
      (sum, { jobs }) => sum + jobs.filter(({ parent }) => parent !== null).length,
      0,
    ),
    activeMs: total(({ activeMs }) => activeMs),
    utilization: threadTime === 0 ? null : total(({ takenMs }) => takenMs) / threadTime,
    saturatedMs: total(({ saturatedMs }) => saturatedMs),
    queuedMs: total(({ queuedMs }) => queuedMs),
    ...usageOf(processes),
    budget: budgetOf(details.flatMap(({ parts }) => parts)),
    kinds: kindsOf(details),
  };
  const recordedMs =
    Math.max(...processes.map(({ endMs }) => endMs)) - Math.min(...processes.map(({ startMs }) => startMs));
  const isSeen = !processes.some(({ pid }) => unseen.has(pid));
  return { ...facts, advice: adviceOf(facts, { cores, recordedMs, isSeen }) };
}

/** How much of a core the event loops used, each on its own, and how many cores everything, while the pool was in use. */
function usageOf(
  processes: readonly TracedProcess[],
): Pick<TracedProgram, 'eventLoopCpuShare' | 'coresUsed'> {
  let wall = 0;
  let loop = 0;
  let all = 0;
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  for (const { jobs, usage } of processes) {
    const first = jobs[0]?.submitMs ?? Number.POSITIVE_INFINITY;
    const last = jobs.reduce((latest, { callbackMs }) => Math.max(latest, callbackMs), 0);
    for (const interval of usage) {
      if (interval.toMs <= first || interval.fromMs >= last) continue;
      wall += interval.toMs - interval.fromMs;
      loop += interval.eventLoop.cpuMs;
      all += cpuOf(interval);
      from = Math.min(from, interval.fromMs);
      to = Math.max(to, interval.toMs);
    }
  }
  return wall === 0
    ? { eventLoopCpuShare: null, coresUsed: null }
    : { eventLoopCpuShare: loop / wall, coresUsed: all / (to - from) };
}

const cpuOf = ({ eventLoop, pool, other }: UsageInterval): number =>
  eventLoop.cpuMs + pool.cpuMs + other.cpuMs;

function kindsOf(details: readonly Detail[]): TracedKind[] {
  const kinds = new Map<string, { slowIo: boolean; inferred: number; queued: number; parts: Parts[] }>();
  for (const { process, parts } of details)
    for (const [index, { kind, slowIo, inferred, queued }] of process.jobs.entries()) {
      const own = kinds.get(kind) ?? { slowIo, inferred: 0, queued: 0, parts: [] };
      kinds.set(kind, own);
      own.inferred += Number(inferred);
      own.queued += Number(queued);
      own.parts.push(parts[index] as Parts);
    }
  return [...kinds]
    .map(([kind, { parts, ...counts }]) => ({
      kind,
      jobs: parts.length,
      ...counts,
      budget: budgetOf(parts) as NonNullable<ReturnType<typeof budgetOf>>,
    }))
    .sort((a, b) => b.jobs * b.budget.totalMs.mean - a.jobs * a.budget.totalMs.mean);
}
