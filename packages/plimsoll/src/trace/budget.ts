import { lowerBound } from '../collections/lower-bound.js';
import { sum } from '../collections/sum.js';
import type { TracedJob, TracedProcess, UsageInterval } from '../results/trace.js';
import type { Budget } from '../results/trace-summary.js';
import { quantileOfSorted } from '../stats/quantile.js';

/** The milliseconds of one job. */
export type Parts = Record<keyof Budget, number>;

/**
 * Where the time of each job went.
 *
 * The waits for a thread and for the event loop are differences of a job's own times; its CPU time is known where Node
 * reports its thread. The rest of its service was spent blocked or waiting for a core. The kernel reports the latter only
 * by thread and interval, so it is shared out among the jobs on threads in the interval, by their time off the CPU. The
 * pool's CPU time beyond that of known jobs is shared out in the same way among jobs of unknown CPU time.
 */
export function partsOf({ jobs, usage }: Pick<TracedProcess, 'jobs' | 'usage'>): Parts[] {
  const parts = jobs.map(({ submitMs, startMs, endMs, callbackMs, cpuMs }) => ({
    queueWaitMs: startMs - submitMs,
    coreWaitMs: 0,
    cpuMs: Math.min(endMs - startMs, cpuMs ?? 0),
    blockedMs: 0,
    eventLoopMs: callbackMs - endMs,
    totalMs: callbackMs - submitMs,
  }));
  for (const { pool, shares } of sharesByInterval(jobs, usage)) {
    const total = (of: (share: Share) => number): number => sum(shares.map(of));
    const cpu = ratio(
      pool.cpuMs - total(({ ms, onCpu }) => ms * (onCpu ?? 0)),
      total(({ ms, onCpu }) => (onCpu === null ? ms : 0)),
    );
    const core = ratio(
      pool.coreWaitMs,
      total(({ ms, onCpu }) => ms * (1 - (onCpu ?? cpu))),
    );
    for (const { job, ms, onCpu } of shares) {
      const part = parts[job] as (typeof parts)[number];
      if (onCpu === null) part.cpuMs += ms * cpu;
      part.coreWaitMs += ms * (1 - (onCpu ?? cpu)) * core;
    }
  }
  for (const part of parts) {
    const service = part.totalMs - part.queueWaitMs - part.eventLoopMs;
    part.coreWaitMs = Math.max(0, Math.min(part.coreWaitMs, service - part.cpuMs));
    part.blockedMs = Math.max(0, service - part.cpuMs - part.coreWaitMs);
  }
  return parts;
}

/** The time of a job on a thread within an interval, and the share of it on the CPU; `null` when not known. */
type Share = Readonly<{ job: number; ms: number; onCpu: number | null }>;

function sharesByInterval(
  jobs: readonly TracedJob[],
  usage: readonly UsageInterval[],
): readonly (UsageInterval & { readonly shares: Share[] })[] {
  const intervals = usage.map((interval) => ({ ...interval, shares: [] as Share[] }));
  for (const [job, { startMs, endMs, cpuMs }] of jobs.entries()) {
    const onCpu = cpuMs === null ? null : ratio(cpuMs, endMs - startMs);
    for (let at = lowerBound(usage, ({ toMs }) => toMs <= startMs); at < intervals.length; at++) {
      const { fromMs, toMs, shares } = intervals[at] as (typeof intervals)[number];
      if (fromMs >= endMs) break;
      shares.push({ job, ms: Math.min(toMs, endMs) - Math.max(fromMs, startMs), onCpu });
    }
  }
  return intervals;
}

const ratio = (part: number, whole: number): number =>
  whole <= 0 ? 0 : Math.min(1, Math.max(0, part / whole));

const NAMES = ['queueWaitMs', 'coreWaitMs', 'cpuMs', 'blockedMs', 'eventLoopMs', 'totalMs'] as const;
const TAIL = 0.99;

/** Mean and 99th percentile of each part; `null` without jobs. */
export function budgetOf(parts: readonly Parts[]): Budget | null {
  if (parts.length === 0) return null;
  const entries = NAMES.map((name) => {
    const sorted = Float64Array.from(parts, (part) => part[name]).sort();
    const mean = sorted.reduce((total, value) => total + value, 0) / sorted.length;
    return [name, { mean, p99: quantileOfSorted(sorted, TAIL) }];
  });
  return Object.fromEntries(entries) as Budget;
}
