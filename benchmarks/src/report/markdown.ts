import { environmentLines, formatDuration, markdownTable } from '@plimsoll/lab';
import { formatEstimate } from '../common/format.js';
import type { BenchPoolResult, CaseResult } from '../result.js';
import { contendersTable, disturbance, targetsTable } from './tables.js';

/** The page docs/results/pool.md. */
export function markdown(result: BenchPoolResult, json: string): string {
  const { cases, environment, versions } = result;
  const targets = targetsTable(cases);
  return [
    '# The worker pool beside its peers',
    '',
    `Measured by \`npm run bench:pool\`; every single run is in [${json}](${json}).`,
    '',
    ...markdownTable(targets.columns, targets.rows),
    '',
    'Reached: the Hodges–Lehmann estimate over the blocks with its exact interval of signed ranks, 95 % or more unless ' +
      'another level is named. "Not certain": the interval contains the target.',
    '',
    '## Where and how',
    '',
    ...environmentLines(environment, versions),
    '- Every run is a process of its own that loads one contender; it yields one number per metric. A block runs every ' +
      'contender once in random order, and piscina a second time (A/A twin). The pools have a fixed number of workers ' +
      'and are otherwise as they come. Every result is checked.',
    `- ${formatDuration(cases.reduce((sum, { seconds }) => sum + seconds, 0) * 1000)} in all`,
    ...cases.flatMap((one) => ['', ...caseMarkdown(one)]),
    '',
  ].join('\n');
}

function caseMarkdown(result: CaseResult): string[] {
  const { columns, rows } = contendersTable(result);
  const twin = result.twin === null ? '' : ` The A/A twin: ${formatEstimate(result.twin)} ×.`;
  const disturbed = disturbance(result);
  const repeated = result.repeatedBlocks === 0 ? '' : `, ${result.repeatedBlocks} more run again`;
  return [
    `## ${result.title}`,
    '',
    `${result.description} \`npm run bench:pool -- ${result.name}\`, ${result.blocks} blocks${repeated}, ${result.measuredAt.slice(0, 10)}${disturbed === '' ? '' : `; ${disturbed}`}.${twin}`,
    '',
    ...markdownTable(columns, rows),
  ];
}
