import { lowerBound } from '../collections/lower-bound.js';
import { mean } from '../collections/sum.js';
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
  const shares = sharesByInterval(jobs, usage);
  return jobs.map((job) => {
    const { submitMs, startMs, endMs, callbackMs, cpuMs } = job;
    const service = endMs - startMs;
    let cpu = Math.min(service, cpuMs ?? 0);
    let core = 0;
    for (const { overlap, known, share } of overlaps(job, usage, shares)) {
      const off = overlap * (cpuMs === null || service === 0 ? 1 : 1 - cpu / service);
      if (known) core += off * share.core;
      else {
        cpu += overlap * share.cpu;
        core += overlap * (1 - share.cpu) * share.core;
      }
    }
    core = Math.min(core, service - cpu);
    return {
      queueWaitMs: startMs - submitMs,
      coreWaitMs: core,
      cpuMs: cpu,
      blockedMs: Math.max(0, service - cpu - core),
      eventLoopMs: callbackMs - endMs,
      totalMs: callbackMs - submitMs,
    };
  });
}

interface Share {
  /** Of the time of jobs whose CPU time is not known: on a core. */
  readonly cpu: number;
  /** Of all time on a thread but not on a core: waiting for one. */
  readonly core: number;
}

interface Overlap {
  readonly overlap: number;
  readonly known: boolean;
  readonly share: Share;
}

function* overlaps(
  { startMs, endMs, cpuMs }: TracedJob,
  usage: readonly UsageInterval[],
  shares: readonly Share[],
): Generator<Overlap> {
  for (let index = lowerBound(usage, ({ toMs }) => toMs <= startMs); index < usage.length; index++) {
    const { fromMs, toMs } = usage[index] as UsageInterval;
    if (fromMs >= endMs) return;
    const overlap = Math.min(toMs, endMs) - Math.max(fromMs, startMs);
    if (overlap > 0) yield { overlap, known: cpuMs !== null, share: shares[index] as Share };
  }
}

const ratio = (part: number, whole: number): number =>
  whole <= 0 ? 0 : Math.min(1, Math.max(0, part / whole));

function sharesByInterval(jobs: readonly TracedJob[], usage: readonly UsageInterval[]): Share[] {
  const none = { cpu: 0, core: 0 };
  const sums = usage.map(() => ({ knownCpu: 0, knownOff: 0, unknown: 0 }));
  const places = usage.map(() => none);
  for (const job of jobs) {
    const service = job.endMs - job.startMs;
    const onCpu = job.cpuMs === null ? 0 : ratio(job.cpuMs, service);
    let index = lowerBound(usage, ({ toMs }) => toMs <= job.startMs);
    for (const { overlap, known } of overlaps(job, usage, places)) {
      const sum = sums[index++] as (typeof sums)[number];
      if (known) {
        sum.knownCpu += overlap * onCpu;
        sum.knownOff += overlap * (1 - onCpu);
      } else sum.unknown += overlap;
    }
  }
  return usage.map(({ pool }, index) => {
    const { knownCpu, knownOff, unknown } = sums[index] as (typeof sums)[number];
    const cpu = ratio(pool.cpuMs - knownCpu, unknown);
    return { cpu, core: ratio(pool.coreWaitMs, knownOff + unknown * (1 - cpu)) };
  });
}

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
