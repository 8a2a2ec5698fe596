import { sum } from '../collections/sum.js';
import type { PoolEvent, PoolJob } from '../libuv/job.js';
import { poolJobs } from '../libuv/jobs.js';
import type { Span, TimelineExperiment } from '../results/timeline.js';
import type { RequestRecord } from './messages.js';

/** Shorter times on the event-loop thread are not drawn; submitting a job takes this long. */
const LEAST_MAIN_MS = 0.2;
/** What remains of a request is a wait outside the process; a shorter remainder is only callbacks. */
const LEAST_WAIT_MS = 1;
/** A gap in a request without a known wait must be this share of it to be drawn. */
const LEAST_UNKNOWN = 0.1;
const NEARLY_ALL = 0.8;

export function buildSpans(
  requests: readonly RequestRecord[],
  events: readonly PoolEvent[],
  size: number,
): Pick<TimelineExperiment, 'spans' | 'timings' | 'wallMs'> {
  const origin = Math.min(...requests.map(({ startedMs }) => startedMs));
  const clock = (ms: number): number => round(Math.max(0, ms - origin));
  const jobs = poolJobs(events, size).filter(({ kind }) => kind !== 'kernel');
  const threads = [...new Set(jobs.flatMap(({ tid }) => tid ?? []))].sort((a, b) => a - b);
  /** Whether the event-loop thread ran further requests for nearly all of the time, so that this one waited for it. */
  const loopWasBusy = (from: number, to: number, waiting: RequestRecord): boolean => {
    const overlaps = requests
      .filter((request) => request !== waiting)
      .flatMap(({ ran }) => ran)
      .map(([since, until]) => Math.min(to, until - origin) - Math.max(from, since - origin));
    return sum(overlaps.map((overlap) => Math.max(0, overlap))) >= NEARLY_ALL * (to - from);
  };
  const spans = requests.flatMap((request, index) => {
    const number = index + 1;
    const pool = jobs
      .filter((job) => belongsTo(job, request))
      .map((job) => poolSpan(job, number, threads, clock));
    const main = request.ran
      .filter(([since, until]) => until - since >= LEAST_MAIN_MS)
      .map(([since, until]) => plainSpan(number, 'main', 'main thread', clock(since), clock(until)));
    const known = [...pool, ...main].sort((a, b) => a.submitMs - b.submitMs);
    const waits = request.waits.length === 0 ? 'unknown' : request.waits.join(', ');
    const unknownMs = request.waits.length > 0 ? 0 : LEAST_UNKNOWN * (request.endedMs - request.startedMs);
    const least = Math.max(LEAST_WAIT_MS, unknownMs);
    const gaps = gapsBetween(known, clock(request.startedMs), clock(request.endedMs), least);
    return [
      ...known,
      ...gaps.map(([from, to]) =>
        loopWasBusy(from, to, request)
          ? { ...plainSpan(number, 'main', 'event loop', from, from), callbackMs: to }
          : plainSpan(number, 'kernel', waits, from, to),
      ),
    ].sort((a, b) => a.submitMs - b.submitMs);
  });
  return {
    wallMs: clock(Math.max(...requests.map(({ endedMs }) => endedMs))),
    timings: requests.map(({ startedMs, endedMs }, index) => ({
      request: index + 1,
      startMs: clock(startedMs),
      endMs: clock(endedMs),
    })),
    spans,
  };
}

/** Trace events have microseconds only. */
const round = (ms: number): number => Math.round(ms * 1000) / 1000;

/** A job belongs to the request whose code ran when it was submitted, since there is one event loop. */
const belongsTo = ({ submitted }: PoolJob, { ran }: RequestRecord): boolean =>
  ran.some(([since, until]) => since * 1000 - 1 <= submitted && submitted <= until * 1000 + 1);

function poolSpan(
  job: PoolJob,
  request: number,
  threads: readonly number[],
  clock: (ms: number) => number,
): Span {
  const at = (microseconds: number | null): number => clock((microseconds ?? job.returned) / 1000);
  return {
    ...{ request, what: job.name, where: 'pool', inferred: job.inferred, queued: job.waited },
    submitMs: at(job.submitted),
    startMs: at(job.started),
    endMs: at(job.ended),
    callbackMs: at(job.returned),
    thread: job.tid === null ? null : threads.indexOf(job.tid) + 1,
    cpuMs: job.cpu === null ? null : round(job.cpu / 1000),
  };
}

const plainSpan = (
  request: number,
  where: 'main' | 'kernel',
  what: string,
  from: number,
  to: number,
): Span => ({
  ...{ request, what, where, inferred: false, queued: false, thread: null, cpuMs: null },
  ...{ submitMs: from, startMs: from, endMs: to, callbackMs: to },
});

function gapsBetween(spans: readonly Span[], from: number, to: number, least: number): [number, number][] {
  const gaps: [number, number][] = [];
  let covered = from;
  for (const { submitMs, callbackMs } of spans) {
    if (submitMs - covered >= least) gaps.push([covered, submitMs]);
    covered = Math.max(covered, callbackMs);
  }
  if (to - covered >= least) gaps.push([covered, to]);
  return gaps;
}
