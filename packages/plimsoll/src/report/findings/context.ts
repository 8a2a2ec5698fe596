import type { Measured } from '../../bench/bench.js';
import type { SizeResult, WorkloadResult } from '../../results/bench.js';
import type { Finding } from '../../results/finding.js';
import { FIRST_LOOK } from '../../stats/looks.js';
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

/** CPUs that the rounds of a size kept busy, on average over the measured time. */
export const busyCpus = ({ rounds }: SizeResult, repetitions: number): number =>
  median(rounds.map((round) => (round.cpuSeconds * 1000) / (round.workMs * repetitions)));

/** Enough generations for a verdict, on a machine that was calm enough for one. */
export const canJudge = ({ noise, method }: WorkloadResult): boolean =>
  noise !== null && !noise.noisy && (method?.generations ?? 0) >= FIRST_LOOK;

/** Why lookups were answered by this resolver. */
export const whyResolver = ({ requested, refused }: NonNullable<FindingContext['resolver']>): string =>
  requested ? 'asked for' : refused.length === 0 ? 'the first choice works' : refused.join('; ');
