import { itemAt } from '../collections/item-at.js';
import { lowerBound } from '../collections/lower-bound.js';
import { blockedTime } from '../libuv/blocked-time.js';
import { recordedUsage } from '../libuv/recorded-usage.js';
import type { TracedJob, TracedProcess, UsageInterval } from '../results/trace.js';

/** What a job took on its pool thread: CPU time, and time in which it neither computed nor waited for a core. */
export interface OnThread {
  readonly cpuMs: Float64Array;
  readonly blockedMs: Float64Array;
  /** Of the CPU time: what other threads of the process computed for the jobs, all together. */
  readonly lentMs: number;
}

/** Pure computation: these never wait for anything but a core. */
const COMPUTES = /^(crypto|zlib)\b/;
/** These wait for the kernel, never for another thread of the process. */
const OF_NODE = /^(crypto|zlib|fs|dns)\b/;
/** CPU time per job that a pool thread needs to take it and to hand back its result, at most; more is something else. */
const MOST_OVERHEAD_MS = 0.1;

/**
 * Split the time that the jobs of a process spent on pool threads.
 *
 * CPU time is known per job for crypto, zlib and add-ons; what the pool's threads used beyond that belongs to fs and dns, by
 * kind, as the intervals tell (least squares). Waiting for a core is known for all threads of the pool together: jobs that
 * only compute account for it first, the others share what is left. What remains is blocked time; of that there is no more than
 * the samples of the threads can have missed, since a blocked thread is told from one that waits for a core.
 *
 * A job of an add-on may be blocked because threads of the add-on's own do its work (libvips under sharp does so). What other
 * threads use, and wait for a core, in step with such blocked jobs is theirs: computing, which cores limit, and no blocked time.
 */
export function splitOnThread({ jobs, usage: all }: Pick<TracedProcess, 'jobs' | 'usage'>): OnThread {
  const { usage, isSeen } = recordedUsage(all);
  const seenJobs = jobs.map(({ endMs }) => isSeen(endMs));
  const cpuMs = estimateCpu(jobs, usage, seenJobs);
  const waiting = waitingShares(jobs, cpuMs, usage);
  const blockedMs = new Float64Array(jobs.length);
  for (const [index, job] of jobs.entries()) {
    const away = Math.max(0, spanOf(job) - itemAt(cpuMs, index));
    if (!COMPUTES.test(job.kind)) blockedMs[index] = away * (1 - itemAt(waiting, index));
  }
  const seen = blockedTime(jobs, usage);
  const ofSeen = blockedMs.filter((_, index) => seenJobs[index]);
  const share = seen === null ? 1 : (seen.ms + seen.errorMs) / sum(ofSeen);
  return lend(jobs, usage, {
    cpuMs,
    blockedMs: share < 1 ? blockedMs.map((blocked) => blocked * share) : blockedMs,
    lentMs: 0,
  });
}

function lend(jobs: readonly TracedJob[], usage: readonly UsageInterval[], own: OnThread): OnThread {
  const isLentTo = jobs.map(({ kind }) => !OF_NODE.test(kind));
  if (!isLentTo.includes(true) || usage.length === 0) return own;
  const blocked = new Float64Array(usage.length);
  overlaps(jobs, usage, (index, interval, share) => {
    if (isLentTo[index]) blocked[interval] = itemAt(blocked, interval) + itemAt(own.blockedMs, index) * share;
  });
  const others = usage.map(({ other }) => other);
  const [computing = 0] = leastSquares(
    [blocked],
    others.map(({ cpuMs }) => cpuMs),
    1,
  );
  const [waiting = 0] = leastSquares(
    [blocked],
    others.map(({ coreWaitMs }) => coreWaitMs),
    1 - computing,
  );
  const lent = own.blockedMs.map((ms, index) => (isLentTo[index] ? ms * computing : 0));
  return {
    cpuMs: own.cpuMs.map((ms, index) => ms + itemAt(lent, index)),
    blockedMs: own.blockedMs.map((ms, index) => (isLentTo[index] ? ms * (1 - computing - waiting) : ms)),
    lentMs: sum(lent),
  };
}

const spanOf = ({ startMs, endMs }: TracedJob): number => Math.max(0, endMs - startMs);

/** Call `take` with the share of every job's span that lies in each interval. */
function overlaps(
  jobs: readonly TracedJob[],
  usage: readonly UsageInterval[],
  take: (job: number, interval: number, share: number) => void,
): void {
  for (const [index, job] of jobs.entries()) {
    const span = spanOf(job);
    for (let at = lowerBound(usage, ({ toMs }) => toMs <= job.startMs); at < usage.length; at++) {
      const { fromMs, toMs } = usage[at] as UsageInterval;
      if (fromMs > job.endMs) break;
      const common = Math.min(toMs, job.endMs) - Math.max(fromMs, job.startMs);
      if (span === 0) {
        take(index, at, 1);
        break;
      }
      if (common > 0) take(index, at, common / span);
    }
  }
}

/** CPU time of each job, estimated where it is not known; the threads' overhead for each is added. */
function estimateCpu(
  jobs: readonly TracedJob[],
  usage: readonly UsageInterval[],
  seen: readonly boolean[],
): Float64Array {
  const cpuMs = Float64Array.from(jobs, ({ cpuMs: known }) => known ?? 0);
  if (usage.length === 0) return cpuMs;
  const left = Float64Array.from(usage, ({ pool }) => pool.cpuMs);
  const unknownKinds = [
    ...new Set(jobs.filter(({ cpuMs: known }) => known === null).map(({ kind }) => kind)),
  ];
  const spans = unknownKinds.map(() => new Float64Array(usage.length));
  const kindOf = new Map(unknownKinds.map((kind, index) => [kind, index]));
  overlaps(jobs, usage, (index, interval, share) => {
    const job = jobs[index] as TracedJob;
    if (job.cpuMs !== null) left[interval] = itemAt(left, interval) - job.cpuMs * share;
    else {
      const row = spans[kindOf.get(job.kind) as number] as Float64Array;
      row[interval] = itemAt(row, interval) + spanOf(job) * share;
    }
  });
  const ratios = leastSquares(spans, left, 1);
  for (const [index, job] of jobs.entries())
    if (job.cpuMs === null) cpuMs[index] = spanOf(job) * itemAt(ratios, kindOf.get(job.kind) as number);
  const covered = cpuMs.filter((_, index) => seen[index]);
  const used = usage.reduce((total, { pool }) => total + pool.cpuMs, 0);
  const overhead = Math.min(MOST_OVERHEAD_MS, Math.max(0, used - sum(covered)) / Math.max(1, covered.length));
  return cpuMs.map((cpu) => cpu + overhead);
}

/** Of each job's time off the CPU, the share in which it waited for a core. */
function waitingShares(
  jobs: readonly TracedJob[],
  cpuMs: Float64Array,
  usage: readonly UsageInterval[],
): Float64Array {
  const shares = new Float64Array(jobs.length);
  if (usage.length === 0) return shares;
  const computing = new Float64Array(usage.length);
  const others = new Float64Array(usage.length);
  const away = (index: number): number => Math.max(0, spanOf(itemAt(jobs, index)) - itemAt(cpuMs, index));
  overlaps(jobs, usage, (index, interval, share) => {
    const row = COMPUTES.test(itemAt(jobs, index).kind) ? computing : others;
    row[interval] = itemAt(row, interval) + away(index) * share;
  });
  const ofComputing = usage.map(({ pool }, at) => portion(pool.coreWaitMs, itemAt(computing, at)));
  const ofOthers = usage.map(({ pool }, at) =>
    portion(pool.coreWaitMs - itemAt(computing, at), itemAt(others, at)),
  );
  overlaps(jobs, usage, (index, interval, share) => {
    const row = COMPUTES.test(itemAt(jobs, index).kind) ? ofComputing : ofOthers;
    shares[index] = itemAt(shares, index) + share * itemAt(row, interval);
  });
  return shares.map((share) => Math.min(1, share));
}

const portion = (part: number, whole: number): number =>
  whole <= 0 ? 0 : Math.min(1, Math.max(0, part / whole));

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);

const SWEEPS = 200;

/**
 * Factors from 0 to `most`, one per row, with which the rows add up to `target` as nearly as can be: coordinate descent.
 *
 * @example
 * leastSquares([[1, 2], [1, 0]], [3, 4], 10); // about [1.5, 2.5]
 */
export function leastSquares(
  rows: readonly ArrayLike<number>[],
  target: ArrayLike<number>,
  most: number,
): number[] {
  const factors = rows.map(() => 0);
  const left = Float64Array.from(target);
  const norms = rows.map((row) => Array.from(row).reduce((total, value) => total + value * value, 0));
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let moved = 0;
    for (const [index, row] of rows.entries()) {
      if (norms[index] === 0) continue;
      let slope = 0;
      for (let at = 0; at < left.length; at++) slope += itemAt(row, at) * itemAt(left, at);
      const before = itemAt(factors, index);
      const after = Math.min(most, Math.max(0, before + slope / itemAt(norms, index)));
      for (let at = 0; at < left.length; at++)
        left[at] = itemAt(left, at) - (after - before) * itemAt(row, at);
      factors[index] = after;
      moved = Math.max(moved, Math.abs(after - before));
    }
    if (moved < 1e-9) break;
  }
  return factors;
}
