import type { Comparison } from '../../results/comparison.js';
import { COMPARISON_COLUMNS, comparisonRows, headline } from '../compare.js';
import { change, formatChange } from '../format.js';
import { escapeText } from './escape.js';
import { findingList } from './finding-list.js';
import { drawIntervals } from './interval-rows.js';
import type { Render, Section } from './section.js';
import { htmlTable } from './table.js';

/** The result of `--against`: the verdict, every row with its interval, and what speaks against it. */
export const comparisonSection: Render<Comparison> = (comparison, id): Section => {
  const { of, old, new: now, rows, verdict, findings } = comparison;
  return {
    id,
    title: headline(comparison),
    kind: `plimsoll ${of === 'modules' ? 'bench' : 'report'} --against`,
    verdicts: [],
    body: [
      `<p class="headline ${verdict}">${escapeText(headline(comparison))}</p>`,
      `<p class="how">old: Node ${escapeText(old.node)}, ${escapeText(old.startedAt)}; new: Node ${escapeText(now.node)}, ${escapeText(now.startedAt)}</p>`,
      drawIntervals(
        rows.map(({ name, size, ratio, interval }) => ({
          label: `${name} ${size}`,
          value: ratio,
          interval,
          text: interval === null ? `~ ${change(ratio)}` : formatChange(ratio, interval),
        })),
        'New time against old',
      ),
      rows.length === 0
        ? ''
        : htmlTable(COMPARISON_COLUMNS, comparisonRows(comparison), {
            id: `${id}-table`,
            caption: 'Old and new',
          }),
      findingList(findings),
    ].join('\n'),
  };
};
