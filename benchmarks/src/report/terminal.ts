import { renderTable, type Style } from '@plimsoll/lab';
import type { CaseResult } from '../result.js';
import { contendersTable, disturbance, targetsTable } from './tables.js';

/** One case for the terminal: every contender, then the targets. */
export function caseReport(result: CaseResult, { width, color }: Style): string {
  const contenders = contendersTable(result);
  const targets = targetsTable([result]);
  const reached = targets.rows.map(([, target, figure, mark = '']) => {
    const paint = mark.startsWith('✓') ? color.green : color.red;
    return `${paint(mark)}  ${target}: ${figure}`;
  });
  return [
    `${color.bold(result.title)} (${[result.name, `${result.blocks} blocks`, disturbance(result)].filter(Boolean).join(', ')})`,
    ...renderTable(contenders.columns, contenders.rows, width),
    ...reached,
    '',
  ].join('\n');
}
