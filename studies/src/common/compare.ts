import { type JudgedEstimate, judgeRatio } from 'plimsoll/lab';
import { type ConditionResult, figures } from './result.js';

/**
 * One contender's figure by another's, block by block, judged by its interval: `better` or `worse` as the
 * metric counts, `same` within 3 %, else `unclear`; always unclear with fewer than six blocks, or when the A/A twin differs. `undefined` where there is nothing
 * that can be divided.
 */
export function compare(
  condition: ConditionResult | undefined,
  one: string,
  other: string,
  metric: string,
): JudgedEstimate | undefined {
  if (condition === undefined) return undefined;
  const of = (contender: string): number[] => figures(condition, contender, metric);
  const twins = { baseline: of(condition.baseline), twin: of('twin') };
  const found = judgeRatio(of(one), of(other), twins);
  if (found === null) return undefined;
  const isMore = condition.metrics.find(({ id }) => id === metric)?.better === 'more';
  return isMore ? { ...found, verdict: SWAPPED[found.verdict] } : found;
}

const SWAPPED = { better: 'worse', worse: 'better', same: 'same', unclear: 'unclear' } as const;
