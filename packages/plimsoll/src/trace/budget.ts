import { lowerBound } from '../collections/lower-bound.js';
import { mean, sum } from '../collections/sum.js';
import type { ThreadUsage, TracedJob, TracedProcess, UsageInterval } from '../results/trace.js';
import type { Budget } from '../results/trace-summary.js';
import { quantileOfSorted } from '../stats/quantile.js';

export const PARTS = ['queueWaitMs', 'coreWaitMs', 'cpuMs', 'blockedMs', 'eventLoopMs', 'totalMs'] as const;
/** Where the time of one job went. */
export type Parts = Record<(typeof PARTS)[number], number>;

export interface TimedJob {
  readonly job: TracedJob;
  readonly parts: Parts;
}

/** A job on a thread during an interval. */
interface Share {
  readonly parts: Parts;
  readonly ms: number;
  /** Of that time; `null` when not known. */
  readonly onCpu: number | null;
}

/**
 * Where the time of each job went. Queue, service and wait for the loop are differences of its own times, and its CPU time is
 * known where Node tells its thread. What is left of its service was spent blocked or waiting for a core.
 */
export function timedJobs({ jobs, usage }: Pick<TracedProcess, 'jobs' | 'usage'>): TimedJob[] {
  const shares = usage.map((): Share[] => []);
  const timed = jobs.map((job) => {
    const { submitMs, startMs, endMs, callbackMs, cpuMs } = job;
    const parts = {
      queueWaitMs: startMs - submitMs,
      coreWaitMs: 0,
      cpuMs: Math.min(endMs - startMs, cpuMs ?? 0),
      blockedMs: 0,
      eventLoopMs: callbackMs - endMs,
      totalMs: callbackMs - submitMs,
    };
    const onCpu = cpuMs === null ? null : ratio(cpuMs, endMs - startMs);
    const first = lowerBound(usage, ({ toMs }) => toMs <= startMs);
    for (let index = first; (usage[index]?.fromMs ?? endMs) < endMs; index++) {
      const { fromMs, toMs } = usage[index] as UsageInterval;
      shares[index]?.push({ parts, ms: Math.min(toMs, endMs) - Math.max(fromMs, startMs), onCpu });
    }
    return { job, parts };
  });
  for (const [index, { pool }] of usage.entries()) shareOut(pool, shares[index] ?? []);
  for (const { parts } of timed) {
    const service = parts.totalMs - parts.queueWaitMs - parts.eventLoopMs;
    parts.coreWaitMs = Math.max(0, Math.min(parts.coreWaitMs, service - parts.cpuMs));
    parts.blockedMs = Math.max(0, service - parts.cpuMs - parts.coreWaitMs);
  }
  return timed;
}

/**
 * The kernel tells the wait for a core by thread and interval only, so it is shared out among the jobs that were on threads
 * then, by their time off the CPU; and so is the CPU time that is nobody else's, among those of which it is not known.
 */
function shareOut(pool: ThreadUsage, shares: readonly Share[]): void {
  const total = (of: (share: Share) => number): number => sum(shares.map(of));
  const known = total(({ ms, onCpu }) => ms * (onCpu ?? 0));
  const unknown = shares.filter(({ onCpu }) => onCpu === null);
  const cpu = ratio(pool.cpuMs - known, sum(unknown.map(({ ms }) => ms)));
  const offCpu = ({ ms, onCpu }: Share): number => ms * (1 - (onCpu ?? cpu));
  const core = ratio(pool.coreWaitMs, total(offCpu));
  for (const { parts, ms } of unknown) parts.cpuMs += ms * cpu;
  for (const share of shares) share.parts.coreWaitMs += offCpu(share) * core;
}

const ratio = (part: number, whole: number): number =>
  whole <= 0 ? 0 : Math.min(1, Math.max(0, part / whole));

/** Mean and 99th percentile of each part; `null` without jobs. */
export function budgetOf(timed: readonly TimedJob[]): Budget | null {
  if (timed.length === 0) return null;
  const entries = PARTS.map((name) => {
    const values = timed.map(({ parts }) => parts[name]).sort((a, b) => a - b);
    return [name, { mean: mean(values), p99: quantileOfSorted(values, 0.99) }];
  });
  return Object.fromEntries(entries) as Budget;
}
