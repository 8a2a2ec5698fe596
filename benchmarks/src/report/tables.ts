import type { Column } from '@plimsoll/lab';
import { caseNamed } from '../cases/cases.js';
import { formatEstimate, formatFigure } from '../common/format.js';
import { CONTENDERS } from '../contenders/contenders.js';
import type { CaseResult, Reached } from '../result.js';

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

const left = (title: string): Column => ({ title, align: 'left', expendable: 0 });
const right = (title: string, expendable = 0): Column => ({ title, align: 'right', expendable });

/** Every target beside what was reached. */
export function targetsTable(results: readonly CaseResult[]): Table {
  return {
    columns: [left('what'), left('to reach'), left('reached'), left('')],
    rows: results.flatMap((result) =>
      result.reached.map((reached) => [result.title, reached.target, reachedText(reached), mark(reached)]),
    ),
  };
}

function reachedText({ estimate, rival, target }: Reached): string {
  if (estimate === null) return 'no figure';
  const times = target.includes('×') ? ' ×' : '';
  return `${formatEstimate(estimate)}${times}${rival === null ? '' : ` (${CONTENDERS[rival].title})`}`;
}

const mark = ({ met, certain, estimate }: Reached): string =>
  estimate === null ? '✗' : `${met ? '✓' : '✗'}${certain ? '' : ' not certain'}`;

/** How many runs the machine disturbed: `12 of 48 runs disturbed (other-load)`; empty when none was. */
export function disturbance({ runs }: CaseResult): string {
  const counted = runs.filter(({ superseded }) => !superseded);
  const disturbed = counted.filter(({ disturbances }) => disturbances.length > 0);
  if (disturbed.length === 0) return '';
  const kinds = [...new Set(disturbed.flatMap(({ disturbances }) => disturbances))].join(', ');
  return `${disturbed.length} of ${counted.length} runs disturbed (${kinds})`;
}

/** What every contender reached in one case. */
export function contendersTable(result: CaseResult): Table {
  const { metrics } = caseNamed(result.name);
  const [first, ...others] = metrics;
  const alone = result.rows.length === 1;
  return {
    columns: [
      left('pool'),
      right(first?.title ?? ''),
      ...(alone ? [] : [right('× piscina [interval]')]),
      ...others.map(({ title }, index) => right(title, index + 1)),
    ],
    rows: result.rows.map(({ title, without, medians, times }) => {
      if (without !== null) return [title, without];
      const cells = metrics.map(({ id, digits }) => formatFigure(medians[id] as number, digits));
      const ratio = times[first?.id ?? ''];
      return [
        title,
        cells[0] as string,
        ...(alone ? [] : [ratio ? formatEstimate(ratio) : '']),
        ...cells.slice(1),
      ];
    }),
  };
}
