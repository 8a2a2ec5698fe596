import { lowerBound } from '../collections/lower-bound.js';
import CATEGORIES from '../lab/child/trace-categories.cjs';
import type { PoolEvent } from '../libuv/job.js';
import type { Line, RecordedEvent, RecordedLine } from './child/lines.cjs';

/** What may have brought a job. */
export interface Call {
  readonly at: number;
  readonly request: string | null;
  /** As they were recorded; `null` when this call was not looked at. */
  readonly frames: readonly string[] | null;
}

type Gap = Pick<Line<'gap'>, 'from' | 'to'>;
export type ProcessLog = ReturnType<typeof logOf>;

/** What a file tells: of one process, or of several that had the same id one after another. */
export function parseProcessLogs(text: string): ProcessLog[] {
  const lines = text.split('\n').flatMap((line): RecordedLine[] => {
    try {
      return line === '' ? [] : [JSON.parse(line) as RecordedLine];
    } catch {
      // Its process was killed.
      return [];
    }
  });
  const starts = lines.flatMap(({ type }, index) => (type === 'process' ? [index] : []));
  return starts.map((start, index) => logOf(lines.slice(start, starts[index + 1])));
}

/** Everything that one process left, in the order of its time: microseconds of process.hrtime. */
function logOf(lines: readonly RecordedLine[]) {
  const of = <Type extends RecordedLine['type']>(type: Type): Line<Type>[] =>
    lines.filter((line): line is Extract<RecordedLine, Line<Type>> => line.type === type);
  const events = of('events')
    .flatMap((line) => line.events.map(poolEvent))
    .sort((a, b) => a.ts - b.ts);
  const frames = new Map(of('stack').map((stack) => [stack.number, stack.frames])).set(0, []);
  const requests = new Map(of('request').map(({ number, name }) => [number, name]));
  return {
    process: of('process')[0] as Line<'process'>,
    events,
    /** Of the app's own thread. */
    calls: of('calls').flatMap(({ calls }) => callsOf(calls, frames, requests)),
    /** Times in which tracing may have paused. */
    gaps: of('gap').map((gap) => narrowed(gap, events)),
    samples: of('threads'),
    workers: of('worker'),
    problems: of('problem'),
    /** `null` when the process was killed. */
    end: of('end')[0] ?? null,
  };
}

function callsOf(
  base64: string,
  framesOf: ReadonlyMap<number, readonly string[]>,
  nameOf: ReadonlyMap<number, string>,
): Call[] {
  const fields = new Float64Array(new Uint8Array(Buffer.from(base64, 'base64')).buffer);
  return Array.from({ length: fields.length / 3 }, (_, call) => {
    const [at = 0, request = 0, stack = 0] = fields.subarray(3 * call);
    return { at, request: nameOf.get(request) ?? null, frames: framesOf.get(stack) ?? null };
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
function narrowed({ from, to }: Gap, events: readonly PoolEvent[]): Gap {
  const first = lowerBound(events, ({ ts }) => ts <= from);
  const last = lowerBound(events, ({ ts }) => ts < to);
  const times = [from, ...events.slice(first, last).map(({ ts }) => ts), to];
  const pauses = times.slice(1).map((ts, index) => ({ from: times[index] as number, to: ts }));
  return pauses.reduce((longest, pause) =>
    pause.to - pause.from > longest.to - longest.from ? pause : longest,
  );
}
