import { formatFigure } from '@plimsoll/benchmarks/format';
import { markdownTable } from '@plimsoll/lab';
import { type Claim, claimsMarkdown, times, verdictOn } from '../common/claims.js';
import { judge } from '../common/compare.js';
import type { ConditionResult, StudyResult } from '../common/result.js';
import { againstTable, middle } from '../common/tables.js';

const WAYS = { to: 'to the worker', from: 'from the worker', both: 'there and back' } as const;

export function findings({ conditions }: StudyResult): string[] {
  const against = againstTable(conditions, [
    ['plimsoll-clone', 'piscina-clone'],
    ['plimsoll-move', 'piscina-move'],
  ]);
  return [
    '## From which size on moving pays',
    '',
    ...(['plimsoll', 'piscina'] as const).flatMap((library) =>
      Object.entries(WAYS).map(
        ([way, words]) => `- ${library}, ${words}: ${crossing(conditions, library, way)}.`,
      ),
    ),
    '',
    '## Beside the article',
    '',
    'It has no figures on this.',
    '',
    ...claimsMarkdown(claims(conditions)),
    '',
    '## Ours beside Piscina',
    '',
    ...markdownTable(against.columns, against.rows),
  ];
}

/** The smallest size from which on moving is faster at every size. */
function crossing(conditions: readonly ConditionResult[], library: string, way: string): string {
  const found = conditions.map((condition) => ({
    condition,
    ratio: judge(condition, `${library}-move`, `${library}-clone`, way),
  }));
  const last = found.findLastIndex(({ ratio }) => ratio?.verdict !== 'better');
  const first = found[last + 1];
  if (first === undefined) {
    const { condition, ratio } = found.at(-1) ?? {};
    return `at no size that was measured; moving takes ${times(ratio)} the time of copying at ${condition?.title}`;
  }
  return `from ${first.condition.title} on, where moving takes ${times(first.ratio)} the time of copying`;
}

function claims(conditions: readonly ConditionResult[]): Claim[] {
  const [small, large] = [conditions[0], conditions.at(-1)];
  if (small === undefined || large === undefined) return [];
  const micro = (one: ConditionResult, contender: string): string =>
    `${formatFigure(middle(one, contender, 'both'), 0)} µs`;
  const smallRatio = judge(small, 'piscina-clone', 'piscina-move', 'both');
  const largeRatio = judge(large, 'piscina-clone', 'piscina-move', 'both');
  return [
    {
      claim: 'the overhead of copying is typically minimal and largely inconsequential',
      theirs: 'none',
      here: `${small.title} there and back: ${micro(small, 'piscina-clone')} copied, ${micro(small, 'piscina-move')} moved (Piscina)`,
      verdict: smallRatio?.verdict === 'better' ? 'agrees' : verdictOn(smallRatio, 'same'),
      why: `for small values copying takes ${times(smallRatio)} the time of moving: what costs is the task, not its bytes.`,
    },
    {
      claim: 'moving helps with large amounts of data that are expensive to copy',
      theirs: 'none',
      here: `${large.title} there and back: ${micro(large, 'piscina-clone')} copied, ${micro(large, 'piscina-move')} moved (Piscina); ${micro(large, 'plimsoll-clone')} and ${micro(large, 'plimsoll-move')} (ours)`,
      verdict: verdictOn(largeRatio, 'worse'),
      why: `copying takes ${times(largeRatio)} the time of moving at ${large.title} with Piscina. What is left when nothing is copied is the allocation of fresh, zeroed memory.`,
    },
  ];
}
