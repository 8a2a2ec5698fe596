import { lowerBound } from '../collections/lower-bound.js';
import type { PoolEvent } from '../libuv/job.js';
import type { Line, RecordedLine } from './child/lines.cjs';

/** A call that may have submitted a job. */
export interface Call {
  readonly at: number;
  readonly request: string | null;
  /** `null` when its stack was not taken. */
  readonly frames: readonly string[] | null;
}

type Span = Readonly<{ from: number; to: number }>;

/** The recording of one process, all in the order of time; times are microseconds of process.hrtime. */
export interface ProcessLog {
  readonly process: Line<'process'>;
  readonly events: readonly PoolEvent[];
  /** Of the app's main thread. */
  readonly calls: readonly Call[];
  /** Tracing stood still for a moment, because events were fetched. */
  readonly gaps: readonly Span[];
  /** Submissions within a window count. */
  readonly windows: readonly Line<'window'>[];
  /** Nothing was traced between two windows. */
  readonly pauses: readonly Span[];
  readonly samples: readonly Line<'threads'>[];
  /** Threads of Workers, the app's and the recorder's. */
  readonly workers: ReadonlySet<number>;
  readonly recorder: number | null;
  readonly problems: readonly Line<'problem'>[];
  /** `null` when the process was killed. */
  readonly end: Line<'end'> | null;
}

/**
 * The recordings in a file: of one process, or of several that had the same id one after another. The line that a killed
 * process left unfinished is skipped.
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
    .flatMap((line) => line.events.map((event): PoolEvent => ({ args: {}, ...event })))
    .sort((a, b) => a.ts - b.ts);
  const workers = of('worker');
  const windows = of('window');
  const resumed = (at: number): number => windows.find(({ from }) => from > at)?.from ?? Infinity;
  return {
    process: of('process')[0] as Line<'process'>,
    events,
    calls: callsOf(of('calls'), of('stack'), of('request')),
    gaps: narrowed(of('gap'), events),
    windows,
    pauses: of('pause').map(({ at }) => ({ from: at, to: resumed(at) })),
    samples: of('threads'),
    workers: new Set(workers.map(({ tid }) => tid)),
    recorder: workers.find(({ isRecorder }) => isRecorder)?.tid ?? null,
    problems: of('problem'),
    end: of('end')[0] ?? null,
  };
}

function callsOf(
  lines: readonly Line<'calls'>[],
  stacks: readonly Line<'stack'>[],
  requests: readonly Line<'request'>[],
): Call[] {
  const framesOf = new Map(stacks.map(({ number, frames }) => [number, frames]));
  framesOf.set(0, []);
  const nameOf = new Map(requests.map(({ number, name }) => [number, name]));
  return lines
    .flatMap(({ calls }) => calls)
    .map(([at, request, stack]) => ({
      at,
      request: nameOf.get(request) ?? null,
      frames: framesOf.get(stack) ?? null,
    }));
}

/** Within the time of a fetch, tracing stood still where no event was seen for longest. */
const narrowed = (asked: readonly Span[], events: readonly PoolEvent[]): Span[] =>
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
