/**
 * The work that a simulation is given: steps in the order in which they began once, each array with an entry per step. A step
 * is a job of the pool, unless `point` says otherwise. Times in milliseconds.
 */
export interface Workload {
  readonly count: number;
  readonly processes: number;
  /** The process of each event loop. */
  readonly loopProcess: Int32Array;
  /** Of each event loop: work that has nothing to do with the pool. */
  readonly background: readonly Background[];

  readonly loop: Int32Array;
  /** 1 for slow I/O, of which only half of the pool is used. */
  readonly slow: Uint8Array;
  /** The job whose callback leads to this one; -1 for one from outside. Always an earlier job. */
  readonly parent: Int32Array;
  /** When a job from outside comes to its event loop; of others, how long after the callback of the parent. */
  readonly atMs: Float64Array;
  /** 1 when the parent's own callback submits it, as the last thing that it does. */
  readonly direct: Uint8Array;
  readonly cpuMs: Float64Array;
  /** On a pool thread, but neither computing nor waiting for a core. */
  readonly blockedMs: Float64Array;
  /** CPU time of the event loop before the submission. */
  readonly beforeMs: Float64Array;
  /** CPU time of the event loop for its callback. */
  readonly afterMs: Float64Array;

  /** 1 for a step that needs no pool: the arrival of a request, its end. It is over after `beforeMs` on the event loop. */
  readonly point?: Uint8Array;
  /** What steps wait for besides their parent: they are released by the last of all these. */
  readonly joins?: Joins;
  readonly operations?: Operations;
  readonly requests?: Requests;
}

/** Pairs: `step` waits for `after`, an earlier one. */
export interface Joins {
  readonly step: Int32Array;
  readonly after: Int32Array;
}

/** What the program called: from the submission of an operation's first job to the callback of its last. */
export interface Operations {
  readonly names: readonly string[];
  /** Of each operation: its name, and what it takes beside its jobs. */
  readonly name: Int32Array;
  readonly extraMs: Float64Array;
  /** Of each step: its operation; -1 for none. */
  readonly of: Int32Array;
}

/** What the program was asked, with an entry per request in the order of arrival. */
export interface Requests {
  readonly routes: readonly string[];
  readonly route: Int32Array;
  /** The steps with which it comes and is over. */
  readonly arrival: Int32Array;
  readonly end: Int32Array;
  /** 1 for those that were answered; of others nobody felt a latency. */
  readonly answered: Uint8Array;
  /** The clients that it comes from, who wait for an answer before they ask again; -1 for one that comes at its own time. */
  readonly clients: Int32Array;
  /** 1 for one that comes when one of these clients has had an answer, `thinkMs` after that. */
  readonly follows: Uint8Array;
  readonly thinkMs: Float64Array;
}

/** Bursts of an event loop's work, at random moments. */
export interface Background {
  /** Share of the time, from 0 to below 1. */
  readonly share: number;
  /** Length of a burst, in milliseconds of CPU time. */
  readonly burstMs: number;
}

/** How many blocked jobs at a time something outside serves at full speed; beyond that all of them slow down together. */
export interface Devices {
  readonly fast: number;
  readonly slow: number;
}

/** Blocked time is a delay, whatever else is under way. */
export const UNLIMITED: Devices = { fast: Number.POSITIVE_INFINITY, slow: Number.POSITIVE_INFINITY };

/** When each job went through what; milliseconds on the workload's clock. */
export interface Passage {
  readonly submitMs: Float64Array;
  readonly startMs: Float64Array;
  readonly endMs: Float64Array;
  readonly callbackMs: Float64Array;
  /** The event-loop delay at regular moments, in milliseconds and in their order. */
  readonly loopDelaysMs: readonly number[];
  /** CPU time of all threads together. */
  readonly cpuMs: number;
}
