import type { DnsMode } from '../lab/resolver/open.js';
import type { WorkloadSpec } from '../workloads/prepare.js';

/** A workload with its name and what it does, in words. */
export interface ChosenWorkload {
  readonly name: string;
  readonly description: string;
  readonly spec: WorkloadSpec;
  /** It looks up names: the resolver is opened for it and its processes are started where that one is heard. */
  readonly usesDns: boolean;
}

export interface BenchPlan {
  readonly workloads: readonly ChosenWorkload[];
  /** Pool sizes in ascending order, the baseline among them. */
  readonly sizes: readonly number[];
  readonly baseline: number;
  readonly blocks: number;
  readonly dns: DnsMode;
  readonly seed: number;
  /** How long the measured rounds of one run should take together, in milliseconds; at least three are done. */
  readonly runMs: number;
  /** A run that takes longer is taken for hung. */
  readonly deadlineMs: number;
}

/** What a bench tells while it runs. */
export interface BenchProgress {
  readonly workload: string;
  readonly stage: 'pilot' | 'blocks';
  /** The run that has just ended. */
  readonly size: number;
  /** Mean time of its rounds. */
  readonly roundMs: number;
  readonly block: number;
  readonly blocks: number;
  /** Time that the rest is likely to take, in milliseconds; `null` while the pilots run. */
  readonly leftMs: number | null;
  /** Share of the runs of all workloads that are done, 0 to 1. */
  readonly share: number;
}
