import CATEGORIES from '../lab/child/trace-categories.cjs';
import type { PoolEvent } from '../libuv/job.js';
import type { Line, RecordedEvent, RecordedLine } from './child/lines.cjs';

/** What may have brought a job. */
export interface Call {
  readonly at: number;
  readonly request: string | null;
  /** As it was told; `null` when this one was not looked at. */
  readonly frames: readonly string[] | null;
}

/** Everything that one process left, put in order; times are microseconds of process.hrtime. */
export interface ProcessLog {
  readonly process: Line<'process'>;
  /** In the order of their time. */
  readonly events: readonly PoolEvent[];
  /** Of the app's own thread, in the order of their time. */
  readonly calls: readonly Call[];
  /** Times in which tracing may have paused. */
  readonly gaps: readonly Pick<Line<'gap'>, 'from' | 'to'>[];
  readonly samples: readonly Line<'threads'>[];
  /** Threads of Workers: of the app, and of the recorder. */
  readonly workers: ReadonlySet<number>;
  readonly recorder: number | null;
  readonly problems: readonly Line<'problem'>[];
  /** `null` when the process was killed. */
  readonly end: Line<'end'> | null;
}

/**
 * The recordings in what a recorder wrote: of one process, or of several that had the same id one after another. A line
 * that was cut off when its process was killed is left out.
 */
export function parseProcessLogs(text: string): ProcessLog[] {
  const lines = text.split('\n').flatMap((line): RecordedLine[] => {
    try {
      return line === '' ? [] : [JSON.parse(line) as RecordedLine];
    } catch {
      return [];
    }
  });
  const starts = lines.flatMap(({ type }, index) => (type === 'process' ? [index] : []));
  return starts.map((start, index) => recording(lines.slice(start, starts[index + 1])));
}

function recording(lines: readonly RecordedLine[]): ProcessLog {
  const of = <Type extends RecordedLine['type']>(type: Type): Line<Type>[] =>
    lines.filter((line): line is Extract<RecordedLine, Line<Type>> => line.type === type);
  const batches = of('events').map(({ events }) => events.map(poolEvent));
  const workers = of('worker');
  return {
    process: of('process')[0] as Line<'process'>,
    events: batches.flat().sort((a, b) => a.ts - b.ts),
    calls: callsOf(of('calls'), of('stack'), of('request')),
    gaps: narrowed(of('gap'), batches),
    samples: of('threads'),
    workers: new Set(workers.map(({ tid }) => tid)),
    recorder: workers.find(({ isRecorder }) => isRecorder)?.tid ?? null,
    problems: of('problem'),
    end: of('end')[0] ?? null,
  };
}

const FIELDS = 3;
const NO_FRAMES: readonly string[] = [];

function callsOf(
  lines: readonly Line<'calls'>[],
  stacks: readonly Line<'stack'>[],
  requests: readonly Line<'request'>[],
): Call[] {
  const framesOf = new Map(stacks.map(({ number, frames }) => [number, frames]));
  framesOf.set(0, NO_FRAMES);
  const nameOf = new Map(requests.map(({ number, name }) => [number, name]));
  return lines.flatMap(({ calls }) => {
    const bytes = Buffer.from(calls, 'base64');
    const field = (call: number, index: number): number => bytes.readDoubleLE(8 * (FIELDS * call + index));
    return Array.from({ length: bytes.length / 8 / FIELDS }, (_, call) => ({
      at: field(call, 0),
      request: nameOf.get(field(call, 1)) ?? null,
      frames: framesOf.get(field(call, 2)) ?? null,
    }));
  });
}

const NO_ARGS = {};

/** All of one shape: there may be a million. */
const poolEvent = ([ph, cat, name, tid, ts, tts, id, result]: RecordedEvent): PoolEvent => ({
  ph,
  cat: CATEGORIES[cat],
  name,
  tid,
  ts,
  tts: tts ?? undefined,
  id: id ?? undefined,
  args: result === null ? NO_ARGS : { result },
});

/**
 * When tracing stood still: between the last event of one batch and the first of the next, within the time in which the
 * recorder asked for it. Each time that it asked made one such place, in the same order; where nothing had happened there
 * is none to be seen.
 */
function narrowed(asked: readonly Line<'gap'>[], batches: readonly PoolEvent[][]): ProcessLog['gaps'] {
  const ends = batches
    .map((events) => ({
      first: events.reduce((least, { ts }) => Math.min(least, ts), Number.POSITIVE_INFINITY),
      last: events.reduce((most, { ts }) => Math.max(most, ts), Number.NEGATIVE_INFINITY),
    }))
    .sort((a, b) => a.first - b.first);
  const inOrder = asked.toSorted((a, b) => a.from - b.from);
  const gaps: { from: number; to: number }[] = [];
  let next = 0;
  for (const [index, { last }] of ends.entries()) {
    while (next < inOrder.length && (inOrder[next]?.to ?? 0) < last) next++;
    const time = inOrder[next++];
    if (time === undefined) break;
    const from = Math.max(time.from, last);
    const to = Math.min(time.to, ends[index + 1]?.first ?? time.to);
    gaps.push({ from: Math.min(from, to), to: Math.max(from, to) });
  }
  return gaps;
}
