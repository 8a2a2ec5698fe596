import type { Verdict } from '../results/bench.js';
import type { Comparison } from '../results/comparison.js';
import { column, findingsBlock, type Report, type Table } from './document.js';
import { formatChange, formatMs, list } from './format.js';
import { VERDICT_TONE } from './sizes.js';

export function comparisonDocument(comparison: Comparison): Report {
  const { node, startedAt, rows, verdict, findings } = comparison;
  const tone = verdict === 'same' ? 'good' : VERDICT_TONE[verdict];
  return {
    command: 'plimsoll bench --against',
    about: [`Node ${node}, ${startedAt}`],
    sections: [
      { blocks: [{ kind: 'headline', text: headline(comparison), tone }] },
      { blocks: [...(rows.length === 0 ? [] : [tableOf(comparison)]), ...findingsBlock(findings)] },
    ],
  };
}

const tableOf = ({ rows }: Comparison): Table => ({
  kind: 'table',
  caption: 'New time against old',
  columns: [
    ...[column('work', 'left'), column('size'), column('old', 'right', 2), column('new', 'right', 1)],
    ...[column('new against old'), column('verdict', 'left')],
  ],
  rows: rows.map(({ name, size, oldMs, newMs, ratio, interval, verdict }) => [
    ...[name, String(size), formatMs(oldMs), formatMs(newMs)],
    `${interval === null ? '~ ' : ''}${formatChange(ratio, interval)}`,
    { text: interval === null ? 'estimate' : verdict, tone: VERDICT_TONE[verdict] },
  ]),
});

function headline({ verdict, rows }: Comparison): string {
  const named = (wanted: Verdict): string =>
    list([...new Set(rows.filter((row) => row.verdict === wanted).map(({ name }) => name))]);
  return {
    worse: `Worse: ${named('worse')}`,
    better: `Better: ${named('better')}; nothing is worse`,
    same: 'The same, within 3 %',
    unclear: 'Cannot tell, which does not mean unchanged',
  }[verdict];
}
