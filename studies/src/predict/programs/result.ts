import type { Advice } from 'plimsoll/lab';
import type { ProgramName } from '../held-out.js';

/** What was measured of one size, without a recorder: medians over its runs. Milliseconds. */
export interface MeasuredSize {
  readonly size: number;
  readonly runs: number;
  /** Requests or units of work of one run. */
  readonly units: number;
  readonly mean: number;
  /** `null` when there were too few units for one. */
  readonly p99: number | null;
  /** Of servers, requests a second; `null` for commands. */
  readonly perSecond: number | null;
  /** Of commands; `null` for servers. */
  readonly makespanMs: number | null;
  /** (highest − lowest) ÷ median over the runs; what no prediction can beat. */
  readonly spread: { readonly mean: number; readonly p99: number; readonly pace: number };
  /** More came than could be answered: latencies grow for as long as that goes on. */
  readonly isOverloaded: boolean;
}

/** Which figures of the advice were held against requests or units of work. */
export type Basis = 'requests' | 'operations' | 'jobs';

/** A figure and its band; `null` where there is none. */
export interface Predicted {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** What is predicted of one size. `pace` is requests a second of a server, and the makespan of a command. */
export interface PredictedSize {
  readonly size: number;
  readonly basis: Basis;
  readonly mean: Predicted;
  readonly p99: Predicted;
  readonly pace: Predicted;
  readonly isOverloaded: boolean;
}

/** One figure of one size, predicted and measured. */
export interface Held {
  readonly predicted: number;
  readonly measured: number;
  /** Predicted ÷ measured − 1. */
  readonly error: number;
  readonly inBand: boolean;
  /** Half of the band, as a share of the prediction. */
  readonly halfWidth: number;
  readonly spread: number;
}

export interface ComparedSize {
  readonly size: number;
  readonly mean: Held | null;
  readonly p99: Held | null;
  readonly pace: Held | null;
  /** Whether overload, or that there is none, was predicted. */
  readonly overloadAgrees: boolean;
}

/** What one recorded run comes to. */
export interface ProgramPrediction {
  readonly basis: Basis | 'no pool jobs';
  /** `null` when nothing used the pool. */
  readonly recommended:
    | (Pick<Advice['recommended'], 'size' | 'confidence'> & { readonly reasons: readonly string[] })
    | null;
  /** Of the sizes that were not recorded. */
  readonly compared: readonly ComparedSize[];
  /** What the recommended size costs against the best measured one; `null` without a recommendation. */
  readonly regret: number | null;
  /** Runs of the recommended size agreed within 10 %, and so did those of the best. */
  readonly regretIsSteady: boolean;
  /** No size is promised to be better than the default. */
  readonly saysNoSizeHelps: boolean;
  /** Mean latency of the recorded run, as clients or the script saw it, against that without a recorder. */
  readonly recorderCost: number;
}

export interface ProgramResult {
  readonly name: ProgramName;
  readonly isHeldOut: boolean;
  readonly kind: 'server' | 'command';
  readonly what: string;
  readonly unit: string;
  /** `express 5.2.1`. */
  readonly packages: readonly string[];
  readonly measured: readonly MeasuredSize[];
  /** No measured size is better than the default one by more than 5 %, or than runs of one size differ. */
  readonly noSizeHelps: boolean;
  /** Mean latency of the twin at the recorded size, by that of the size itself. */
  readonly twin: number;
  readonly predictions: readonly ProgramPrediction[];
  readonly seconds: number;
}

/** A program without a result. */
export interface SkippedProgram {
  readonly name: ProgramName;
  /** It could not be installed; it failed itself. */
  readonly because: 'not-installed' | 'failed';
  readonly reason: string;
}
