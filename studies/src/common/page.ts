import { environmentLines, formatDuration, markdownTable } from 'plimsoll/lab';
import type { StudyResult } from './result.js';
import type { Study } from './study.js';
import { blocksOf, conditionTable } from './tables.js';

/** The page docs/results/<name>.md, derived from the result alone. */
export function pageOf(study: Study, result: StudyResult): string {
  const { environment, versions, conditions, seconds, startedAt, seed } = result;
  return [
    `# ${study.title}`,
    '',
    `Measured by \`npm run study:${study.name}\`; every single run is in [${study.name}.json](${study.name}.json).`,
    ...(result.effort === 'full'
      ? []
      : ['', '**A quick run: it proves that the study works, and nothing else.**']),
    '',
    ...study.description,
    '',
    ...study.findings(result),
    '',
    '## Where and how',
    '',
    ...environmentLines(environment, versions),
    '- Every run is a process of its own; a block runs every contender once in random order, and the first one twice (A/A twin).',
    '  Tables: the median of the runs [smallest, largest]. Ratios: the Hodges–Lehmann estimate over the blocks with its exact',
    '  interval of signed ranks, 95 % or more unless another level is named. Same: it lies within 3 % of 1; better or worse: it leaves',
    '  out 1; unclear: neither, or there are fewer than six blocks, or the twins themselves differ. The first figure of a table is what',
    '  it was measured for; the others are exploratory, and so are their verdicts, in parentheses: of twenty one would be wrong by luck.',
    `- seed ${seed}, ${formatDuration(seconds * 1000)} in all, ${startedAt.slice(0, 10)}`,
    ...conditions.flatMap((condition) => {
      const { columns, rows } = conditionTable(condition);
      const failures = new Set(condition.runs.flatMap(({ failure }) => failure ?? []));
      return [
        '',
        `## ${condition.title}`,
        '',
        `${blocksOf(condition)}${condition.repeatedBlocks === 0 ? '' : `, ${condition.repeatedBlocks} more run again`}${disturbed(condition.runs)}.`,
        ...[...failures].map((failure) => `\nFailed: ${failure}`),
        '',
        ...markdownTable(columns, rows),
      ];
    }),
    '',
  ].join('\n');
}

function disturbed(runs: StudyResult['conditions'][number]['runs']): string {
  const counted = runs.filter(({ superseded }) => !superseded);
  const hit = counted.filter(({ disturbances }) => disturbances.length > 0);
  return hit.length === 0 ? '' : `; ${hit.length} of ${counted.length} runs disturbed from outside`;
}
