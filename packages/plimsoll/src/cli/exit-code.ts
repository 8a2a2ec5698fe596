import type { BenchResult } from '../results/bench.js';

/**
 * The exit code of a bench: 130 interrupted, 2 a module that is no workload, 4 a workload that failed, 3 (strict only) a
 * machine too noisy to tell, else 0.
 */
export function benchExitCode({ method, workloads }: BenchResult, strict: boolean): number {
  if (method.interrupted) return 130;
  const failure = workloads.find((workload) => workload.failure !== null)?.failure;
  if (failure) return failure.code === 'PLIMSOLL_BAD_WORKLOAD' ? 2 : 4;
  return strict && workloads.some(({ noise }) => noise?.noisy) ? 3 : 0;
}
