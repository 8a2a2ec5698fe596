import type { TraceEvent } from '../../lab/child/trace-event.cjs';

interface Lines {
  /** The first line of a process; `sizeText` is UV_THREADPOOL_SIZE as the process inherited it. */
  process: Readonly<{
    at: number;
    pid: number;
    node: string;
    libuv: string;
    script: string | null;
    sizeText: string | null;
  }>;
  /** The thread of a Worker: of the app, or the recorder itself. */
  worker: Readonly<{ tid: number; isRecorder: boolean }>;
  events: Readonly<{ events: readonly TraceEvent[] }>;
  /** `request` and `stack` are numbers of the lines below. */
  calls: Readonly<{ calls: readonly (readonly [at: number, request: number, stack: number])[] }>;
  /** From the outside in: the name of a package, or of the app `function<TAB>file:line:column`. */
  stack: Readonly<{ number: number; frames: readonly string[] }>;
  request: Readonly<{ number: number; name: string }>;
  /** Events were fetched: tracing stood still somewhere in between. */
  gap: Readonly<{ from: number; to: number }>;
  /** Each job submitted in this time stands for `weight` jobs. Without windows all jobs count. */
  window: Readonly<{ from: number; to: number; weight: number }>;
  /** Nothing is traced from here to the next window. */
  pause: Readonly<{ at: number }>;
  /** A sample of the threads of the process; `new` are threads that the previous sample did not have. */
  threads: Readonly<{
    at: number;
    new: readonly (readonly [tid: number, name: string])[];
    /** Whether the kernel reports here what a thread is blocked in. */
    tells: boolean;
    /** Since the previous sample: nanoseconds on a core and waiting for one; idle threads are left out. */
    use: readonly (readonly [tid: number, cpu: number, waited: number, isBlocked: boolean])[];
  }>;
  /** `detail` is Node's message, `count` the events recorded before the bound. */
  problem: Readonly<{
    id: 'inspector' | 'worker' | 'other-tracing' | 'bound';
    detail?: string;
    count?: number;
  }>;
  end: Readonly<{ at: number }>;
}

/** A line of a recording, as JSON. Times are microseconds of process.hrtime. */
export type Line<Type extends keyof Lines> = Readonly<{ type: Type }> & Lines[Type];
export type RecordedLine = { [Type in keyof Lines]: Line<Type> }[keyof Lines];

/** Memory in which the app's thread hands its calls to the recorder; `count` is the number ever written. */
export interface Calls {
  readonly count: Int32Array;
  readonly entries: Float64Array;
}

export interface RecorderData {
  /** Shared flags, by the indices of `FLAG`. */
  readonly flags: Int32Array;
  /** Undefined without `--calls`. */
  readonly calls: Calls | undefined;
  readonly file: string;
  /** The recording ends when this file appears. */
  readonly finishFile: string;
  readonly maxEvents: number;
  /** Record every job, never samples. */
  readonly full: boolean;
  /** Whether the recorder may connect to the app's thread: under --permission an attempt would end the process. */
  readonly mayInspect: boolean;
}
