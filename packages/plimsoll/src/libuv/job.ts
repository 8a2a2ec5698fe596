/** A trace event of the inspector. `ts` and `tts` are microseconds, of `process.hrtime` and of the thread's CPU time. */
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

/** A pool job, or a call that needs no pool (`kernel`). Times in microseconds of `process.hrtime`. */
export interface PoolJob {
  /** `crypto`, `zlib`, the name of N-API work, or a call of fs or dns: `open`, `read`, `lookup` … */
  readonly name: string;
  readonly kind: 'work' | 'fs' | 'dns' | 'kernel';
  readonly submitted: number;
  readonly started: number | null;
  readonly ended: number | null;
  /** When the event loop took the result. */
  readonly returned: number;
  readonly tid: number | null;
  readonly cpu: number | null;
  /** The event-loop thread that submitted it. */
  readonly loop: number;
  /** No pool thread that could run it was free when it was submitted. */
  readonly waited: boolean;
  /** `started` and `ended` follow from the queue order, not from an event. */
  readonly inferred: boolean;
}

export type Unplaced = Omit<PoolJob, 'waited'>;
