/**
 * The parts of a task's life, in their order, which together are all of it:
 * - `queue`: it waited for a worker, because all were busy
 * - `startup`: it waited for its worker to start
 * - `encode`: the host wrote its value
 * - `wake`: it lay ready for a worker that was free
 * - `load`: the worker read its value and, at the first task, loaded the function
 * - `run`: the function, promises that it returned included
 * - `reply`: the worker wrote the result
 * - `return`: the result lay ready until the host looked: the host was woken, or its event loop was busy
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

/** Where the time of the tasks that called one function went. */
export interface TaskExplanation {
  readonly filename: string;
  readonly name: string;
  /** Tasks whose end the host has read. Those that were cancelled, or died with their worker, are not among them. */
  readonly count: number;
  /** Those among them that threw. */
  readonly failed: number;
  /** From `run()` to the end of reading the result. */
  readonly total: Spread;
  /** The parts of `total`, with the part of it that each is of, 0 to 1. */
  readonly phases: Readonly<Record<Phase, Spread & { readonly share: number }>>;
  /** Those for which a worker was free. */
  readonly foundFree: number;
  /** How much longer than its function such a task took; NaN: there was none. */
  readonly sending: Spread;
  /** Those that returned a promise, and the part of their run time for which their worker's event loop was busy, 0 to 1. */
  readonly promises: { readonly count: number; readonly busy: number };
}

/** Something that the figures of an explanation say should be changed. */
export interface Advice {
  /** Stable; texts are not. */
  readonly id: 'sending-costs-more' | 'already-asynchronous' | 'more-workers-than-cores';
  /** The function that it is about; undefined: the pool. */
  readonly task: { readonly filename: string; readonly name: string } | undefined;
  readonly message: string;
  /** What it rests on. Times are milliseconds. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** What `explain()` returns. Times are milliseconds. */
export interface Explanation {
  /** How long the pool has been observed. */
  readonly duration: number;
  /** By function, the one with the most time first. */
  readonly tasks: readonly TaskExplanation[];
  /** The part of the time for which the host's event loop was busy. */
  readonly host: { readonly utilization: number };
  readonly workers: {
    readonly minThreads: number;
    readonly maxThreads: number;
    /** The most that were ready at a time. */
    readonly most: number;
    /** Cores that the process may use: `availableParallelism()`, or its quota if that is less. */
    readonly cores: number;
    /** Cores by the quota of its control groups; null: none is known. */
    readonly quota: number | null;
  };
  readonly advice: readonly Advice[];
}
