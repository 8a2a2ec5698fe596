import { lowerBound } from '../collections/lower-bound.js';
import type { PoolEvent, PoolJob } from '../libuv/job.js';
import { finishedJobs } from '../libuv/jobs.js';
import { poolSizeOf } from '../libuv/pool-size.js';
import type { Caller, TracedJob, TracedProcess, TraceNote } from '../results/trace.js';
import { callersOf, kindOf, scriptName } from './callers.js';
import type { ProcessLog } from './process-log.js';
import { placeWithin } from './service-limits.js';
import { poolThreads, usageIntervals } from './threads.js';

/** A run over a gap that is not so many times as long as the gap may have begun as one job and ended as another. */
const SAFE_CROSSING = 10;

/**
 * What a process recorded, as jobs of its pool.
 *
 * @param origin when the recording of all processes began, in microseconds of process.hrtime.
 */
export function reduce(
  recording: ProcessLog,
  origin: number,
): { readonly process: TracedProcess; readonly notes: readonly TraceNote[] } {
  const { process, events, end, gaps, samples } = recording;
  const clock = (us: number): number => Math.round(Math.max(0, us - origin)) / 1000;
  const pool = poolThreads(recording);
  const size = poolSizeOf(process.sizeText, process.libuv);
  const observedThreads = pool === null || pool.size === 0 ? null : pool.size;
  const usage = usageIntervals(recording, pool, clock);
  const jobs = placeWithin(
    finishedJobs(events, crossing(gaps)).filter(({ kind }) => kind !== 'kernel'),
    observedThreads ?? size,
    usage,
    process.pid,
    clock,
  );
  const callers = callersOf(jobs, recording.calls, process.pid);
  const last = end?.at ?? Math.max(process.at, samples.at(-1)?.at ?? 0, events.at(-1)?.ts ?? 0);
  return {
    process: {
      pid: process.pid,
      node: process.node,
      script: process.script === null ? null : scriptName(process.script),
      observedThreads,
      size,
      usage,
      startMs: clock(process.at),
      endMs: clock(last),
      jobs: jobs.map((job, index) => tracedJob(job, callers[index] as Caller, clock)),
    },
    notes: notesOf(recording),
  };
}

/** Whether a run may be made of two jobs, because its beginning and its end lie on two sides of a gap. */
function crossing(gaps: ProcessLog['gaps']): (begin: number, end: number) => boolean {
  return (begin, end) => {
    const gap = gaps[lowerBound(gaps, ({ to }) => to < begin)];
    return gap !== undefined && gap.from < end && end - begin < SAFE_CROSSING * (gap.to - gap.from);
  };
}

const US = 1000;

const tracedJob = (job: PoolJob, caller: Caller, clock: (us: number) => number): TracedJob => ({
  kind: kindOf(job),
  caller,
  slowIo: job.kind === 'dns',
  loopThread: job.loop,
  submitMs: clock(job.submitted),
  startMs: clock(job.started ?? job.submitted),
  endMs: clock(job.ended ?? job.returned),
  callbackMs: clock(job.returned),
  cpuMs: job.cpu === null ? null : job.cpu / US,
  thread: job.tid,
  inferred: job.inferred,
  queued: job.waited,
});

/** Events whose counterpart got lost, and jobs that were under way when the recording ended. */
function unbalanced(events: readonly PoolEvent[]): { lost: number; unfinished: number } {
  /** By category, and by id or thread. Entries stay, see asyncPairs. */
  const open = new Map<string, boolean>();
  let lost = 0;
  let unfinished = 0;
  for (const { ph, cat, id, tid } of events) {
    const key = `${cat} ${id ?? tid}`;
    const begins = ph === 'b' || ph === 'B';
    if (begins === (open.get(key) === true)) lost++;
    else if (id !== undefined) unfinished += begins ? 1 : -1;
    open.set(key, begins);
  }
  return { lost, unfinished };
}

function notesOf({ process: { pid }, problems, end, events }: ProcessLog): TraceNote[] {
  const { lost, unfinished } = unbalanced(events);
  const isKilled = end === null && !problems.some(({ id }) => id === 'other-tracing' || id === 'worker');
  return [
    ...problems.map(({ type, id, ...more }) => ({ id: `trace.${id}`, pid, ...more })),
    ...(isKilled ? [{ id: 'trace.killed', pid }] : []),
    ...(lost === 0 ? [] : [{ id: 'trace.unbalanced', pid, count: lost }]),
    ...(unfinished === 0 ? [] : [{ id: 'trace.unfinished', pid, count: unfinished }]),
  ];
}
