import type { Measured } from '../../bench/bench.js';
import type { SizeResult, WorkloadResult } from '../../results/bench.js';
import type { Finding } from '../../results/finding.js';
import { median } from '../../stats/quantile.js';

/** What the rules of the findings look at besides the workloads. */
export interface FindingContext {
  readonly baseline: number;
  readonly effectiveCpus: number;
  /** Filesystem of the temporary directory; `null` when unknown. */
  readonly filesystem: { readonly type: string | null; readonly isMemory: boolean | null };
  /** Who answered lookups; `null` when there were none. */
  readonly resolver: Measured['method']['dns'];
}

/** One rule: what it finds in one workload. */
export type WorkloadRule = (workload: WorkloadResult, context: FindingContext) => Finding[];

export const sizeOf = (workload: WorkloadResult, size: number | null): SizeResult | undefined =>
  workload.sizes.find((result) => result.size === size);

/** CPUs that the runs of a size kept busy, on average over the measured time. */
export function busyCpus({ runs }: SizeResult, rounds: number): number {
  return median(
    runs
      .filter(({ superseded }) => !superseded)
      .map((run) => (run.cpuSeconds * 1000) / (run.roundMs * rounds)),
  );
}

/** A verdict needs at least six blocks: with five the signed-rank test cannot fall below p = 0.0625. */
export const canJudge = (workload: WorkloadResult): boolean =>
  workload.noise !== null && !workload.noise.noisy && workload.sizes.some(({ level }) => level >= 0.95);

/** Why lookups were answered by this resolver. */
export const whyResolver = ({ requested, refused }: NonNullable<FindingContext['resolver']>): string =>
  requested ? 'asked for' : refused.length === 0 ? 'the first choice works' : refused.join('; ');
