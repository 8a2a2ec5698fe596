import { lowerBound } from '../collections/lower-bound.js';
import { sum } from '../collections/sum.js';
import type { PoolJob, Unplaced } from '../libuv/job.js';
import { placeJobs } from '../libuv/replay.js';
import type { UsageInterval } from '../results/trace.js';

/** Sums within this factor, and within so many standard errors of the samples, count as equal. */
const TOLERANCE = 1.05;
const ERRORS = 2;
const US = 1000;

/**
 * Place jobs so that those of fs are on the pool's threads no longer, in sum, than the threads were at work.
 *
 * Node reports only when their results were taken: long after their end if the event loop is busy, so that a pool that
 * waits for its loop would seem saturated. The kernel's clocks (on a core, or waiting for one) and samples (blocked) say
 * how long the threads were at work. Known jobs and lookups take their part of it; the rest belongs to fs. While a job's
 * event loop may have been busy, the job gets no more than a limit, chosen so that the sum matches; while the loop was
 * idle, the job was on its thread. The end of a single job stays an estimate: it is `inferred`.
 *
 * @param main the thread whose use of a core is `eventLoop` of the intervals.
 * @param clock from the time of jobs to that of the intervals.
 */
export function placeWithin(
  jobs: readonly Unplaced[],
  size: number,
  usage: readonly UsageInterval[],
  main: number,
  clock: (us: number) => number,
): PoolJob[] {
  const placed = placeJobs(jobs, size);
  const seen = atWork(jobs, usage, clock);
  const left = Math.max(0, seen.ms * US - onThreads(placed.filter((job) => !isFile(job))));
  const most = left * TOLERANCE + ERRORS * seen.errorMs * US;
  if (usage.length === 0 || onThreads(placed.filter(isFile)) <= most) return placed;
  const latest = new Map(
    jobs.map((job) => [job, job.loop === main ? mostWait(clock(job.returned), usage) * US : Infinity]),
  );
  /** Splits the time since a moment: surely on the thread, or possibly waiting for the loop. */
  const parts = (job: Unplaced, since: number): { sure: number; late: number } => {
    const late = Math.min(job.returned - since, latest.get(job) as number);
    return { sure: job.returned - since - late, late };
  };
  const files = jobs.filter(isFile).map((job) => parts(job, job.submitted));
  const limit = levelOf(
    files.map(({ late }) => late),
    left - sum(files.map(({ sure }) => sure)),
  );
  return placeJobs(jobs, size, (job, started) => (isFile(job) ? parts(job, started).sure + limit : Infinity));
}

/** The limit for each wish at which all together get `total`. */
function levelOf(wishes: readonly number[], total: number): number {
  let left = Math.max(0, total);
  for (const [index, wish] of wishes.toSorted((a, b) => a - b).entries()) {
    const level = left / (wishes.length - index);
    if (level <= wish) return level;
    left -= wish;
  }
  return Infinity;
}

/** The kernel accounts for a running thread at ticks; most kernels have 250 a second. */
const TICK_MS = 4;

/** The longest time, in milliseconds, that an event loop can have been at work without a pause before `time`. */
function mostWait(time: number, usage: readonly UsageInterval[]): number {
  let until = time;
  const last = lowerBound(usage, ({ toMs }) => toMs < time);
  if (last === usage.length) return Infinity;
  for (let at = last; at >= 0; at--) {
    const { fromMs, eventLoop } = usage[at] as UsageInterval;
    const busy = eventLoop.cpuMs + eventLoop.coreWaitMs + TICK_MS;
    if (busy < until - fromMs) return time - until + busy;
    until = fromMs;
  }
  return Infinity;
}

const isFile = ({ kind }: Unplaced): boolean => kind === 'fs';

const onThreads = (jobs: readonly PoolJob[]): number =>
  sum(jobs.map(({ started, ended }) => (ended ?? 0) - (started ?? 0)));

/**
 * Milliseconds that the pool's threads were at work: on a core or waiting for one, by the kernel's clocks, or blocked, by
 * samples. The error is that of the samples: the root of their count, plus one because a count of 0 has an error too.
 */
function atWork(
  jobs: readonly Unplaced[],
  usage: readonly UsageInterval[],
  clock: (us: number) => number,
): { readonly ms: number; readonly errorMs: number } {
  const first = clock(jobs.reduce((least, { submitted }) => Math.min(least, submitted), Infinity));
  const last = clock(jobs.reduce((most, { returned }) => Math.max(most, returned), 0));
  let ms = 0;
  let seen = 0;
  let longestMs = 0;
  let isSampled = false;
  for (const { pool, blockedThreads, fromMs, toMs } of usage) {
    ms += pool.cpuMs + pool.coreWaitMs;
    if (blockedThreads === null || toMs <= first || fromMs >= last) continue;
    isSampled = true;
    seen += blockedThreads;
    ms += blockedThreads * (toMs - fromMs);
    longestMs = Math.max(longestMs, toMs - fromMs);
  }
  return { ms, errorMs: isSampled ? longestMs * Math.sqrt(seen + 1) : 0 };
}
