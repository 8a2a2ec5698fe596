import { comparisonDocument } from '../report/compare.js';
import { markdown } from '../report/markdown.js';
import type { Comparison } from '../results/comparison.js';
import type { CommandRun } from './command-run.js';

/** What `--against` of two commands ends with; 4 a module that failed, 1 worse, 3 cannot tell. */
export async function finishComparison(
  result: Comparison,
  options: { readonly markdown?: boolean | undefined },
  { finish }: CommandRun,
): Promise<number> {
  const report = comparisonDocument(result);
  await finish(result, options.markdown ? () => markdown(report).trimEnd() : report);
  const { interrupted, findings, verdict } = result;
  if (interrupted) return 130;
  if (findings.some(({ id }) => id === 'compare.lost')) return 4;
  return verdict === 'worse' ? 1 : verdict === 'unclear' ? 3 : 0;
}
