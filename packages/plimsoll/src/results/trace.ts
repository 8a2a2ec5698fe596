import type { Environment } from '../host/environment.js';

/**
 * What `plimsoll trace` recorded, once read: where each job of the pool spent its time. Times are milliseconds since the
 * recording began, on one clock for all processes.
 */
export interface Trace {
  readonly environment: Environment;
  readonly command: readonly string[];
  /** When the recording began. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly processes: readonly TracedProcess[];
  /** What a reader must know of its gaps: events lost or unbalanced, a bound reached, a process killed. */
  readonly notes: readonly TraceNote[];
}

export interface TraceNote {
  readonly id: string;
  /** For people; it follows from the rest. */
  readonly text: string;
  /** The process that it is about. */
  readonly pid?: number | undefined;
  /** How many events, jobs, lines or processes. */
  readonly count?: number | undefined;
  /** What Node or the kernel said: an error, an exit code. */
  readonly detail?: string | undefined;
}

/** A trace whose notes have no text yet. */
export type Recording = Omit<Trace, 'notes'> & { readonly notes: readonly Omit<TraceNote, 'text'>[] };

export interface TracedProcess {
  readonly pid: number;
  readonly ppid: number;
  readonly node: string;
  readonly script: string | null;
  /** Threads of its pool, counted; `null` when it never had one or they could not be counted. */
  readonly observedThreads: number | null;
  /** What UV_THREADPOOL_SIZE gives by libuv's rules. */
  readonly size: number;
  readonly startMs: number;
  readonly endMs: number;
  /** In the order of submission. */
  readonly jobs: readonly TracedJob[];
  /** What its program called, in the order of the calls; empty where the calls were not recorded. */
  readonly operations: readonly TracedOperation[];
  /** What it was asked, in the order of arrival. */
  readonly requests: readonly TracedRequest[];
  /** Its threads' use of the cores, interval by interval; empty where /proc does not tell. */
  readonly usage: readonly UsageInterval[];
}

export interface TracedJob {
  /** `crypto`, `zlib`, the name of an N-API work; of fs and dns with their call: `fs.open`, `dns.lookup`. */
  readonly kind: string;
  /** Slow I/O, of which only half of the pool is used: getaddrinfo and getnameinfo. */
  readonly slowIo: boolean;
  /** The event loop that it belongs to: the kernel's id of its thread. */
  readonly loopThread: number;
  readonly submitMs: number;
  /** When it began and ended on a pool thread. */
  readonly startMs: number;
  readonly endMs: number;
  /** When the event loop took its result. */
  readonly callbackMs: number;
  /** CPU time on the pool thread; `null` when not known (fs, dns). */
  readonly cpuMs: number | null;
  /** Its pool thread, by the kernel's id; `null` when not known. */
  readonly thread: number | null;
  /** `startMs` and `endMs` follow from the queue's rules; Node tells only submission and callback. */
  readonly inferred: boolean;
  /** When it was submitted every pool thread that it could have had was taken. */
  readonly queued: boolean;
  /** The job whose result led to this one: its index; `null` for one from outside, or where no hook told. */
  readonly parent: number | null;
  /** What released it; `null` where no hook told. */
  readonly cause: Cause | null;
  /** The operation that created it: its index; `null` when not known. */
  readonly operation: number | null;
}

/**
 * What released a job: the callback of its parent, microtasks included; a timer, an immediate or a socket that came after it;
 * the arrival of its request; or something else, such as the start of the program.
 */
export const causes = ['callback', 'timer', 'immediate', 'socket', 'request', 'other'] as const;

export type Cause = (typeof causes)[number];

/** One call of the program: a `fs.promises.readFile` with its open, fstat, reads and close, a gzip, a `crypto.pbkdf2`. */
export interface TracedOperation {
  /** `fs.promises.readFile`, `zlib.gzip`, `crypto.pbkdf2`, `dns.lookup`, `fetch`, the name of an add-on's work. */
  readonly name: string;
  /** The request that it was called for: its index; `null` for none. */
  readonly request: number | null;
  readonly loopThread: number;
  readonly startMs: number;
  /** When the program had its result; `null` when it did not end while it was recorded. */
  readonly endMs: number | null;
}

/** How a request ended: `unfinished` had not when the recording did. */
export const requestEnds = ['answered', 'failed', 'aborted', 'upgraded', 'unfinished'] as const;

/** One request to the program: over HTTP, or whatever it marks as one. */
export interface TracedRequest {
  readonly kind: 'http' | 'http2' | 'mark' | 'span';
  /** Method and route, by its pattern where the framework knows it (`GET /users/:id`); or the name of the mark. */
  readonly route: string;
  /** Requests of one connection have the same number; `null` for marks. */
  readonly connection: number | null;
  readonly loopThread: number;
  /** From the first byte that the server saw. */
  readonly startMs: number;
  /** To the end of the response; `null` when it did not end while it was recorded. */
  readonly endMs: number | null;
  readonly end: (typeof requestEnds)[number];
  /** All its operations and jobs were recorded; of the others only arrival and end are of use (`--sample`). */
  readonly sampled: boolean;
}

/** Over an interval, in milliseconds of CPU time or of waiting for a core, by kind of thread. */
export interface UsageInterval {
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether all jobs of it were recorded, where not all requests are followed; they always were without it. */
  readonly recorded?: boolean | undefined;
  readonly eventLoop: ThreadUsage;
  /** All of the pool's threads together. */
  readonly pool: ThreadUsage;
  /** V8's own threads, Workers' and everybody else in the process, but not the recorder's. */
  readonly other: ThreadUsage;
  /** Pool threads that were at work, or blocked in it, at the end of the interval; `null` when the kernel does not tell. */
  readonly busyThreads?: number | null;
  /** Those of them that were blocked: neither on a core nor waiting for one. */
  readonly blockedThreads?: number | null;
}

export interface ThreadUsage {
  readonly cpuMs: number;
  /** Runnable, but without a core. */
  readonly coreWaitMs: number;
}
