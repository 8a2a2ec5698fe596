import type CATEGORIES = require('../../lab/child/trace-categories.cjs');

/** What recorders write into the file of their process, one JSON object a line. Times are microseconds of process.hrtime. */
export type RecordedLine =
  | ProcessLine
  | WorkerLine
  | EventsLine
  | CallsLine
  | StackLine
  | RequestLine
  | GapLine
  | ThreadsLine
  | ProblemLine
  | EndLine;

/** The first line of a process. */
export interface ProcessLine {
  readonly type: 'process';
  readonly at: number;
  readonly pid: number;
  readonly node: string;
  readonly libuv: string;
  readonly script: string | null;
  /** UV_THREADPOOL_SIZE as the process inherited it. */
  readonly sizeText: string | null;
}

/** A thread of the process that is a Worker: of the app, or the recorder itself. */
export interface WorkerLine {
  readonly type: 'worker';
  readonly tid: number;
  readonly isRecorder: boolean;
}

/** The letter of a category of trace events. */
export type EventCategory = keyof typeof CATEGORIES;

/** A trace event without what nobody needs; `tts` is the CPU time of its thread. */
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

/** Who called, in base64: of each call the time, the number of its request and that of its stack, as three doubles. */
export interface CallsLine {
  readonly type: 'calls';
  readonly calls: string;
}

export interface StackLine {
  readonly type: 'stack';
  readonly number: number;
  /** From the outside in: the name of a package, or of the app `function<TAB>file:line:column`. */
  readonly frames: readonly string[];
}

export interface RequestLine {
  readonly type: 'request';
  readonly number: number;
  readonly name: string;
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
  /** Since the sample before: nanoseconds on a core and waiting for one; what it does now. Idle threads are left out. */
  readonly use: readonly (readonly [tid: number, cpu: number, waited: number, state: ThreadState | null])[];
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
}

/** What the recorder's Worker is told. */
export interface RecorderData {
  /** Shared flags, by the indices of `FLAG`. */
  readonly flags: Int32Array;
  readonly calls: { readonly count: Int32Array; readonly entries: Float64Array };
  readonly file: string;
  /** When this file appears the recording is over. */
  readonly finishFile: string;
  readonly maxEvents: number;
  readonly sampleMs: number;
  /** Whether Node lets us connect to the app's thread; with --permission and without the right it ends the process instead. */
  readonly mayInspect: boolean;
}
