import type { LoadCell, LoadResult } from '../results/load.js';
import { environmentLines } from './bench-markdown.js';
import { formatCount, formatDuration, tableName } from './format.js';
import { disturbed, happenings, leaning, legend, loadTables, reason, sharing, tableTitle } from './load.js';
import { loadTable } from './load-table.js';
import { markdownTable } from './table.js';

/** Where and how a load was measured, as a Markdown list. */
export function loadMethodLines(result: LoadResult): string[] {
  const { environment, method } = result;
  const shared = sharing(method.target, environment.cpu.effectiveCpus);
  const noise = disturbed(result);
  const twice = method.baseline === null ? '' : `, baseline ${method.baseline} measured twice in every block`;
  return [
    ...environmentLines(environment),
    `- ${formatCount(method.blocks, 'block')}, sizes ${method.sizes.join(', ')} in random order${twice}, seed ${method.seed}, ${formatDuration(method.seconds * 1000)} in all, ${method.startedAt.slice(0, 10)}`,
    ...(shared === null ? [] : [`- ${shared}`]),
    ...(noise === null ? [] : [`- **${noise}**`]),
  ];
}

/** One table of a load in Markdown, with what happened in it. */
export function loadTableMarkdown(cells: readonly LoadCell[], { method }: LoadResult): string[] {
  const { columns, rows } = loadTable(cells, method.baseline, (text) => `**${text}**`);
  const notes = cells.flatMap(happenings);
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
