import { markdownTable } from '@plimsoll/lab';
import { type Claim, claimsMarkdown, times, verdictOn } from '../common/claims.js';
import { judge } from '../common/compare.js';
import type { ConditionResult, StudyResult } from '../common/result.js';
import { againstTable, middle } from '../common/tables.js';

export function findings({ conditions }: StudyResult): string[] {
  const [condition] = conditions;
  if (condition === undefined) return [];
  const against = againstTable(
    [condition],
    ['unbounded', 'pausing', 'windowed'].map((mode) => [`plimsoll-${mode}`, `piscina-${mode}`] as const),
  );
  return [
    '## Beside the article',
    '',
    'It has no figures but the 25,000 lines.',
    '',
    ...claimsMarkdown(claims(condition)),
    '',
    '## Ours beside Piscina',
    '',
    ...markdownTable(against.columns, against.rows),
  ];
}

function claims(condition: ConditionResult): Claim[] {
  const of = (contender: string, metric: string, digits = 0): string =>
    middle(condition, contender, metric).toFixed(digits);
  const both = (mode: string, metric: string, unit: string, digits = 0): string =>
    `${of(`plimsoll-${mode}`, metric, digits)}${unit} (ours), ${of(`piscina-${mode}`, metric, digits)}${unit} (Piscina)`;
  const lines = condition.parameters.lines ?? 0;
  const queue = middle(condition, 'piscina-unbounded', 'queue');
  const slower = judge(condition, 'piscina-pausing', 'piscina-unbounded', 'time');
  const oursSlower = judge(condition, 'plimsoll-pausing', 'plimsoll-unbounded', 'time');
  const heap = judge(condition, 'piscina-pausing', 'piscina-unbounded', 'heap');
  const window = judge(condition, 'piscina-windowed', 'piscina-pausing', 'time');
  return [
    {
      claim: 'without a limit nearly all lines end up in the queue',
      theirs: 'nearly 25,000 items',
      here: `at most ${both('unbounded', 'queue', '')} of ${lines}`,
      verdict: queue > lines / 2 ? 'agrees' : 'differs',
      why: 'how many depends on how much faster lines are read than processed; the faster the pool and the reader share the cores, the more of them are done before the file is read.',
    },
    {
      claim: 'with maxQueue and drain the total time grows by a small amount',
      theirs: 'no figure',
      here: `Piscina ${times(slower)}, ours ${times(oursSlower)}`,
      verdict: slower === undefined ? 'unclear' : slower.ratio < 1.25 ? 'agrees' : 'differs',
      why: `'drain' comes when a worker has nothing to do, so that workers wait until the stream has resumed; against that stands what a long queue costs the collector.${(oursSlower?.ratio ?? 0) > 1.25 ? ' Ours loses more by it than Piscina, because without a limit its tasks cost less.' : ''}`,
    },
    {
      claim: 'memory is much lower and more predictable',
      theirs: 'no figure',
      here: `peak heap ${both('pausing', 'heap', ' MB', 1)} against ${both('unbounded', 'heap', ' MB', 1)}`,
      verdict: verdictOn(heap, 'better'),
      why: `the queue never holds more than ${both('pausing', 'queue', '')}; the heap falls to ${times(heap)} with Piscina.`,
    },
    {
      claim: 'awaiting tasks and submitting more as they complete has a similar effect',
      theirs: 'no figure',
      here: `${both('windowed', 'time', ' ms')} against ${both('pausing', 'time', ' ms')}; longest queue ${both('windowed', 'queue', '')}`,
      verdict:
        window === undefined ? 'unclear' : window.ratio > 0.67 && window.ratio < 1.5 ? 'agrees' : 'differs',
      why: `the window takes ${times(window)} the time of pause and drain with Piscina; it never lets the queue run empty, but \`Promise.race\` over the window costs something for every line.`,
    },
  ];
}
