import type { WorkloadSpec } from '../workloads/prepare.js';

export interface ChosenWorkload {
  readonly name: string;
  readonly description: string;
  readonly spec: WorkloadSpec;
  /** Its processes start in the resolver's namespace. */
  readonly usesDns: boolean;
}

export interface BenchPlan {
  readonly workloads: readonly ChosenWorkload[];
  /** Pool sizes in ascending order, the baseline among them. */
  readonly sizes: readonly number[];
  readonly baseline: number;
  readonly isolated: boolean;
  /** Time for one workload, in milliseconds; `null`: as much as its generations take. */
  readonly timeMs: number | null;
  readonly blocks: number;
  readonly seed: number;
  readonly deadlineMs: number;
}

export interface BenchProgress {
  readonly workload: string;
  /** 0 during the trial run. */
  readonly generation: number;
  readonly leftMs: number | null;
  readonly share: number;
}
