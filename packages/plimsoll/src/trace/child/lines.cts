import type CATEGORIES = require('../../lab/child/trace-categories.cjs');

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

/** A pool thread waits for work (0), runs or waits for a core (1), or is blocked in a job (2). */
export type ThreadState = 0 | 1 | 2;

interface Lines {
  process: Readonly<{
    at: number;
    pid: number;
    node: string;
    libuv: string;
    script: string | null;
    /** UV_THREADPOOL_SIZE as the process inherited it. */
    sizeText: string | null;
  }>;
  /** A Worker's thread: of the app, or the recorder itself. */
  worker: Readonly<{ tid: number; isRecorder: boolean }>;
  events: Readonly<{ events: readonly RecordedEvent[] }>;
  /** Who called, in base64: of each call the time, the number of its request and that of its stack, as three doubles. */
  calls: Readonly<{ calls: string }>;
  /** From the outside in: the name of a package, or of the app `function<TAB>file:line:column`. */
  stack: Readonly<{ number: number; frames: readonly string[] }>;
  request: Readonly<{ number: number; name: string }>;
  /** Tracing stood still somewhere in between, because what had gathered was fetched. */
  gap: Readonly<{ from: number; to: number }>;
  threads: Readonly<{
    at: number;
    /** Threads that were not there before. */
    new: readonly (readonly [tid: number, name: string])[];
    /** Whether the kernel tells here what a thread is waiting for. */
    tells: boolean;
    /** Since the sample before: nanoseconds on a core and waiting for one; what it does now. Idle threads are left out. */
    use: readonly (readonly [tid: number, cpu: number, waited: number, state: ThreadState | null])[];
  }>;
  /** What Node said, or how many events were recorded before the bound. */
  problem: Readonly<{
    id: 'inspector' | 'worker' | 'other-tracing' | 'bound';
    detail?: string;
    count?: number;
  }>;
  end: Readonly<{ at: number }>;
}

/** What recorders write into the file of their process, one JSON object a line. Times are microseconds of process.hrtime. */
export type Line<Type extends keyof Lines> = Readonly<{ type: Type }> & Lines[Type];
export type RecordedLine = { [Type in keyof Lines]: Line<Type> }[keyof Lines];

/** Memory that the app's thread writes its calls into and its recorder reads. */
export interface Calls {
  /** How many were ever written. */
  readonly count: Int32Array;
  readonly entries: Float64Array;
}

export interface RecorderData {
  /** Shared, by the indices of `FLAG`. */
  readonly flags: Int32Array;
  readonly calls: Calls | undefined;
  readonly file: string;
  /** When this file appears the recording is over. */
  readonly finishFile: string;
  readonly maxEvents: number;
  /** Whether Node lets us connect to the app's thread; with --permission and without the right it ends the process instead. */
  readonly mayInspect: boolean;
}
