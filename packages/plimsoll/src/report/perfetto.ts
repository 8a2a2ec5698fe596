import type { Span, Timeline, TimelineExperiment } from '../results/timeline.js';

/** An event of Chrome's trace format, which ui.perfetto.dev opens. Times are microseconds. */
export interface TraceEvent {
  readonly ph: 'X' | 'M';
  readonly name: string;
  readonly cat?: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly args: Readonly<Record<string, unknown>>;
}

const MAIN = 1;
const POOL = 100;
const REQUEST = 10_000;
/** Lanes of one request: its jobs may overlap. */
const LANES = 100;

/** A process for every experiment; in it a lane for the main thread, one per pool thread, and one per request. */
export function perfettoTrace(result: Timeline): { traceEvents: TraceEvent[] } {
  return {
    traceEvents: result.experiments.flatMap((experiment, index) =>
      experimentEvents(experiment, result, index + 1),
    ),
  };
}

function experimentEvents(
  { requests, spans, timings }: TimelineExperiment,
  { operation, size }: Timeline,
  pid: number,
): TraceEvent[] {
  const name = (kind: 'process_name' | 'thread_name', tid: number, text: string): TraceEvent => ({
    ...{ ph: 'M', name: kind, pid, tid, args: { name: text } },
  });
  const slice = (tid: number, what: string, from: number, to: number, span: Span): TraceEvent => ({
    ...{ ph: 'X', name: what, cat: span.where, pid, tid },
    ts: from * 1000,
    dur: (to - from) * 1000,
    args: { request: span.request, cpuMs: span.cpuMs, inferred: span.inferred },
  });
  const lanes = new Map<number, number[]>();
  return [
    name('process_name', 0, `${operation}: ${requests} requests, ${size} pool threads`),
    name('thread_name', MAIN, 'main thread'),
    ...Array.from({ length: size }, (_, thread) =>
      name('thread_name', POOL + thread + 1, `pool thread ${thread + 1}`),
    ),
    ...timings.map(({ request }) => name('thread_name', REQUEST + request * LANES, `request ${request}`)),
    ...spans.flatMap((span) => {
      const { request, where, what, submitMs, startMs, endMs, callbackMs, thread, inferred } = span;
      if (where === 'main' && endMs > startMs)
        return [slice(MAIN, `request ${request}`, startMs, endMs, span)];
      const tid = REQUEST + request * LANES + laneOf(lanes, span);
      const onThread =
        thread === null
          ? [slice(tid, inferred ? `${what} (inferred)` : what, startMs, endMs, span)]
          : [slice(POOL + thread, `request ${request}: ${what}`, startMs, endMs, span)];
      return [
        slice(tid, 'waiting in the queue', submitMs, startMs, span),
        ...onThread,
        slice(tid, 'waiting for the event loop', endMs, callbackMs, span),
      ].filter(({ dur = 0 }) => dur > 0);
    }),
  ];
}

function laneOf(lanes: Map<number, number[]>, { request, submitMs, callbackMs }: Span): number {
  const ends = lanes.get(request) ?? [];
  lanes.set(request, ends);
  const free = ends.findIndex((end) => end <= submitMs);
  const lane = Math.min(free === -1 ? ends.length : free, LANES - 1);
  ends[lane] = callbackMs;
  return lane;
}
