import type { TracedProgram, TraceSummary } from './trace-summary.js';

type Described = 'environment' | 'command' | 'startedAt' | 'durationMs' | 'ending';

/**
 * What `plimsoll trace` recorded: where each job of the pool spent its time. Times are milliseconds since the recording
 * began, on one clock for all processes.
 */
export interface Trace extends Readonly<Pick<TraceSummary, Described>> {
  readonly processes: readonly TracedProcess[];
  /** What a reader must know of its gaps: events lost or unbalanced, a bound reached, a process killed. */
  readonly notes: readonly TraceNote[];
}

export type TraceNote = Readonly<Omit<TraceSummary['notes'][number], 'text'>>;

export interface TracedProcess {
  readonly pid: number;
  readonly node: string;
  readonly script: string | null;
  /** Threads of its pool, counted; `null` when it never had one or they could not be counted. */
  readonly observedThreads: number | null;
  /** What UV_THREADPOOL_SIZE gives by libuv's rules. */
  readonly size: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly jobs: readonly TracedJob[];
  /** Its threads' use of the cores, interval by interval; empty where /proc does not tell. */
  readonly usage: readonly UsageInterval[];
}

/** Who submitted a job; `frames` are empty when not known, as of jobs of Workers. */
export type Caller = Readonly<Pick<TracedProgram['waits'][number], 'request' | 'kind' | 'frames'>>;
export type Frame = Caller['frames'][number];

export interface TracedJob {
  readonly caller: Caller;
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
}

/** Over an interval, in milliseconds of CPU time or of waiting for a core, by kind of thread. */
export interface UsageInterval {
  readonly fromMs: number;
  readonly toMs: number;
  readonly eventLoop: ThreadUsage;
  readonly pool: ThreadUsage;
  /** V8's own threads, Workers' and everybody else in the process, but not the recorder's. */
  readonly other: ThreadUsage;
  /** Pool threads that were blocked in a job at its end, neither on a core nor waiting for one; `null` when not known. */
  readonly blockedThreads: number | null;
}

export interface ThreadUsage {
  readonly cpuMs: number;
  /** Runnable, but without a core. */
  readonly coreWaitMs: number;
}
