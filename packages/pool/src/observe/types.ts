/**
 * The phases of a task, in order. Together they are all of its time:
 * - `queue`: it waited because all workers were busy
 * - `startup`: it waited for its worker to start
 * - `encode`: the host wrote its value
 * - `wake`: it waited for a free worker to claim it
 * - `load`: the worker read the value and, for the first task, loaded the function
 * - `run`: the function ran, including the promise that it returned
 * - `reply`: the worker wrote the result
 * - `return`: the result waited for the host, which was asleep or busy
 * - `decode`: the host read the result
 */
export const PHASES = [
  'queue',
  'startup',
  'encode',
  'wake',
  'load',
  'run',
  'reply',
  'return',
  'decode',
] as const;
export type Phase = (typeof PHASES)[number];

/** Milliseconds. */
export interface Spread {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
}

/** Where the time of one function's tasks went. */
export interface TaskExplanation {
  readonly filename: string;
  readonly name: string;
  /** Tasks whose outcome the host has read. Tasks that were cancelled, or died with their worker, are not included. */
  readonly count: number;
  /** How many of them threw. */
  readonly failed: number;
  /** From `run()` to the end of reading the result. */
  readonly total: Spread;
  /** The phases of `total`, each with its share of `total`, 0 to 1. */
  readonly phases: Readonly<Record<Phase, Spread & { readonly share: number }>>;
  /** How many tasks found a worker free. */
  readonly foundFree: number;
  /** For tasks that found a worker free: time in addition to the function's. NaN if there were none. */
  readonly sending: Spread;
  /** How many tasks returned a promise, and the share of their run time in which the worker's event loop was busy, 0 to 1. */
  readonly promises: { readonly count: number; readonly busy: number };
}

/** A change that the figures of an explanation suggest. */
export interface Advice {
  /** Stable, unlike `message`. */
  readonly id: 'sending-costs-more' | 'already-asynchronous' | 'more-workers-than-cores';
  /** The function concerned; undefined: the pool. */
  readonly task: { readonly filename: string; readonly name: string } | undefined;
  readonly message: string;
  /** The figures behind the advice. Times are in milliseconds. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** The result of `explain()`. Times are in milliseconds. */
export interface Explanation {
  /** How long the pool was observed. */
  readonly duration: number;
  /** By function, the function with the most time first. */
  readonly tasks: readonly TaskExplanation[];
  /** The share of time in which the host's event loop was busy, 0 to 1. */
  readonly host: { readonly utilization: number };
  readonly workers: {
    readonly minThreads: number;
    readonly maxThreads: number;
    /** Highest number of workers that were ready at the same time. */
    readonly most: number;
    /** Cores that the process may use: `availableParallelism()`, or the quota if it is lower. */
    readonly cores: number;
    /** The CPU quota of the process's control groups, in cores; null if none is known. */
    readonly quota: number | null;
  };
  readonly advice: readonly Advice[];
}
