import { environmentLines, markdownTable } from '@plimsoll/lab';
import type { LoadCell, LoadResult } from '../result.js';
import {
  disturbed,
  happenings,
  howLoaded,
  howSliced,
  leaning,
  legend,
  loadTables,
  lostOf,
  reason,
  sharing,
  tableTitle,
} from './report.js';
import { loadTable, tableName } from './table.js';

/** Where and how a load was measured, as a Markdown list. */
export function loadMethodLines(result: LoadResult): string[] {
  const { environment, method } = result;
  const shared = sharing(method.target, environment.cpu.effectiveCpus);
  const noise = disturbed(result);
  return [
    ...environmentLines(environment),
    `- ${howLoaded(result)} in all, sizes ${method.sizes.join(', ')}, ${method.startedAt.slice(0, 10)}`,
    ...(shared === null ? [] : [`- ${shared}`]),
    ...(noise === null ? [] : [`- **${noise}**`]),
  ];
}

/** One table of a load in Markdown, with what happened in it. */
export function loadTableMarkdown(cells: readonly LoadCell[], result: LoadResult): string[] {
  const { columns, rows } = loadTable(cells, result.method.baseline, (text) => `**${text}**`);
  const first = cells[0] as LoadCell;
  const notes = [...howSliced(result, first), ...cells.flatMap(happenings), ...lostOf(result, first)];
  return [
    ...markdownTable(columns, rows),
    ...(notes.length === 0 ? [] : ['', ...notes.map((note) => `- ${note}`)]),
  ];
}

/** Which size each table recommends, as a Markdown table. */
export function loadRecommendationsMarkdown({ recommended }: LoadResult): string[] {
  return markdownTable(
    [
      { title: 'load', align: 'left', expendable: 0 },
      { title: 'size', align: 'right', expendable: 0 },
      { title: 'because', align: 'left', expendable: 0 },
    ],
    recommended.map((recommendation) => [
      tableName(recommendation.mode, recommendation.case),
      leaning(recommendation),
      reason(recommendation),
    ]),
  );
}

/** The whole result of a load in Markdown. */
export function loadMarkdown(result: LoadResult): string {
  return [
    '## Where and how',
    '',
    ...loadMethodLines(result),
    `- ${legend(result)}`,
    ...loadTables(result).flatMap((cells) => {
      const [name, ...about] = tableTitle(cells[0] as LoadCell, result.method.operation);
      return ['', `## ${name}`, '', `${about.join(', ')}.`, '', ...loadTableMarkdown(cells, result)];
    }),
    ...result.failures.flatMap(({ mode, case: name, message }) => [
      '',
      `${tableName(mode, name)} failed: ${message}`,
    ]),
    '',
    '## The smallest size that is as good as the best',
    '',
    ...loadRecommendationsMarkdown(result),
    '',
  ].join('\n');
}
