import { basename, isAbsolute, relative } from 'node:path';
import { lowerBound } from '../collections/lower-bound.js';
import type { PoolEvent, PoolJob } from '../libuv/job.js';
import { finishedJobs } from '../libuv/jobs.js';
import { poolSizeOf } from '../libuv/pool-size.js';
import type { Recording, TracedJob, TracedProcess, TracedRequest } from '../results/trace.js';
import { jobsOfCalls, matchCalls, type ThreadCalls, threadCalls } from './calls.js';
import { mergeChannel } from './channel-jobs.js';
import { operationsOf } from './operations.js';
import type { ProcessLog } from './process-log.js';
import { recordedTimes } from './recorded-times.js';
import { tracedRequests } from './requests.js';
import { placeWithin } from './service-limits.js';
import { poolThreads, usageIntervals } from './threads.js';

type Note = Recording['notes'][number];

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
): { readonly process: TracedProcess; readonly notes: readonly Note[] } {
  const { process, events, end, gaps, samples } = recording;
  const clock = (us: number): number => Math.round(Math.max(0, us - origin)) / 1000;
  const calls = threadCalls(recording);
  const ofCalls = jobsOfCalls(calls);
  const pool = poolThreads(recording, events.length > 0 || ofCalls.jobs.length + ofCalls.unfinished > 0);
  const size = poolSizeOf(process.sizeText, process.libuv);
  const observedThreads = pool === null || pool.size === 0 ? null : pool.size;
  const times = recordedTimes(recording);
  const usage = usageIntervals(recording, pool, clock, times);
  const ofEvents = matchCalls(finishedJobs(events, crossing(gaps)), calls);
  const found = mergeChannel(
    [...ofEvents, ...ofCalls.jobs].sort((a, b) => a.submitted - b.submitted),
    recording.channel,
  );
  const placed = placeWithin(
    found.filter(({ kind }) => kind !== 'kernel'),
    observedThreads ?? size,
    usage,
    process.pid,
    clock,
  );
  const requests = tracedRequests(recording, clock);
  const called = operationsOf(placed, calls, clock, requests.indexOf);
  const last = end?.at ?? Math.max(process.at, samples.at(-1)?.at ?? 0, events.at(-1)?.ts ?? 0);
  return {
    process: {
      pid: process.pid,
      ppid: process.ppid,
      node: process.node,
      script: scriptName(process.script),
      observedThreads,
      size,
      usage,
      startMs: clock(process.at),
      endMs: clock(last),
      jobs: placed.map((job, index) => ({
        ...tracedJob(job, clock),
        ...(called.jobs[index] ?? { parent: null, cause: null, operation: null }),
      })),
      operations: called.operations,
      requests: requests.requests,
    },
    notes: [
      ...notesOf(recording, unbalanced(events), calls, ofCalls.unfinished, times.isPart),
      ...requests.notes,
      ...(times.isPart ? [followedNote(process.pid, requests.requests)] : []),
    ],
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

const tracedJob = (
  job: PoolJob,
  clock: (us: number) => number,
): Omit<TracedJob, 'parent' | 'cause' | 'operation'> => ({
  kind: kindOf(job),
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

const kindOf = ({ kind, name }: PoolJob): string => (kind === 'work' ? name : `${kind}.${name}`);

/** Events whose counterpart got lost, and jobs that were under way when the recording ended. */
function unbalanced(events: readonly PoolEvent[]): { lost: number; unfinished: number } {
  /** By category and then by id, or by thread; entries stay, see asyncPairs. */
  const open = new Map<string, Map<string | number, boolean>>();
  let lost = 0;
  let unfinished = 0;
  for (const { ph, cat, id, tid } of events) {
    let own = open.get(cat);
    if (own === undefined) {
      own = new Map();
      open.set(cat, own);
    }
    const key = id ?? tid;
    const isOpen = own.get(key) === true;
    const begins = ph === 'b' || ph === 'B';
    own.set(key, begins);
    if (begins === isOpen) lost++;
    else if (id !== undefined) unfinished += begins ? 1 : -1;
  }
  return { lost, unfinished };
}

function notesOf(
  { process, problems, end }: ProcessLog,
  { lost, unfinished: begun }: ReturnType<typeof unbalanced>,
  calls: readonly ThreadCalls[],
  called: number,
  isPart: boolean,
): Note[] {
  const { pid } = process;
  const unfinished = begun + called;
  const lostCalls = calls.reduce((sum, own) => sum + own.lost, 0);
  const isKilled = end === null && !problems.some(({ id }) => id === 'other-tracing' || id === 'worker');
  return [
    ...problems.map(({ type, id, ...more }) => ({ id: `trace.${id}`, pid, ...more })),
    ...(isKilled ? [{ id: 'trace.killed', pid }] : []),
    ...(lostCalls === 0 ? [] : [{ id: 'trace.calls-lost', pid, count: lostCalls }]),
    // What is cut off where recording stops and goes on is not lost.
    ...(isPart || lost === 0 ? [] : [{ id: 'trace.unbalanced', pid, count: lost }]),
    ...(isPart || unfinished === 0 ? [] : [{ id: 'trace.unfinished', pid, count: unfinished }]),
  ];
}

const followedNote = (pid: number, requests: readonly TracedRequest[]): Note => ({
  id: 'trace.sampled',
  pid,
  count: requests.filter(({ sampled }) => sampled).length,
});

/**
 * A script as reports may show it: below the working directory by its path from there, elsewhere by its name alone.
 *
 * @example
 * scriptName('/home/me/app/src/server.js', '/home/me/app'); // 'src/server.js'
 */
function scriptName(script: string | null, directory = process.cwd()): string | null {
  if (script === null) return null;
  const path = relative(directory, script);
  return path === '' || path.startsWith('..') || isAbsolute(path) ? basename(script) : path;
}
