import { environmentLines, formatDuration, markdownTable } from '@plimsoll/lab';
import type { ConditionResult, StudyResult } from './result.js';
import type { Study } from './study.js';
import { conditionTable, failuresOf, methodOf } from './tables.js';

/** The page docs/results/<name>.md, derived from the result alone. */
export function pageOf(study: Study, result: StudyResult): string {
  const { environment, versions, conditions, seconds, startedAt, seed } = result;
  return [
    `# ${study.title}`,
    '',
    `Measured by \`npm run study:${study.name}\`; every round is in [${study.name}.json](${study.name}.json).`,
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
    ...method(result),
    `- seed ${seed}, ${formatDuration(seconds * 1000)} in all, ${startedAt.slice(0, 10)}`,
    ...conditions.flatMap((condition) => {
      const { columns, rows } = conditionTable(condition);
      return [
        '',
        `## ${condition.title}`,
        '',
        `${methodOf(condition, study)}${measuredOf(condition)}.`,
        ...failuresOf(condition).map((failure) => `\nFailed: ${failure}`),
        '',
        ...markdownTable(columns, rows),
      ];
    }),
    '',
  ].join('\n');
}

function measuredOf({ measured }: ConditionResult): string {
  if (measured === undefined) return '';
  const { startedAt, seed, versions } = measured;
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `; measured ${startedAt.slice(0, 10)} with ${named.join(', ')}, seed ${seed}`;
}

function method({ conditions }: StudyResult): string[] {
  const isIsolated = conditions.every(({ method }) => method.mode === 'isolated');
  return [
    ...(isIsolated
      ? [
          '- Every process has one round. A generation runs a process of every contender and one of the A/A twin, in random order.',
        ]
      : [
          '- Processes of all contenders and of an A/A twin live at the same time and take turns by short rounds, in random order; after',
          '  some blocks all are replaced by fresh ones (a generation).',
        ]),
    '  Tables: the median of the rounds [smallest, largest median of a generation]. Ratios: every generation yields the Hodges–Lehmann',
    "  centre of its blocks' log ratios; Student's t makes an interval of 95 % of them, which holds however often it is looked at.",
    '  Same: it lies within 3 % of 1; better or worse: it leaves out 1; unclear: neither, or there are fewer than four generations, or',
    '  the twins themselves differ. Verdicts in parentheses are exploratory: of twenty one would be wrong by luck. Those without hold',
    '  together, for each condition.',
  ];
}
