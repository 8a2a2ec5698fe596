import type { Environment } from '../host/environment.js';

/**
 * The recording of `plimsoll trace`: where each pool job spent its time. Times are milliseconds since the recording began,
 * on one clock for all processes.
 */
export interface Trace {
  readonly environment: Environment;
  /** The program that was run, without its arguments: they may be secrets. */
  readonly command: string;
  readonly startedAt: string;
  readonly durationMs: number;
  /** The command `ended` or `failed` by itself, was `stopped` after the duration, or was `interrupted`. */
  readonly ending: 'ended' | 'failed' | 'stopped' | 'interrupted';
  readonly processes: readonly TracedProcess[];
  /** Gaps of the recording: unbalanced events, a bound reached, a process killed. */
  readonly notes: readonly TraceNote[];
}

export interface TraceNote {
  readonly id: string;
  readonly pid?: number | undefined;
  readonly count?: number | undefined;
  /** An error message of Node, or the exit of the command. */
  readonly detail?: string | undefined;
}

export interface TracedProcess {
  readonly pid: number;
  readonly node: string;
  readonly script: string | null;
  /** Counted pool threads; `null` when the process had no pool or they could not be counted. */
  readonly observedThreads: number | null;
  /** The pool size by UV_THREADPOOL_SIZE and libuv's rules. */
  readonly size: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly jobs: readonly TracedJob[];
  /** Times of the recording whose jobs count, in order: all of it, or samples. */
  readonly windows: readonly Window[];
  /** The threads' use of the cores; empty without /proc. */
  readonly usage: readonly UsageInterval[];
}

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  /** How many jobs each job that is submitted in the window stands for: 1 unless the window is a sample. */
  readonly weight: number;
}

/** A place in the app, or a package as a whole (`file` is `null`). */
export interface Frame {
  readonly name: string;
  readonly file: string | null;
  readonly line: number;
}

export interface Caller {
  /** The route of the request that made the call; `null` outside of requests. */
  readonly request: string | null;
  readonly kind: string;
  /** From the outside in; empty when not known, as for jobs of Workers. */
  readonly frames: readonly Frame[];
}

export interface TracedJob {
  readonly caller: Caller;
  /** How many jobs it stands for; 0: it was submitted outside of the windows, or was under way at the end of a sample. */
  readonly weight: number;
  /** `crypto`, `zlib`, the name of an N-API work; of fs and dns with their call: `fs.open`, `dns.lookup`. */
  readonly kind: string;
  /** Slow I/O, of which only half of the pool is used: getaddrinfo and getnameinfo. */
  readonly slowIo: boolean;
  /** The kernel's id of the event loop's thread that submitted it. */
  readonly loopThread: number;
  readonly submitMs: number;
  /** Start and end on a pool thread. */
  readonly startMs: number;
  readonly endMs: number;
  /** When the event loop took its result. */
  readonly callbackMs: number;
  /** CPU time on the pool thread; `null` when not known (fs, dns). */
  readonly cpuMs: number | null;
  /** The kernel's id of the pool thread; `null` when not known. */
  readonly thread: number | null;
  /** `startMs` and `endMs` follow from the queue's rules; Node reports only submission and callback. */
  readonly inferred: boolean;
  /** At its submission all pool threads that could serve it were taken. */
  readonly queued: boolean;
}

/** Over an interval, in milliseconds of CPU time or of waiting for a core, by kind of thread. */
export interface UsageInterval {
  readonly fromMs: number;
  readonly toMs: number;
  readonly eventLoop: ThreadUsage;
  readonly pool: ThreadUsage;
  /** Threads of V8, Workers and add-ons, but not the recorder's. */
  readonly other: ThreadUsage;
  /** Pool threads blocked in a job at the end of the interval; `null` when not known. */
  readonly blockedThreads: number | null;
}

export interface ThreadUsage {
  readonly cpuMs: number;
  /** Runnable, but without a core. */
  readonly coreWaitMs: number;
}
