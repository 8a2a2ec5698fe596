/** A trace event as the inspector delivers it. `ts` and `tts` are microseconds: of `process.hrtime`, of the thread's CPU. */
export interface PoolEvent {
  readonly ph: string;
  readonly name: string;
  readonly cat: string;
  readonly tid: number;
  readonly ts: number;
  readonly tts?: number | undefined;
  readonly id?: string | undefined;
  readonly args: { readonly result?: number };
}

/** One trip to the pool, or to where libuv does not need it (`kernel`). Times in microseconds of `process.hrtime`. */
export interface PoolJob {
  /** `crypto`, `zlib`, the name of an N-API work, or the call of fs and dns: `open`, `read`, `lookup` … */
  readonly name: string;
  readonly kind: 'work' | 'fs' | 'dns' | 'kernel';
  readonly submitted: number;
  /** `null` when not known: see `inferred`. */
  readonly started: number | null;
  readonly ended: number | null;
  /** When the event loop took the result. */
  readonly returned: number;
  readonly tid: number | null;
  readonly cpu: number | null;
  /** The thread of the event loop that submitted it. */
  readonly loop: number;
  /** When it was submitted, every pool thread that it could have had was taken. */
  readonly waited: boolean;
  /** `started` and `ended` follow from the order of the queue, not from an event. */
  readonly inferred: boolean;
}

/** A job of which is not yet known whether it waited. */
export type Unplaced = Omit<PoolJob, 'waited'>;
