import { lowerBound } from '../collections/lower-bound.js';
import type { PoolJob, Unplaced } from '../libuv/job.js';
import { type Longest, placeJobs, replayPool } from '../libuv/replay.js';
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
 * pool that waits for its loop would sample saturated. How long the threads were at work in all is known otherwise: from the
 * kernel's clocks (on a core, or waiting for one) and from samples at what they did (which sees blocking as well). What known
 * jobs and lookups have of it is theirs; the rest belongs to fs. So no job of fs is taken to last longer than a multiple of
 * the quick ones of its kind, and the multiple is chosen so that the sum comes out. Unless its event loop had nothing to do:
 * then the result was taken when it was there.
 *
 * A job's own end stays an estimate: it is `inferred`.
 *
 * @param main the thread whose use of a core is `loop` of the intervals.
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
  const recorded = recordedUsage(usage);
  const isSeen = (job: Unplaced): boolean => recorded.isSeen(clock(job.returned));
  const seen = atWork(jobs, recorded.usage, clock);
  const spent = sum(placed.filter((job) => isSeen(job) && (job.kind === 'work' || job.kind === 'dns')));
  const left = Math.max(0, seen.ms * US - spent);
  const most = left * TOLERANCE + ERRORS * seen.errorMs * US;
  if (recorded.usage.length === 0 || sum(placed.filter((job) => isFile(job) && isSeen(job))) <= most)
    return placed;
  const quick = quickOnes(placed.filter(isFile));
  const waits = new Map(
    jobs.map((job) => [
      job,
      job.loop === main ? mostWait(clock(job.returned), usage) * US : Number.POSITIVE_INFINITY,
    ]),
  );
  const longest =
    (power: number): Longest =>
    (job, started) =>
      job.kind === 'fs'
        ? Math.max(
            2 ** power * (quick.get(job.name) ?? 0),
            job.returned - (waits.get(job) as number) - started,
          )
        : Number.POSITIVE_INFINITY;
  let low = LEAST_POWER;
  let high = MOST_POWER;
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    let total = 0;
    replayPool(jobs, size, longest(middle), (index, { started, ended }) => {
      const job = jobs[index];
      if (job?.kind === 'fs' && isSeen(job)) total += ended - started;
    });
    if (total > left) high = middle;
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

const isFile = ({ kind }: PoolJob): boolean => kind === 'fs';

const service = ({ started, ended }: PoolJob): number => (ended ?? 0) - (started ?? 0);

const sum = (jobs: readonly PoolJob[]): number => jobs.reduce((total, job) => total + service(job), 0);

/**
 * Milliseconds that the pool's threads were at work: on a core or waiting for one, which the kernel's clocks tell, or blocked,
 * which samples see. Where samples do not tell the one from the other, the better informed of these witnesses.
 */
function atWork(
  jobs: readonly Unplaced[],
  usage: readonly UsageInterval[],
  clock: (us: number) => number,
): { readonly ms: number; readonly errorMs: number } {
  const clocks = usage.reduce((total, { pool }) => total + pool.cpuMs + pool.coreWaitMs, 0);
  const first = jobs.reduce(
    (least, { submitted }) => Math.min(least, clock(submitted)),
    Number.POSITIVE_INFINITY,
  );
  const last = jobs.reduce((most, { returned }) => Math.max(most, clock(returned)), 0);
  const blocked = blockedTime(usage.filter(({ fromMs, toMs }) => toMs > first && fromMs < last));
  if (blocked !== null) return { ms: clocks + blocked.ms, errorMs: blocked.errorMs };
  const samples = usage.reduce(
    (total, { busyThreads, fromMs, toMs }) => total + (busyThreads ?? 0) * (toMs - fromMs),
    0,
  );
  return { ms: Math.max(clocks, samples), errorMs: 0 };
}

/**
 * For how long samples saw threads blocked in jobs, all together, and the standard error of that (a count's is its root; one
 * more, because seeing nobody does not mean that there was nobody). `null` where the kernel does not tell.
 */
function blockedTime(
  samples: readonly UsageInterval[],
): { readonly ms: number; readonly errorMs: number } | null {
  if (samples.length === 0) return null;
  let seen = 0;
  let ms = 0;
  let longestMs = 0;
  for (const { blockedThreads, fromMs, toMs } of samples) {
    if (blockedThreads == null) return null;
    seen += blockedThreads;
    ms += blockedThreads * (toMs - fromMs);
    longestMs = Math.max(longestMs, toMs - fromMs);
  }
  return { ms, errorMs: longestMs * Math.sqrt(seen + 1) };
}

/** The intervals of which all jobs were recorded, and whether a time lies in one: only there can jobs and use be set against each other. */
function recordedUsage(usage: readonly UsageInterval[]): {
  readonly usage: readonly UsageInterval[];
  readonly isSeen: (ms: number) => boolean;
} {
  const recorded = usage.filter((interval) => interval.recorded !== false);
  if (recorded.length === usage.length) return { usage, isSeen: () => true };
  return {
    usage: recorded,
    isSeen(ms) {
      const next = recorded[lowerBound(recorded, ({ toMs }) => toMs < ms)];
      return next !== undefined && next.fromMs <= ms;
    },
  };
}

/** How long a quick job of each kind took, in microseconds. */
function quickOnes(jobs: readonly PoolJob[]): Map<string, number> {
  const times = new Map<string, number[]>();
  for (const job of jobs) {
    const own = times.get(job.name) ?? [];
    own.push(job.returned - (job.started ?? job.submitted));
    times.set(job.name, own);
  }
  return new Map([...times].map(([name, values]) => [name, Math.max(1, quantile(values, QUICK))]));
}
