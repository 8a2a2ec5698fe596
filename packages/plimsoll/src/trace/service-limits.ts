import { grouped } from '../collections/grouped.js';
import { lowerBound } from '../collections/lower-bound.js';
import { sum } from '../collections/sum.js';
import type { PoolJob, Unplaced } from '../libuv/job.js';
import { type Longest, placeJobs } from '../libuv/replay.js';
import type { UsageInterval } from '../results/trace.js';
import { quantile } from '../stats/quantile.js';

/** Sums that differ by less are taken for equal. */
const TOLERANCE = 1.05;
/** And what differs from what was seen by no more standard errors of that. */
const ERRORS = 2;
/** Multiples of a kind's quick jobs that are tried, as powers of two. */
const LEAST_POWER = -4;
const MOST_POWER = 14;
const STEPS = 9;
const QUICK = 0.05;
const US = 1000;

/**
 * Place jobs so that those of fs have not been on the pool's threads for longer, all together, than the threads were seen
 * to be at work.
 *
 * Node tells of them only when their result was taken. While the event loop is busy that is long after their end, and a
 * pool that waits for its loop would seem saturated. How long the threads were at work in all is known otherwise: from the
 * kernel's clocks (on a core, or waiting for one) and from samples (blocked). What known jobs and lookups have of it is
 * theirs; the rest belongs to fs. So no job of fs is taken to last longer than a multiple of the quick ones of its kind,
 * and the multiple is chosen so that the sum comes out. Unless its event loop had nothing to do: then the result was taken
 * when it was there.
 *
 * A job's own end stays an estimate: it is `inferred`.
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
  const files = placed.filter(isFile);
  const seen = atWork(jobs, usage, clock);
  const left = Math.max(0, seen.ms * US - onThreads(placed.filter((job) => !isFile(job))));
  const most = left * TOLERANCE + ERRORS * seen.errorMs * US;
  if (usage.length === 0 || onThreads(files) <= most) return placed;
  const quick = quickTimes(files);
  const longestWait = new Map(
    jobs.map((job) => [
      job,
      job.loop === main ? mostWait(clock(job.returned), usage) * US : Number.POSITIVE_INFINITY,
    ]),
  );
  const longest =
    (power: number): Longest =>
    (job, started) =>
      isFile(job)
        ? Math.max(
            2 ** power * (quick.get(job.name) ?? 0),
            job.returned - (longestWait.get(job) as number) - started,
          )
        : Number.POSITIVE_INFINITY;
  let low = LEAST_POWER;
  let high = MOST_POWER;
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (onThreads(placeJobs(jobs, size, longest(middle)).filter(isFile)) > left) high = middle;
    else low = middle;
  }
  return placeJobs(jobs, size, longest(low));
}

/** The kernel books what a running thread uses at ticks; most have 250 of them in a second. */
const TICK_MS = 4;

/** For how long before `time` an event loop can have been at work without a pause, in milliseconds. */
function mostWait(time: number, usage: readonly UsageInterval[]): number {
  let until = time;
  const last = lowerBound(usage, ({ toMs }) => toMs < time);
  if (last === usage.length) return Number.POSITIVE_INFINITY;
  for (let at = last; at >= 0; at--) {
    const { fromMs, eventLoop } = usage[at] as UsageInterval;
    const busy = eventLoop.cpuMs + eventLoop.coreWaitMs + TICK_MS;
    if (busy < until - fromMs) return time - until + busy;
    until = fromMs;
  }
  return Number.POSITIVE_INFINITY;
}

const isFile = ({ kind }: Unplaced): boolean => kind === 'fs';

const onThreads = (jobs: readonly PoolJob[]): number =>
  sum(jobs.map(({ started, ended }) => (ended ?? 0) - (started ?? 0)));

/**
 * Milliseconds that the pool's threads were at work: on a core or waiting for one, which the kernel's clocks tell, or
 * blocked, which samples see. The error is that of the samples: a count's is its root; one more, because seeing nobody does
 * not mean that there was nobody.
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
  let isTold = false;
  for (const { pool, blockedThreads, fromMs, toMs } of usage) {
    ms += pool.cpuMs + pool.coreWaitMs;
    if (blockedThreads === null || toMs <= first || fromMs >= last) continue;
    isTold = true;
    seen += blockedThreads;
    ms += blockedThreads * (toMs - fromMs);
    longestMs = Math.max(longestMs, toMs - fromMs);
  }
  return { ms, errorMs: isTold ? longestMs * Math.sqrt(seen + 1) : 0 };
}

/** How long a quick job of each kind took, in microseconds. */
const quickTimes = (jobs: readonly PoolJob[]): Map<string, number> =>
  new Map(
    [...grouped(jobs, ({ name }) => name)].map(([name, alike]) => {
      const times = alike.map(({ returned, started, submitted }) => returned - (started ?? submitted));
      return [name, Math.max(1, quantile(times, QUICK))];
    }),
  );
