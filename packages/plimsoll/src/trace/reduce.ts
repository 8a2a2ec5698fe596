import { lowerBound } from '../collections/lower-bound.js';
import type { PoolEvent } from '../libuv/job.js';
import { finishedJobs } from '../libuv/jobs.js';
import { poolSizeOf } from '../libuv/pool-size.js';
import type { Caller, TracedProcess, TraceNote } from '../results/trace.js';
import { callersOf, kindOf, scriptName } from './callers.js';
import type { ProcessLog } from './process-log.js';
import { placeWithin } from './service-limits.js';
import { poolThreads, usageIntervals } from './threads.js';

const US = 1000;

/**
 * What a process recorded, as jobs of its pool.
 *
 * @param origin when the recording of all processes began, in microseconds of process.hrtime.
 */
export function reduce(log: ProcessLog, origin: number): { process: TracedProcess; notes: TraceNote[] } {
  const { at, pid, node, libuv, script, sizeText } = log.process;
  const { events, samples } = log;
  const clock = (us: number): number => Math.round(Math.max(0, us - origin)) / US;
  const pool = poolThreads(log);
  const observedThreads = pool === null || pool.size === 0 ? null : pool.size;
  const size = poolSizeOf(sizeText, libuv);
  const usage = usageIntervals(log, pool, clock);
  const finished = finishedJobs(events, crossing(log.gaps)).filter(({ kind }) => kind !== 'kernel');
  const jobs = placeWithin(finished, observedThreads ?? size, usage, pid, clock);
  const callers = callersOf(jobs, log.calls, pid);
  return {
    process: {
      ...{ pid, node, script: script === null ? null : scriptName(script), observedThreads, size, usage },
      startMs: clock(at),
      endMs: clock(log.end?.at ?? Math.max(at, samples.at(-1)?.at ?? 0, events.at(-1)?.ts ?? 0)),
      jobs: jobs.map((job, index) => ({
        kind: kindOf(job),
        caller: callers[index] as Caller,
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
      })),
    },
    notes: notesOf(log),
  };
}

/** A run over a gap that is not so many times as long as the gap may have begun as one job and ended as another. */
const SAFE_CROSSING = 10;

const crossing =
  (gaps: ProcessLog['gaps']) =>
  (begin: number, end: number): boolean => {
    const gap = gaps[lowerBound(gaps, ({ to }) => to < begin)];
    return gap !== undefined && gap.from < end && end - begin < SAFE_CROSSING * (gap.to - gap.from);
  };

function notesOf({ process: { pid }, problems, end, events }: ProcessLog): TraceNote[] {
  const isKilled = end === null && !problems.some(({ id }) => id === 'other-tracing' || id === 'worker');
  return [
    ...problems.map(({ type, id, ...more }) => ({ id: `trace.${id}`, pid, ...more })),
    ...(isKilled ? [{ id: 'trace.killed', pid }] : []),
    ...Object.entries(incomplete(events)).flatMap(([id, count]) =>
      count === 0 ? [] : { id: `trace.${id}`, pid, count },
    ),
  ];
}

/** Events whose counterpart got lost, and jobs that were under way when the recording ended. */
function incomplete(events: readonly PoolEvent[]): { unbalanced: number; unfinished: number } {
  /** By category, and by id or thread. Entries stay, see asyncPairs. */
  const open = new Map<string, boolean>();
  let unbalanced = 0;
  let unfinished = 0;
  for (const { ph, cat, id, tid } of events) {
    const key = `${cat} ${id ?? tid}`;
    const begins = ph === 'b' || ph === 'B';
    if (begins === (open.get(key) === true)) unbalanced++;
    else if (id !== undefined) unfinished += begins ? 1 : -1;
    open.set(key, begins);
  }
  return { unbalanced, unfinished };
}
