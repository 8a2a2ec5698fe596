import type { MeasuredModules } from '../../bench/modules.js';
import type { Verdict } from '../../results/bench.js';
import type { Comparison, ComparisonRow } from '../../results/comparison.js';
import { LEVEL } from '../../stats/intervals.js';
import { FIRST_LOOK } from '../../stats/looks.js';
import { list } from '../format.js';
import { advice, warning } from './finding.js';

const UNFINISHED = 'the measurement was interrupted and is incomplete';
const NOISY = 'two measurements of the old module differ; measure again, or for longer (--time)';

export function comparisonOfModules({ lost, isNoisy, ...measured }: MeasuredModules): Comparison {
  const { rows, interrupted } = measured;
  const names = rows
    .filter(({ interval }) => interval === null)
    .map(({ name, size }) => `${name} at ${size}`);
  const estimates = `${list(names)}: fewer than ${FIRST_LOOK} generations, so these are estimates; measure for longer (--time)`;
  return {
    ...{ schema: 'plimsoll/1', kind: 'comparison', level: LEVEL, ...measured },
    verdict: overallVerdict(rows, lost.length > 0),
    findings: [
      ...(interrupted ? [warning('compare.unfinished', UNFINISHED)] : []),
      ...lost.map(({ what, message }) => {
        const text = `the ${what.replace(' ', ' module at size ')} failed: ${message}`;
        return warning('compare.lost', text, { what, message });
      }),
      ...(isNoisy ? [warning('compare.noisy', NOISY)] : []),
      ...(names.length > 0
        ? [advice('compare.few-generations', estimates, { names, needed: FIRST_LOOK })]
        : []),
    ],
  };
}

/** What cannot be told, or is gone, never reads as fine. */
function overallVerdict(rows: readonly ComparisonRow[], isSomeMissing: boolean): Verdict {
  const verdicts = rows.map(({ verdict }) => verdict);
  if (verdicts.includes('worse')) return 'worse';
  if (rows.length === 0 || isSomeMissing || verdicts.includes('unclear')) return 'unclear';
  return verdicts.includes('better') ? 'better' : 'same';
}
