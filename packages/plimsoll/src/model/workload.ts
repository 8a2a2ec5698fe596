/**
 * The work that a simulation is given: jobs in the order in which they were submitted once, each array with an entry per job.
 * Times in milliseconds.
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
