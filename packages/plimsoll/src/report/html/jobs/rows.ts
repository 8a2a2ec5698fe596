import { slowJobLimit } from '../../../libuv/pool-size.js';
import { formatMs } from '../../format.js';
import { type Family, isWait, type Job, type Other, type Panel } from './panel.js';

export interface Bar {
  readonly state: 'running' | 'waiting' | 'finished';
  readonly family: Family;
  readonly fromMs: number;
  readonly toMs: number;
  readonly inferred: boolean;
  readonly title: string;
}

export interface Row {
  readonly label: string;
  readonly height: number;
  readonly bars: readonly Bar[];
  /** A line under it, with its meaning. */
  readonly ceiling?: string;
}

const MOST_LANES = 24;
const MOST_THREADS = 64;
const THREAD = { high: 18, low: 9, highUpTo: 16 };
const LANE = { high: 9, low: 5, highUpTo: 8 };
/** Times are rounded to microseconds; two jobs of one thread may seem to overlap by that. */
const TOLERANCE_MS = 0.002;

interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The rows of a picture from the top down: event loops, waiting jobs, pool threads, what is outside; and what is left out. */
export function rowsOf(panel: Panel, titleOf: (job: Job) => string): { rows: Row[]; leftOut: string[] } {
  const waiting = waitingRows(panel);
  const threads = threadRows(panel, titleOf);
  const outside = outsideRows(panel);
  return {
    rows: [...loopRows(panel), ...waiting.rows, ...threads.rows, ...outside.rows],
    leftOut: [...waiting.leftOut, ...threads.leftOut, ...outside.leftOut],
  };
}

function loopRows({ loops, jobs, others, durationMs }: Panel): Row[] {
  return Array.from({ length: loops }, (_, loop) => {
    const busy = others.filter(({ family }) => loop === 0 && family === 'main').map(barOfOther);
    const late = jobs
      .filter((job) => job.loop === loop && job.callbackMs - job.endMs >= durationMs * 0.002)
      .map(
        ({ family, endMs, callbackMs, inferred, what }): Bar => ({
          state: 'finished',
          family,
          fromMs: endMs,
          toMs: callbackMs,
          inferred,
          title: `${what}: its result waited for the event loop`,
        }),
      );
    return {
      label: loops === 1 ? 'event loop' : `event loop ${loop + 1}`,
      height: THREAD.high,
      bars: [...busy, ...late],
    };
  });
}

const barOfOther = ({ what, family, owner, fromMs, toMs }: Other): Bar => ({
  state: 'running',
  family,
  fromMs,
  toMs,
  inferred: false,
  title: `${owner}: ${what}`,
});

function waitingRows({ jobs }: Panel): { rows: Row[]; leftOut: string[] } {
  const waits = jobs.filter(isWait).map((job) => ({ job, fromMs: job.submitMs, toMs: job.startMs }));
  const { lanes, unplaced } = pack(waits, MOST_LANES);
  return {
    rows: lanes.map((lane, index) => ({
      label: index === 0 ? 'waiting' : '',
      height: lanes.length > LANE.highUpTo ? LANE.low : LANE.high,
      bars: lane.map(({ job, fromMs, toMs }) => ({
        state: 'waiting',
        family: job.family,
        fromMs,
        toMs,
        inferred: job.inferred,
        title: `${job.what} waited ${formatMs(toMs - fromMs)} for a thread`,
      })),
    })),
    leftOut: unplaced === 0 ? [] : [`${unplaced} more waited at the same time`],
  };
}

/** Jobs on their threads; one whose thread is not known on a thread that was free, slow I/O first, which has a part of them. */
function threadRows(panel: Panel, titleOf: (job: Job) => string): { rows: Row[]; leftOut: string[] } {
  const { size, jobs } = panel;
  const lanes: Job[][] = Array.from({ length: size }, () => []);
  const extra: Job[] = [];
  for (const job of jobs) if (job.thread !== null) laneFor(lanes, job.thread - 1).push(job);
  const unknown = jobs.filter(({ thread }) => thread === null).toSorted((a, b) => a.startMs - b.startMs);
  for (const job of [...unknown.filter(({ slowIo }) => slowIo), ...unknown.filter(({ slowIo }) => !slowIo)]) {
    const lane = lanes.find((taken) => isFree(taken.map(spanOf), spanOf(job)));
    (lane ?? extra).push(job);
  }
  const limit = jobs.some(({ slowIo }) => slowIo) ? slowJobLimit(size) : 0;
  const used = lanes
    .map((lane, index) => ({ lane, number: index + 1 }))
    .filter(({ lane, number }) => lane.length > 0 || number === limit || size <= THREAD.highUpTo);
  const drawn = used.slice(0, MOST_THREADS);
  const height = drawn.length > THREAD.highUpTo ? THREAD.low : THREAD.high;
  const idle = lanes.length - used.length;
  return {
    rows: drawn.map(({ lane, number }, index) => ({
      label: height === THREAD.high || index % 4 === 0 ? `thread ${number}` : '',
      height,
      bars: lane.map((job) => barOfJob(job, titleOf(job))),
      ...(number === limit && limit < size ? { ceiling: `at most ${limit} of ${size} serve lookups` } : {}),
    })),
    leftOut: [
      ...(used.length > drawn.length ? [`${used.length - drawn.length} more threads ran jobs`] : []),
      ...(idle > 0 ? [`${idle} of ${size} threads ran none of these jobs`] : []),
      ...(extra.length > 0 ? [`${extra.length} jobs fit on no thread by their inferred times`] : []),
    ],
  };
}

function laneFor(lanes: Job[][], index: number): Job[] {
  while (lanes.length <= index) lanes.push([]);
  return lanes[index] as Job[];
}

const barOfJob = ({ family, startMs, endMs, inferred }: Job, title: string): Bar => ({
  state: 'running',
  family,
  fromMs: startMs,
  toMs: endMs,
  inferred,
  title,
});

function outsideRows({ others }: Panel): { rows: Row[]; leftOut: string[] } {
  const outside = others.filter(({ family }) => family === 'outside');
  const { lanes, unplaced } = pack(outside, MOST_LANES);
  return {
    rows: lanes.map((lane, index) => ({
      label: index === 0 ? 'no thread' : '',
      height: LANE.high,
      bars: lane.map(barOfOther),
    })),
    leftOut: unplaced === 0 ? [] : [`${unplaced} more waited outside at the same time`],
  };
}

const spanOf = ({ startMs, endMs }: Job): Span => ({ fromMs: startMs, toMs: endMs });

const isFree = (taken: readonly Span[], { fromMs, toMs }: Span): boolean =>
  taken.every((other) => other.toMs <= fromMs + TOLERANCE_MS || toMs <= other.fromMs + TOLERANCE_MS);

/** Each span on the first lane that is free again. */
function pack<T extends Span>(spans: readonly T[], most: number): { lanes: T[][]; unplaced: number } {
  const lanes: T[][] = [];
  let unplaced = 0;
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const free = lanes.find((lane) => (lane.at(-1) as T).toMs <= span.fromMs + TOLERANCE_MS);
    if (free !== undefined) free.push(span);
    else if (lanes.length < most) lanes.push([span]);
    else unplaced++;
  }
  return { lanes, unplaced };
}
