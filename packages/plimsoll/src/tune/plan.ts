import type { Arm, Window } from './window.js';

/** By what sizes are compared: the mean or the 99th percentile of latencies, or requests per second. */
export type Objective = 'mean' | 'p99' | 'throughput';

/** One run of a command that ends, in a fresh process of one size. The first runs, which warm caches up, are left out. */
export interface CommandRun {
  /** Counts from 0; in each block every living arm runs once, in random order. */
  readonly block: number;
  readonly order: number;
  readonly arm: Arm;
  readonly size: number;
  readonly wallMs: number;
  /** Of the command and all its processes; `null` where it is not known. */
  readonly cpuSeconds: number | null;
  /** Something else happened: it is not compared. */
  readonly disturbed: boolean;
}

/** Samples of one contest are of one kind: windows of a server, or runs of a command. */
export type Sample = Window | CommandRun;

export interface JudgePlan {
  /** In ascending order, the baseline among them. */
  readonly sizes: readonly number[];
  readonly baseline: number;
  readonly objective: Objective;
  /**
   * About how many blocks of all sizes the time allows. Intervals hold at every look until then; more looks widen them. Tell it
   * as soon as the length of a block is known, and leave it as it is then.
   */
  readonly mostBlocks: number;
  /** Of the draws behind the odds. */
  readonly seed: number;
  /** Sizes that an earlier judgement left out of `living`: they stay out. */
  readonly left?: readonly number[];
}
