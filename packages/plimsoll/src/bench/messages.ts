import type { SizedAnswer, SizedJob } from '../lab/child/serve.js';
import type { RoundResult } from '../results/bench.js';
import type { WorkloadSpec } from '../workloads/prepare.js';

export interface Job extends SizedJob {
  readonly spec: WorkloadSpec;
  readonly resizes: boolean;
  readonly directory: string;
  readonly names: readonly string[];
}

export type Order =
  | { readonly do: 'round'; readonly repetitions: number; readonly size: number }
  | { readonly do: 'close' };

export interface Readiness {
  readonly operations: number;
  readonly unloadedLatencyMs: number;
  readonly isolated: boolean;
  /** Why its pool keeps the size that it was started with, though it was to be resized. */
  readonly fixed: string | null;
}

export interface Measurement extends Omit<RoundResult, 'generation' | 'block' | 'order'> {
  /** Pool threads that served the queue, counted; `null` where they cannot be. */
  readonly observedThreads: number | null;
  readonly totalCpuSeconds: number;
}

export type Phase = 'load' | 'run';

export type Answer =
  | SizedAnswer
  | ({ readonly type: 'ready' } & Readiness)
  | { readonly type: 'round'; readonly measurement: Measurement }
  | { readonly type: 'closed' }
  | { readonly type: 'bad-module'; readonly message: string }
  | { readonly type: 'never-settles' }
  | {
      readonly type: 'failed';
      readonly phase: Phase;
      readonly name: string;
      readonly message: string;
      readonly code: string | null;
    };
