import { markdownTable } from '@plimsoll/lab';
import { type Comparison, compare, judge, ratio } from '../common/compare.js';
import type { ConditionResult, StudyResult } from '../common/result.js';
import { left, right } from '../common/tables.js';

type Pair = Comparison | undefined;

const verdictOf = (found: Pair): string => {
  if (found?.verdict === 'better') return 'faster';
  return found?.verdict === 'worse' ? '**slower**' : 'no gain';
};

/** The worst build first, then every one beside its own pool and beside none. */
export function findings({ conditions }: StudyResult): string[] {
  const rows = conditions.map((condition) => ({
    condition,
    whole: judge(condition, 'plimsoll', 'original', 'total'),
  }));
  return [
    ...summary(rows),
    '',
    '## What it gains',
    '',
    'Times and memory with `@plimsoll/pool`, divided by those with the pool of the tool, and by those without any: below 1 is',
    'better. "Faster" and "slower" are of the whole process, where the interval leaves out 1; everything else is no gain.',
    '',
    ...markdownTable(
      [
        left('build'),
        right('process'),
        left('so it is'),
        right('build'),
        right('peak memory'),
        right('process / main thread alone'),
      ],
      rows.map(({ condition, whole }) => [
        condition.title,
        shown(whole),
        verdictOf(whole),
        shown(judge(condition, 'plimsoll', 'original', 'build')),
        shown(compare(condition, 'plimsoll', 'original', 'peak')),
        shown(compare(condition, 'plimsoll', 'none', 'total')),
      ]),
    ),
  ];
}

const shown = (found: Pair): string => (found === undefined ? '–' : ratio(found));

/** From the worst to the best: no estimate beside an interval with 1 in it comes before or after those that are told from 1. */
const VERDICTS = ['**slower**', 'no gain', 'faster'];

function summary(rows: readonly { readonly condition: ConditionResult; readonly whole: Pair }[]): string[] {
  const sorted = rows
    .filter(({ whole }) => whole !== undefined)
    .sort(
      ({ whole: one }, { whole: other }) =>
        VERDICTS.indexOf(verdictOf(one)) - VERDICTS.indexOf(verdictOf(other)) ||
        (other?.ratio ?? 0) - (one?.ratio ?? 0),
    );
  const [worst, best] = [sorted[0], sorted.at(-1)];
  if (worst === undefined || best === undefined) return ['Nothing could be compared.'];
  const count = (verdict: string): number =>
    sorted.filter(({ whole }) => verdictOf(whole) === verdict).length;
  const told = ({ condition, whole }: typeof worst): string =>
    `${condition.title}: ${shown(whole)} times the time (${verdictOf(whole)}).`;
  return [
    `- Worst: ${told(worst)}`,
    `- Best: ${told(best)}`,
    `- Of ${sorted.length} builds ${count('faster')} are faster, ${count('no gain')} gain nothing, and ${count('**slower**') || 'none'} are slower.`,
  ];
}
