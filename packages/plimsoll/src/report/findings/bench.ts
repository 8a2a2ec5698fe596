import type { Measured } from '../../bench/bench.js';
import type { BenchResult, WorkloadResult } from '../../results/bench.js';
import type { Finding } from '../../results/finding.js';
import { type FindingContext, type WorkloadRule, whyResolver } from './context.js';
import { eventLoopDelay } from './loop.js';
import { disturbed, lost, noisy, unclear } from './quality.js';
import { estimatesOnly, filesInMemory, lookupsWithoutNetwork, oneSizeForAll } from './setting.js';
import { halfForLookups } from './slow-io.js';
import { faster, limit, noGain, slower, smallerIsEnough, tooSmall, tryLarger } from './speed.js';

const RULES: readonly WorkloadRule[] = [
  noisy,
  lost,
  faster,
  tryLarger,
  smallerIsEnough,
  noGain,
  slower,
  tooSmall,
  eventLoopDelay,
  limit,
  halfForLookups,
  unclear,
  lookupsWithoutNetwork,
  filesInMemory,
  disturbed,
];

const RANK: Record<Finding['severity'], number> = { warning: 0, advice: 1, note: 2 };

/** What was measured, with its sentences. */
export function benchResultOf(measured: Measured): BenchResult {
  const { environment, method, workloads } = measured;
  const { dns } = method;
  return {
    ...measured,
    method: {
      ...method,
      dns: dns && { ...dns, because: whyResolver(dns) },
    },
    findings: findings(workloads, {
      baseline: method.baseline,
      effectiveCpus: environment.cpu.effectiveCpus,
      filesystem: environment.filesystem,
      resolver: dns,
    }),
  };
}

/**
 * What a reader should learn from the workloads: every rule over every workload, and those across workloads. The most
 * severe come first. Each rests on the numbers of this result alone; docs/reference/findings.md explains every id.
 */
export function findings(workloads: readonly WorkloadResult[], context: FindingContext): Finding[] {
  const found = workloads.flatMap((workload) => RULES.flatMap((rule) => rule(workload, context)));
  return [...oneSizeForAll(workloads, context), ...estimatesOnly(workloads), ...found].toSorted(
    (a, b) => RANK[a.severity] - RANK[b.severity],
  );
}
