import type { Verdict } from '../results/bench.js';
import type { Comparison, ComparisonRow } from '../results/comparison.js';
import { findingLines } from './finding-lines.js';
import { change, formatChange, formatMs, list } from './format.js';
import type { Style } from './style.js';
import { type Column, markdownTable, renderTable } from './table.js';

export const COMPARISON_COLUMNS: readonly Column[] = [
  { title: 'work', align: 'left', expendable: 0 },
  { title: 'size', align: 'right', expendable: 0 },
  { title: 'old', align: 'right', expendable: 2 },
  { title: 'new', align: 'right', expendable: 1 },
  { title: 'new against old', align: 'right', expendable: 0 },
  { title: 'verdict', align: 'left', expendable: 0 },
];

type Paint = (row: ComparisonRow, word: string) => string;

export const comparisonRows = ({ rows }: Comparison, paint: Paint = (_, word) => word): string[][] =>
  rows.map((row) => [
    row.name,
    String(row.size),
    formatMs(row.oldMs),
    formatMs(row.newMs),
    row.interval === null ? `~ ${change(row.ratio)}` : formatChange(row.ratio, row.interval),
    paint(row, row.interval === null ? 'estimate' : row.verdict),
  ]);

/** What a comparison came to, in one sentence. */
export function headline({ verdict, rows, recommended }: Comparison): string {
  const of = (wanted: Verdict): string[] => [
    ...new Set(rows.filter((row) => row.verdict === wanted).map(({ name }) => name)),
  ];
  const moved = recommended.filter(({ old, new: now }) => old !== null && now !== null && old !== now);
  const sizes = moved.map(({ name, old, new: now }) => `${name} ${old} → ${now}`);
  const text = {
    worse: `Worse: ${list(of('worse'))}`,
    better: `Better: ${list(of('better'))}; nothing is worse`,
    same: 'The same, within 3 %',
    unclear: 'Cannot tell: that is not the same as fine',
  }[verdict];
  return `${text}${sizes.length === 0 ? '' : `; recommended size: ${list(sizes)}`}`;
}

/** A comparison for a terminal. */
export function comparisonReport(comparison: Comparison, style: Style): string {
  const { color, width } = style;
  const paint: Paint = ({ verdict }, word) =>
    ({ worse: color.red, better: color.green, same: color.dim, unclear: color.yellow })[verdict](word);
  const { verdict } = comparison;
  const tone = { worse: color.red, better: color.green, same: color.green, unclear: color.yellow }[verdict];
  return [
    ...(comparison.rows.length === 0
      ? []
      : [...renderTable(COMPARISON_COLUMNS, comparisonRows(comparison, paint), width), '']),
    tone(headline(comparison)),
    ...findingLines('', comparison.findings, style).slice(comparison.findings.length === 0 ? 0 : 1),
  ].join('\n');
}

/** A comparison in Markdown, for the comment of a pull request. */
export const comparisonMarkdown = (comparison: Comparison): string =>
  [
    `**${headline(comparison)}**`,
    ...(comparison.rows.length === 0
      ? []
      : ['', ...markdownTable(COMPARISON_COLUMNS, comparisonRows(comparison))]),
    ...(comparison.findings.length === 0
      ? []
      : ['', ...comparison.findings.map(({ id, text }) => `- ${text} (\`${id}\`)`)]),
    '',
  ].join('\n');
