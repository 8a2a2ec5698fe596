import type { Caller, TracedJob, TracedProcess } from 'plimsoll';
import type { Line } from '#plimsoll/trace/child/lines.cjs';

const callers = new Map<string, Caller>();

/** The caller of a kind: one object for each. */
const callerOf = (kind: string): Caller => {
  const caller = callers.get(kind) ?? { request: null, kind, frames: [] };
  callers.set(kind, caller);
  return caller;
};

/** A job of 1 ms that waited for nothing, submitted at `submitMs`. */
export const job = (submitMs: number, rest: Partial<TracedJob> = {}): TracedJob => ({
  caller: callerOf(rest.kind ?? 'crypto'),
  kind: 'crypto',
  weight: 1,
  slowIo: false,
  loopThread: 1,
  submitMs,
  startMs: submitMs,
  endMs: submitMs + 1,
  callbackMs: submitMs + 1,
  cpuMs: null,
  thread: null,
  inferred: false,
  queued: false,
  ...rest,
});

export const tracedProcess = (
  jobs: readonly TracedJob[],
  rest: Partial<TracedProcess> = {},
): TracedProcess => ({
  pid: 1,
  node: '20.20.2',
  script: 'app.js',
  observedThreads: 4,
  size: 4,
  startMs: 0,
  endMs: 1000,
  jobs,
  windows: [{ fromMs: 0, toMs: 1e6, weight: 1 }],
  usage: [],
  ...rest,
});

/** A trace event in short: the letter of its category, `null` for what it lacks. */
export type ShortEvent = readonly [
  ph: string,
  category: keyof typeof CATEGORIES,
  name: string,
  tid: number,
  ts: number,
  tts: number | null,
  id: string | null,
  result: number | null,
];

const CATEGORIES = {
  w: 'node.threadpoolwork.async',
  r: 'node.threadpoolwork.sync',
  f: 'node.fs.async',
  d: 'node.dns.native',
} as const;

export const eventsLine = (all: readonly ShortEvent[]): Line<'events'> => ({
  type: 'events',
  events: all.map(([ph, category, name, tid, ts, tts, id, result]) => ({
    ...{ ph, cat: CATEGORIES[category], name, tid, ts },
    ...(tts === null ? {} : { tts }),
    ...(id === null ? {} : { id }),
    args: result === null ? {} : { result },
  })),
});
