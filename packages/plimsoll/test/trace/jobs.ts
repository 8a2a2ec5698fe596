import type { Caller, TracedJob, TracedProcess } from 'plimsoll';

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
  usage: [],
  ...rest,
});
