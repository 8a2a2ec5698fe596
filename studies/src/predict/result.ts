import type { Advice, Environment, Estimate, Verification } from 'plimsoll/lab';
import type { ProgramResult, SkippedProgram } from './programs/result.js';

/** A prediction beside what was measured at its size. */
export type Compared = Verification;

/** What one recorded run predicts. */
export interface Predicted {
  /** The size of the recorded run. */
  readonly from: number;
  readonly recommended: Advice['recommended'];
  readonly outsideCores: number;
  /** Time for the recorded run and the advice. */
  readonly adviceMs: number;
  /** Of the sizes that were not recorded. */
  readonly compared: readonly Compared[];
  readonly own: Compared | null;
  /** Mean latency at the recommended size against the best measured one, less 1. */
  readonly regret: number;
}

/** One workload. */
export interface CaseResult {
  readonly name: string;
  readonly what: string;
  readonly jobs: number;
  /** (highest − lowest) ÷ median of the mean latency over the runs of a size: what no prediction can beat. */
  readonly spread: readonly { readonly size: number; readonly share: number }[];
  /** Time for all runs of all sizes. */
  readonly sweepMs: number;
  readonly predictions: readonly Predicted[];
  /** Runs that met another machine and were run again. */
  readonly repeated: number;
  /** Mean latency of the second run at size 4 of each block by that of the first; absent from older results. */
  readonly twin?: Estimate | null;
}

export interface PredictionStudy {
  readonly startedAt: string;
  readonly environment: Environment;
  readonly runs: number;
  readonly scale: number;
  readonly objective: string;
  readonly results: readonly CaseResult[];
  /** Absent from older results. */
  readonly programs?: readonly ProgramResult[];
  readonly skipped?: readonly SkippedProgram[];
}
