export interface AgentData {
  readonly socket: string;
  readonly memory: SharedArrayBuffer;
}

export interface Route {
  readonly route: number;
  readonly name: string;
}

/** What an agent tells 40 times a second. Milliseconds on the machine's monotonic clock. */
export interface Sample {
  readonly at: number;
  /** CPU time of the process since its start. */
  readonly cpuMs: number;
  readonly turn: number;
  /** Pool threads with a job, without parked ones; `null` where it cannot be told. */
  readonly busy: number | null;
  /** Requests and records that were not seen, since the beginning. */
  readonly lost: number;
  /** Starts of the requests that are open. */
  readonly open: readonly number[];
  /** Start, end, and `4 x route + kind` of each request or turn that has ended since the last sample. */
  readonly records: Float64Array;
}

export interface Pool {
  /** Threads that serve the queue; `null`: the process has not used its pool, which is left alone until it does. */
  readonly size: number | null;
  readonly limit: number;
  readonly resizing: 'threads' | 'parking' | false;
}

/** Orders of plimsoll, and what an agent replies. */
export interface Replies {
  /** Plimsoll is there. Without that, the pool gets its old size back after some seconds. */
  stay: undefined;
  resize: Pool;
  begin: undefined;
  /** Mean waits in milliseconds; `null` when no canary came back. */
  end: { readonly fast: number | null; readonly slow: number | null };
  stop: undefined;
}

export interface Order {
  readonly id: number;
  readonly do: keyof Replies;
  /** For `resize`. */
  readonly size?: number;
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
}

export type News =
  | { readonly type: 'hello'; readonly pid: number; readonly pool: Pool }
  | ({ readonly type: 'route' } & Route)
  | ({ readonly type: 'sample' } & Omit<Sample, 'records'>)
  /** The process began to use its pool, which got the size of the other processes. */
  | { readonly type: 'joined' }
  | { readonly type: 'reply'; readonly id: number; readonly reply?: unknown; readonly refusal?: Refusal };
