import type { CallsLine, NameLine } from './calls/lines.cjs';
import type { RequestsLine, RouteLine } from './requests/lines.cjs';

/** What recorders write into the file of their process, one JSON object a line. Times are microseconds of process.hrtime. */
export type RecordedLine =
  | ProcessLine
  | EventsLine
  | GapLine
  | ThreadsLine
  | ChannelLine
  | CallsLine
  | NameLine
  | WorkerLine
  | RecordingLine
  | RequestsLine
  | RouteLine
  | ProblemLine
  | EndLine;

/** The first line of a process. */
export interface ProcessLine {
  readonly type: 'process';
  readonly at: number;
  readonly pid: number;
  readonly ppid: number;
  readonly node: string;
  readonly libuv: string;
  readonly arch: string;
  readonly script: string | null;
  /** UV_THREADPOOL_SIZE as the process inherited it. */
  readonly sizeText: string | null;
}

/** One letter for each category of trace events: see constants.cts. */
export type EventCategory = 'w' | 'r' | 'f' | 'o' | 'd';

/** A trace event without what nobody needs: phase, category, name, thread, time, CPU time of the thread, id, result. */
export type RecordedEvent = readonly [
  ph: string,
  cat: EventCategory,
  name: string,
  tid: number,
  ts: number,
  tts: number | null,
  id: string | null,
  result: number | null,
];

export interface EventsLine {
  readonly type: 'events';
  readonly events: readonly RecordedEvent[];
}

/** Tracing stood still somewhere in between, because what had gathered was fetched. */
export interface GapLine {
  readonly type: 'gap';
  readonly from: number;
  readonly to: number;
}

/** Of a pool thread: 0 it waits for work, 1 it runs or waits for a core, 2 it is blocked in a job. */
export type ThreadState = 0 | 1 | 2;

/** A sample of the threads of the process. */
export interface ThreadsLine {
  readonly type: 'threads';
  readonly at: number;
  /** Threads that were not there before, with their names. */
  readonly new: readonly (readonly [tid: number, name: string])[];
  /** Whether the kernel tells here what a thread is waiting for. */
  readonly tells: boolean;
  /** Since the sample before: nanoseconds on a core, nanoseconds waiting for one; and what it does now (`null`: not sampled). Threads that did nothing are left out. */
  readonly use: readonly (readonly [tid: number, cpu: number, waited: number, state: ThreadState | null])[];
}

/** A job of the pool as Node itself tells it on a diagnostics channel. */
export interface ChannelLine {
  readonly type: 'channel';
  readonly kind: string;
  readonly loop: number;
  readonly enqueued: number;
  /** `null` for a job that was cancelled. */
  readonly started: number | null;
  readonly ended: number | null;
  readonly at: number;
}

/** The calls and jobs of a thread are recorded from now on, or no more: see sampling.cts. */
export interface RecordingLine {
  readonly type: 'recording';
  readonly thread: number;
  readonly at: number;
  readonly isOn: boolean;
}

/** A thread of the process that is a Worker: of the app, or our own. */
export interface WorkerLine {
  readonly type: 'worker';
  readonly tid: number;
  readonly own: boolean;
}

export interface ProblemLine {
  readonly type: 'problem';
  readonly id: 'inspector' | 'worker' | 'other-tracing' | 'bound';
  /** What Node said. */
  readonly detail?: string;
  /** Events that were recorded before the bound. */
  readonly count?: number;
}

export interface EndLine {
  readonly type: 'end';
  readonly at: number;
  readonly why: 'exit' | 'stopped' | 'bound';
}

/** What the recorder's Worker is told. */
export interface RecorderData {
  /** Shared flags, by the indices of `FLAG`. */
  readonly flags: Int32Array;
  readonly file: string;
  /** When this file appears the recording is over. */
  readonly finishFile: string;
  readonly maxEvents: number;
  readonly sampleMs: number;
  /** Of the app's thread: see requests/table.cts. */
  readonly requests: SharedArrayBuffer;
  /** Whether Node lets us connect to the app's thread; with --permission and without the right it ends the process instead. */
  readonly mayInspect: boolean;
  /** Of the app's thread: see calls/ring.cts; `null` where calls are not recorded. */
  readonly calls: SharedArrayBuffer | null;
  /** Categories of trace events that it makes needless. */
  readonly without: readonly EventCategory[];
}

/**
 * Something that tells of the pool. Sources run inside the process that is recorded; none may use its pool, keep it alive
 * or write where it writes.
 */
export interface SignalSource {
  /** Start; resolves when everything from now on is seen, with a problem where this source sees nothing here. */
  start(emit: (line: RecordedLine) => void): Promise<ProblemLine | null>;
  /** Called at every interval of sampling. */
  tick(): void;
  /** Stop; resolves when everything that it saw has been emitted. */
  stop(): Promise<void>;
}
