export interface AgentData {
  readonly socket: string;
  readonly memory: SharedArrayBuffer;
}

export interface FromMain {
  readonly route: number;
  readonly name: string;
}

/** What plimsoll orders: lines of JSON. Whatever has an id is answered. */
export type Order =
  | { readonly do: 'resize'; readonly id: number; readonly size: number }
  | { readonly do: 'state'; readonly id: number }
  | { readonly do: 'begin' }
  | { readonly do: 'end'; readonly id: number }
  /** Plimsoll is there; without it for some seconds, the pool gets its old size back. */
  | { readonly do: 'stay' }
  | { readonly do: 'stop'; readonly id: number };

export interface Waits {
  /** Mean milliseconds; `null` when no canary came back. */
  readonly fast: number | null;
  readonly slow: number | null;
}

export type News =
  | { readonly type: 'hello'; readonly pid: number }
  | ({ readonly type: 'route' } & FromMain)
  /** `size: null`: the process has not used its pool, which is left alone until it does. */
  | { readonly type: 'resized'; readonly id: number; readonly size: number | null; readonly limit: number }
  /** `size: null`: the pool has not started. */
  | {
      readonly type: 'state';
      readonly id: number;
      readonly size: number | null;
      readonly limit: number;
      readonly resizing: 'threads' | 'parking' | false;
    }
  | { readonly type: 'refused'; readonly id: number; readonly code: string; readonly message: string }
  /** The process began to use its pool, which got the size that the others have. */
  | { readonly type: 'joined' }
  | ({ readonly type: 'waits'; readonly id: number } & Waits)
  | { readonly type: 'stopped'; readonly id: number };

/** What an agent tells 40 times a second. Milliseconds on the machine's monotonic clock. */
export interface Sample {
  readonly at: number;
  /** CPU of the process since its start. */
  readonly cpuMs: number;
  readonly turn: number;
  /** Pool threads with a job, parked ones left out; NaN where it cannot be told. */
  readonly busy: number;
  /** Requests and records that were not seen, since the beginning. */
  readonly lost: number;
  readonly open: readonly number[];
  /** Start, end, and `4 x route + kind` of each that has ended since the last sample. */
  readonly records: Float64Array;
}
