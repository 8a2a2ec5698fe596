import { type Column, formatEstimate, formatFigure, median } from 'plimsoll/lab';
import { compare } from './compare.js';
import { type ConditionResult, figures } from './result.js';
import type { Metric } from './study.js';

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

export const left = (title: string): Column => ({ title, align: 'left', expendable: 0 });
export const right = (title: string, expendable = 0): Column => ({ title, align: 'right', expendable });

/** The median and, when there are several runs, the smallest and the largest: `12.1 [11.8, 12.6]`. */
export function spread(condition: ConditionResult, contender: string, { id, digits }: Metric): string {
  const values = figures(condition, contender, id);
  const show = (value: number): string =>
    Number.isFinite(value) ? formatFigure(value, digits) : String(value);
  if (values.length === 0) return '–';
  if (values.some(Number.isNaN)) return 'failed';
  const middle = show(median(values));
  return values.length === 1
    ? middle
    : `${middle} [${show(Math.min(...values))}, ${show(Math.max(...values))}]`;
}

/** The median of a contender's figures; NaN when it was not measured. */
export function middle(condition: ConditionResult | undefined, contender: string, metric: string): number {
  const values = condition === undefined ? [] : figures(condition, contender, metric);
  return values.length === 0 ? Number.NaN : median(values);
}

/** `1 block`, `6 blocks`. */
export const blocksOf = ({ blocks }: ConditionResult): string => `${blocks} block${blocks === 1 ? '' : 's'}`;

/** Every contender and metric of a condition. */
export function conditionTable(condition: ConditionResult): Table {
  return {
    columns: [left(''), ...condition.metrics.map(({ title }, index) => right(title, index))],
    rows: condition.contenders.map(({ id, title }) => [
      title,
      ...condition.metrics.map((metric) => spread(condition, id, metric)),
    ]),
  };
}

/** Pairs of contenders, ours first: how many times the other's figure ours is, and whether ours is worse. */
export function againstTable(
  conditions: readonly ConditionResult[],
  pairs: readonly (readonly [ours: string, theirs: string])[],
): Table {
  const rows = conditions.flatMap((condition) =>
    pairs.flatMap(([ours, theirs]) =>
      condition.metrics.flatMap(({ id, title }, index) => {
        const found = compare(condition, ours, theirs, id);
        if (found === undefined) return [];
        const verdict = found.verdict === 'worse' ? '**worse**' : found.verdict;
        const shown = index === 0 ? verdict : `(${verdict})`;
        return [[condition.title, `${ours} / ${theirs}`, title, formatEstimate(found), shown]];
      }),
    ),
  );
  return {
    columns: [
      left('condition'),
      left('ours / theirs'),
      left('figure'),
      right('ratio [interval]'),
      left('ours is'),
    ],
    rows,
  };
}
