import { lowerBound } from '../collections/lower-bound.js';
import { mean, sum } from '../collections/sum.js';
import type { TracedJob, TracedProcess, UsageInterval } from '../results/trace.js';
import type { Budget } from '../results/trace-summary.js';
import { quantileOfSorted } from '../stats/quantile.js';

/** Where the time of one job went. */
export type Parts = Record<keyof Budget, number>;

/**
 * Where the time of each job went.
 *
 * Queue, service and wait for the loop are differences of a job's own times, and its CPU time is known where Node tells its
 * thread. What is left of its service was spent blocked or waiting for a core. The kernel tells the latter for each thread
 * and interval only, so it is shared out among the jobs that were on threads in the interval, by their time off the CPU. Of
 * jobs whose CPU time is not known either, the CPU time of the pool that is nobody else's is shared out in the same way.
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
  for (const [index, shares] of sharesByInterval(jobs, usage).entries()) {
    const { pool } = usage[index] as UsageInterval;
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

/** A job on a thread during an interval. */
interface Share {
  readonly job: number;
  readonly ms: number;
  /** Of that time; `null` when not known. */
  readonly onCpu: number | null;
}

function sharesByInterval(jobs: readonly TracedJob[], usage: readonly UsageInterval[]): Share[][] {
  const shares = usage.map((): Share[] => []);
  for (const [job, { startMs, endMs, cpuMs }] of jobs.entries()) {
    const onCpu = cpuMs === null ? null : ratio(cpuMs, endMs - startMs);
    const first = lowerBound(usage, ({ toMs }) => toMs <= startMs);
    for (let index = first; (usage[index]?.fromMs ?? endMs) < endMs; index++) {
      const { fromMs, toMs } = usage[index] as UsageInterval;
      shares[index]?.push({ job, ms: Math.min(toMs, endMs) - Math.max(fromMs, startMs), onCpu });
    }
  }
  return shares;
}

const ratio = (part: number, whole: number): number =>
  whole <= 0 ? 0 : Math.min(1, Math.max(0, part / whole));

const NAMES = ['queueWaitMs', 'coreWaitMs', 'cpuMs', 'blockedMs', 'eventLoopMs', 'totalMs'] as const;
const TAIL = 0.99;

/** Mean and 99th percentile of each part; `null` without jobs. */
export function budgetOf(parts: readonly Parts[]): Budget | null {
  if (parts.length === 0) return null;
  const entries = NAMES.map((name) => {
    const values = parts.map((part) => part[name]).sort((a, b) => a - b);
    return [name, { mean: mean(values), p99: quantileOfSorted(values, TAIL) }];
  });
  return Object.fromEntries(entries) as Budget;
}
