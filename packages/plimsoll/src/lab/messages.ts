import type { WorkloadSpec } from '../workloads/prepare.js';

/** What the parent asks of a measuring process, over IPC. */
export interface Job {
  readonly spec: WorkloadSpec;
  readonly size: number;
  /** Measured rounds after the warm-up. */
  readonly rounds: number;
  readonly directory: string;
  readonly names: readonly string[];
  /** Working directory: entering a mount namespace loses it. */
  readonly cwd: string;
}

/** What one run measured. */
export interface Measurement {
  readonly observedThreads: number | null;
  readonly operations: number;
  readonly rounds: number;
  /** Mean time of a round. */
  readonly roundMs: number;
  readonly opsPerSecond: number;
  /** Of a call, from submission to callback. */
  readonly latencyMs: { readonly p50: number; readonly p99: number };
  readonly cpuSeconds: number;
  /** CPU time of the whole process, its start and warm-up included. */
  readonly totalCpuSeconds: number;
  readonly maxRssBytes: number;
  readonly eventLoopDelayMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** Median time of one operation with nothing else in flight. */
  readonly unloadedLatencyMs: number;
  /** `null` when there were too few rounds to tell. */
  readonly steady: boolean | null;
}

export type Phase = 'start' | 'load' | 'run';

/** What a measuring process answers. */
export type Answer =
  | { readonly type: 'started' }
  | { readonly type: 'refused'; readonly observedThreads: number }
  | { readonly type: 'measured'; readonly measurement: Measurement }
  | { readonly type: 'bad-module'; readonly message: string }
  | { readonly type: 'never-settles' }
  | {
      readonly type: 'failed';
      readonly phase: Phase;
      readonly name: string;
      readonly message: string;
      readonly code: string | null;
    };

/** One line of the guardian's standard input. */
export type GuardianOrder =
  | { do: 'watch'; pid: number; startTime: number | null }
  | { do: 'forget'; pid: number }
  | { do: 'keep-clean'; directory: string };

/** How the run of a measuring process went that answers by `answerOnce`. */
export type Outcome =
  | { readonly type: 'measured'; readonly metrics: Record<string, number>; readonly cpuSeconds: number }
  | { readonly type: 'cannot'; readonly reason: string }
  | { readonly type: 'failed'; readonly reason: string };

/** What such a process says. */
export type FreshAnswer = { readonly type: 'started' } | Outcome;
