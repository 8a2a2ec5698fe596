import { type PoolJob, placeJobs, servePool, type Unplaced } from '../experiment/pool-jobs.js';
import type { UsageInterval } from '../results/trace.js';
import { quantile } from '../stats/quantile.js';

/** Sums that differ by less are taken for equal. */
const TOLERANCE = 1.05;
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
 * pool that waits for its loop would look saturated. How long the threads were at work in all is known otherwise: from the
 * kernel's clocks (on a core, or waiting for one) and from looks at what they did (which sees blocking as well). What known
 * jobs and lookups have of it is theirs; the rest belongs to fs. So no job of fs is taken to last longer than a multiple of
 * the quick ones of its kind, and the multiple is chosen so that the sum comes out.
 *
 * A job's own end stays an estimate: it is `inferred`.
 */
export function placeWithin(
  jobs: readonly Unplaced[],
  size: number,
  usage: readonly UsageInterval[],
): PoolJob[] {
  const placed = placeJobs(jobs, size);
  const seen = atWork(usage) * US;
  const spent = sum(placed.filter(({ kind }) => kind === 'work' || kind === 'dns'));
  const left = Math.max(0, seen - spent);
  if (usage.length === 0 || sum(placed.filter(isFile)) <= left * TOLERANCE) return placed;
  const quick = quickOnes(placed.filter(isFile));
  const longest =
    (power: number) =>
    (job: Unplaced): number =>
      job.kind === 'fs' ? 2 ** power * (quick.get(job.name) ?? 0) : Number.POSITIVE_INFINITY;
  let low = LEAST_POWER;
  let high = MOST_POWER;
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    let total = 0;
    servePool(jobs, size, longest(middle), (job, started, ended) => {
      if (job.kind === 'fs') total += ended - started;
    });
    if (total > left) high = middle;
    else low = middle;
  }
  return placeJobs(jobs, size, longest(low));
}

const isFile = ({ kind }: PoolJob): boolean => kind === 'fs';

const service = ({ started, ended }: PoolJob): number => (ended ?? 0) - (started ?? 0);

const sum = (jobs: readonly PoolJob[]): number => jobs.reduce((total, job) => total + service(job), 0);

/** Milliseconds that the pool's threads were at work, by the better informed of two witnesses. */
function atWork(usage: readonly UsageInterval[]): number {
  const clocks = usage.reduce((total, { pool }) => total + pool.cpuMs + pool.waitedMs, 0);
  const looks = usage.reduce(
    (total, { busyThreads, fromMs, toMs }) => total + (busyThreads ?? 0) * (toMs - fromMs),
    0,
  );
  return Math.max(clocks, looks);
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
