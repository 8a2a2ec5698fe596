import { exitCodeOf } from '@plimsoll/lab';
import type { LoadResult } from '../result.js';

/**
 * The exit code of a load: 130 interrupted, that of the first table that failed, 4 when the server of a size failed or died,
 * 3 (strict only) when machine or client were too noisy to tell, or requests failed, else 0.
 */
export function loadExitCode(
  { method, failures, tables, cells, recommended }: LoadResult,
  strict: boolean,
): number {
  if (method.interrupted) return 130;
  const [failure] = failures;
  if (failure !== undefined) return exitCodeOf(failure.code);
  if (tables.some(({ lost }) => lost.length > 0)) return 4;
  const doubtful =
    recommended.some(({ noisy }) => noisy) ||
    cells.some(({ problems, errors }) => errors > 0 || problems.includes('generator-bound'));
  return strict && doubtful ? 3 : 0;
}
