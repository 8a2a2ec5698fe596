import type { BenchResult } from '../results/bench.js';
import type { Classification } from '../results/classification.js';
import type { Comparison } from '../results/comparison.js';
import type { TraceSummary } from '../results/trace-summary.js';
import type { TuneResult } from '../results/tune.js';

/**
 * The exit code of a bench: 130 interrupted, 2 a module that is no workload, 4 a workload or a size that failed, 3
 * (strict only) a machine too noisy to tell, else 0.
 */
export function benchExitCode({ method, workloads }: BenchResult, strict: boolean): number {
  if (method.interrupted) return 130;
  const failure = workloads.find((workload) => workload.failure !== null)?.failure;
  if (failure) return failure.code === 'PLIMSOLL_BAD_WORKLOAD' ? 2 : 4;
  if (workloads.some(({ lost }) => lost.length > 0)) return 4;
  return strict && workloads.some(({ noise }) => noise?.noisy) ? 3 : 0;
}

/** The exit code of a classification: 130 interrupted, 4 an operation that failed or never completed, 3 unclear, else 0. */
export function classifyExitCode({ interrupted, results }: Classification): number {
  if (interrupted) return 130;
  if (results.some(({ verdict }) => verdict === 'failed' || verdict === 'timeout')) return 4;
  return results.some(({ verdict }) => verdict === 'unclear') ? 3 : 0;
}

/** The exit code of a comparison: 130 interrupted, 4 a module that failed, 1 worse, 3 cannot tell, else 0. */
export function compareExitCode({
  verdict,
  findings,
  interrupted,
}: Pick<Comparison, 'verdict' | 'findings' | 'interrupted'>): number {
  if (interrupted) return 130;
  if (findings.some(({ id }) => id === 'compare.lost')) return 4;
  return verdict === 'worse' ? 1 : verdict === 'unclear' ? 3 : 0;
}

/** The exit code of a trace: 130 interrupted, 4 a command that failed by itself, else 0. */
export const traceExitCode = ({ ending }: Pick<TraceSummary, 'ending'>): number =>
  ending === 'interrupted' ? 130 : ending === 'failed' ? 4 : 0;

/** The exit code of a tune: 130 interrupted, 3 (strict only) when it cannot tell, else 0: that no size matters is an answer. */
export const tuneExitCode = (
  { method, answer }: Pick<TuneResult, 'method' | 'answer'>,
  strict: boolean,
): number => (method.stop === 'interrupted' ? 130 : strict && answer === 'cannot tell' ? 3 : 0);
