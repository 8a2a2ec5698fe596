import { lowerBound } from '../collections/lower-bound.js';
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
  const events = of('events')
    .flatMap((line) => line.events.map(poolEvent))
    .sort((a, b) => a.ts - b.ts);
  const workers = of('worker');
  return {
    process: of('process')[0] as Line<'process'>,
    events,
    calls: callsOf(of('calls'), of('stack'), of('request')),
    gaps: narrowed(of('gap'), events),
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

/** Tracing stood still where, within the time in which the recorder asked for it, nothing was seen for longest. */
const narrowed = (asked: readonly Line<'gap'>[], events: readonly PoolEvent[]): ProcessLog['gaps'] =>
  asked.map(({ from, to }) => {
    let longest = { from, to: from };
    let last = from;
    for (let next = lowerBound(events, ({ ts }) => ts <= from); last < to; next++) {
      const ts = Math.min(to, events[next]?.ts ?? to);
      if (ts - last > longest.to - longest.from) longest = { from: last, to: ts };
      last = ts;
    }
    return longest;
  });
