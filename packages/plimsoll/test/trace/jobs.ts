import type { TracedJob, TracedOperation, TracedProcess, TracedRequest } from 'plimsoll';

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
  parent: null,
  cause: null,
  operation: null,
  ...rest,
});

export const tracedProcess = (
  jobs: readonly TracedJob[],
  rest: Partial<TracedProcess> = {},
): TracedProcess => ({
  pid: 1,
  ppid: 0,
  node: '20.20.2',
  script: 'app.js',
  observedThreads: 4,
  size: 4,
  startMs: 0,
  endMs: 1000,
  jobs,
  operations: [],
  requests: [],
  usage: [],
  ...rest,
});

/** One that was answered after 10 ms. */
export const request = (startMs: number, rest: Partial<TracedRequest> = {}): TracedRequest => ({
  kind: 'http',
  route: 'GET /',
  connection: 1,
  loopThread: 1,
  startMs,
  endMs: startMs + 10,
  end: 'answered',
  sampled: true,
  ...rest,
});

/** A call of 5 ms for a request. */
export const operation = (startMs: number, request: number | null): TracedOperation => ({
  name: 'crypto.pbkdf2',
  request,
  loopThread: 1,
  startMs,
  endMs: startMs + 5,
});
