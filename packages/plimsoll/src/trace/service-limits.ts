import { least, most } from '../collections/extremes.js';
import { lowerBound } from '../collections/lower-bound.js';
import { sum } from '../collections/sum.js';
import type { PoolJob, Unplaced } from '../libuv/job.js';
import { placeJobs } from '../libuv/replay.js';
import type { UsageInterval } from '../results/trace.js';

/** Sums are taken for equal that differ by this factor and so many standard errors of what was seen. */
const TOLERANCE = 1.05;
const ERRORS = 2;
const US = 1000;

/**
 * Place jobs so that those of fs have not been on the pool's threads for longer, all together, than the threads were seen
 * to be at work.
 *
 * Node tells of them only when their result was taken. While the event loop is busy that is long after their end, and a
 * pool that waits for its loop would seem saturated. But the kernel's clocks and samples tell how long the threads were at
 * work in all; what known jobs and lookups leave of it belongs to fs. So of the time in which its event loop may have been
 * busy no job of fs gets more than a limit, chosen so that the sum comes out; what the loop was idle for it has been on its
 * thread. Its end stays `inferred`.
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
  const first = clock(least(jobs.map(({ submitted }) => submitted)));
  const seen = atWork(usage, first, clock(most(jobs.map(({ returned }) => returned))));
  const left = Math.max(0, seen.ms * US - onThreads(placed.filter((job) => !isFile(job))));
  const enough = left * TOLERANCE + ERRORS * seen.errorMs * US;
  if (usage.length === 0 || onThreads(placed.filter(isFile)) <= enough) return placed;
  const files = jobs.filter(isFile);
  const longest = new Map(
    files.map((job) => [job, job.loop === main ? mostWait(clock(job.returned), usage) * US : Infinity]),
  );
  /** Of the time since a moment, what may have been the loop's; for the rest the job was on its thread for sure. */
  const late = (job: Unplaced, since: number): number =>
    Math.min(job.returned - since, longest.get(job) as number);
  const sure = (job: Unplaced, since: number): number => job.returned - since - late(job, since);
  const limit = levelOf(
    files.map((job) => late(job, job.submitted)),
    left - sum(files.map((job) => sure(job, job.submitted))),
  );
  return placeJobs(jobs, size, (job, started) => (isFile(job) ? sure(job, started) + limit : Infinity));
}

/** What each may have at most, so that all together have `total`. */
function levelOf(wishes: readonly number[], total: number): number {
  let left = Math.max(0, total);
  for (const [index, wish] of wishes.toSorted((a, b) => a - b).entries()) {
    const level = left / (wishes.length - index);
    if (level <= wish) return level;
    left -= wish;
  }
  return Infinity;
}

/** The kernel books what a running thread uses at ticks; most have 250 of them in a second. */
const TICK_MS = 4;

/** For how long before `time` an event loop can have been at work without a pause, in milliseconds. */
function mostWait(time: number, usage: readonly UsageInterval[]): number {
  let until = time;
  let index = lowerBound(usage, ({ toMs }) => toMs < time);
  for (let look = usage[index]; look !== undefined; look = usage[--index]) {
    const busy = look.eventLoop.cpuMs + look.eventLoop.coreWaitMs + TICK_MS;
    if (busy < until - look.fromMs) return time - until + busy;
    until = look.fromMs;
  }
  return Infinity;
}

const isFile = ({ kind }: Unplaced): boolean => kind === 'fs';

const onThreads = (jobs: readonly PoolJob[]): number =>
  sum(jobs.map(({ started, ended }) => (ended ?? 0) - (started ?? 0)));

/**
 * Milliseconds that the pool's threads were at work: on a core or waiting for one, which the kernel's clocks tell, or
 * blocked, which samples see. The error is that of the samples: a count's is its root; one more, because seeing nobody does
 * not mean that there was nobody.
 */
function atWork(usage: readonly UsageInterval[], from: number, to: number): { ms: number; errorMs: number } {
  const looks = usage.flatMap(({ blockedThreads, fromMs, toMs }) =>
    blockedThreads === null || toMs <= from || fromMs >= to ? [] : { blockedThreads, ms: toMs - fromMs },
  );
  const blockedMs = sum(looks.map(({ blockedThreads, ms }) => blockedThreads * ms));
  const seen = sum(looks.map(({ blockedThreads }) => blockedThreads));
  return {
    ms: sum(usage.map(({ pool }) => pool.cpuMs + pool.coreWaitMs)) + blockedMs,
    errorMs: looks.length === 0 ? 0 : most(looks.map(({ ms }) => ms)) * Math.sqrt(seen + 1),
  };
}
