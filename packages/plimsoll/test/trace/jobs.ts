import type { TracedJob, TracedProcess } from 'plimsoll';

/** A job of 1 ms that waited for nothing, submitted at `submitMs`. */
export const job = (submitMs: number, rest: Partial<TracedJob> = {}): TracedJob => ({
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
