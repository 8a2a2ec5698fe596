import { itemAt } from '../collections/item-at.js';
import { activeIntervals } from '../libuv/blocked-time.js';
import { recordedUsage } from '../libuv/recorded-usage.js';
import type { Background } from '../model/workload.js';
import type { TracedJob, TracedProcess, TracedRequest, UsageInterval } from '../results/trace.js';
import { quantile } from '../stats/quantile.js';
import { leastSquares } from './on-thread.js';

/** What the event loops of a process take for a job, and beside the jobs. Milliseconds of CPU time. */
export interface LoopCosts {
  /** For a submission and a callback together. */
  readonly perJobMs: number;
  /** For a request, beside its jobs. */
  readonly perRequestMs: number;
  readonly background: Background;
}

/** Below this share background work cannot be told from nothing. */
const LEAST_SHARE = 0.01;
const MOST_SHARE = 0.98;
const SHORTEST_BURST_MS = 0.1;
const FREE: LoopCosts = { perJobMs: 0, perRequestMs: 0, background: { share: 0, burstMs: 0 } };

/**
 * Estimate them from what the loop's thread used, interval by interval: a part that goes with the callbacks, one that goes with
 * the requests, and one that goes with the time. How long the bursts of the last are, usage does not tell: see `calibrate.ts`.
 *
 * Where not all requests were followed, hooks made those that were dearer than others: then it is estimated from the intervals
 * in which all jobs were recorded, and what it comes to, from all of them.
 *
 * @param seenMs what callbacks of jobs were seen to take until they gave the pool the next job; that is no background.
 * @param allJobs how many jobs there were, with those of requests that were not followed.
 */
export function loopCosts(
  { jobs, usage, requests }: Pick<TracedProcess, 'jobs' | 'usage' | 'requests'>,
  seenMs = 0,
  allJobs = jobs.length,
): LoopCosts {
  const whole = activeIntervals([...jobs, ...requests.map(wayOf)], usage);
  const { usage: active } = recordedUsage(whole);
  if (active.length === 0) return FREE;
  const callbacks = countPer(
    active,
    jobs.map(({ callbackMs }) => callbackMs),
  );
  const submissions = countPer(
    active,
    jobs.map(({ submitMs }) => submitMs),
  );
  const asked = countPer(
    active,
    requests.map(({ startMs }) => startMs),
  );
  const work = callbacks.map((count, at) => (count + itemAt(submissions, at)) / 2);
  const lengths = active.map(({ fromMs, toMs }) => toMs - fromMs);
  const used = active.map(({ eventLoop }) => eventLoop.cpuMs);
  const rows = requests.length === 0 ? [work] : [work, asked];
  const inAll = sumsOf(whole);
  const computedMs = seenMs * (inAll.usedMs / Math.max(Number.MIN_VALUE, inAll.usedMs + inAll.waitedMs));
  const share = Math.min(
    backgroundShare(active, rows, used, lengths),
    Math.max(0, inAll.usedMs - computedMs) / inAll.ms,
  );
  const factors = leastSquares(
    rows,
    used.map((cpu, at) => Math.max(0, cpu - share * itemAt(lengths, at))),
    Number.POSITIVE_INFINITY,
  );
  const [job = 0, request = 0] = factors;
  // All that was used beside the background belongs to them.
  const isPart = active.length < whole.length;
  const explained =
    job * (isPart ? allJobs : total(work)) + request * (isPart ? requests.length : total(asked));
  const scale = explained > 0 ? Math.max(0, inAll.usedMs - share * inAll.ms) / explained : 0;
  return {
    perJobMs: job * scale,
    perRequestMs: request * scale,
    background: share < LEAST_SHARE ? FREE.background : { share, burstMs: SHORTEST_BURST_MS },
  };
}

const sumsOf = (
  intervals: readonly UsageInterval[],
): { readonly ms: number; readonly usedMs: number; readonly waitedMs: number } => ({
  ms: total(intervals.map(({ fromMs, toMs }) => toMs - fromMs)),
  usedMs: total(intervals.map(({ eventLoop }) => eventLoop.cpuMs)),
  waitedMs: total(intervals.map(({ eventLoop }) => eventLoop.coreWaitMs)),
});

/** An event loop that had or wanted a core for so much of the time had no room for more. */
const SATURATED = 0.9;
/** Fewer of the intervals than this with a loop that is not saturated tell nothing of the others. */
const LEAST_ROOM = 0.25;

/**
 * The share of the time that a loop is at work whatever comes, if that explains what it used better than jobs and requests alone
 * do. A saturated loop is always at work, however many jobs it serves: that is no background.
 */
function backgroundShare(
  intervals: readonly UsageInterval[],
  rows: readonly (readonly number[])[],
  used: readonly number[],
  lengths: readonly number[],
): number {
  const free = [...intervals.keys()].filter((at) => {
    const { eventLoop } = itemAt(intervals, at);
    return eventLoop.cpuMs + eventLoop.coreWaitMs < SATURATED * itemAt(lengths, at);
  });
  if (free.length < LEAST_ROOM * intervals.length) return 0;
  const pick = (values: readonly number[]): number[] => free.map((at) => itemAt(values, at));
  const [target, ofJobs, ofTime] = [pick(used), rows.map(pick), pick(lengths)];
  const alone = fit(ofJobs, target);
  const both = fit([...ofJobs, ofTime], target);
  const share = both.factors.at(-1) ?? 0;
  return share < LEAST_SHARE || alone.criterion <= both.criterion ? 0 : Math.min(MOST_SHARE, share);
}

function fit(
  rows: readonly (readonly number[])[],
  target: readonly number[],
): { readonly factors: readonly number[]; readonly criterion: number } {
  const factors = leastSquares(rows, target, Number.POSITIVE_INFINITY);
  const misfit = total(
    target.map(
      (value, at) => (value - total(rows.map((row, index) => itemAt(factors, index) * itemAt(row, at)))) ** 2,
    ),
  );
  return { factors, criterion: criterion(misfit, target.length, rows.length) };
}

const wayOf = ({ startMs, endMs }: TracedRequest): { submitMs: number; callbackMs: number } => ({
  submitMs: startMs,
  callbackMs: endMs ?? startMs,
});

/**
 * Akaike's information criterion for few observations (Hurvich and Tsai 1989): of two explanations the one with less of it.
 * With a handful of intervals, more factors fit anything.
 */
function criterion(squares: number, observations: number, factors: number): number {
  const parameters = factors + 1;
  const left = observations - parameters - 1;
  if (left <= 0) return Number.POSITIVE_INFINITY;
  return (
    observations * Math.log(Math.max(squares, Number.MIN_VALUE) / observations) +
    2 * parameters +
    (2 * parameters * (parameters + 1)) / left
  );
}

function countPer(intervals: readonly UsageInterval[], moments: readonly number[]): number[] {
  const counts = intervals.map(() => 0);
  let at = 0;
  for (const time of moments.toSorted((a, b) => a - b)) {
    while (at < intervals.length && itemAt(intervals, at).toMs <= time) at++;
    if (at < intervals.length && itemAt(intervals, at).fromMs <= time) counts[at] = itemAt(counts, at) + 1;
  }
  return counts;
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const DEFAULT_WAKE_MS = 0.03;
const LONGEST_WAKE_MS = 0.5;

/** From a signal to a sleeping thread until it runs: what jobs that found an idle thread took to start. */
export function wakeUpMs(jobs: readonly TracedJob[]): number {
  const starts = jobs
    .filter(({ inferred, queued }) => !inferred && !queued)
    .map(({ submitMs, startMs }) => startMs - submitMs);
  // One of the quickest: others found all cores taken.
  return starts.length === 0
    ? DEFAULT_WAKE_MS
    : Math.min(LONGEST_WAKE_MS, Math.max(0, quantile(starts, 0.1)));
}
