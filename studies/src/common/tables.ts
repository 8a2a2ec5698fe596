import { formatFigure } from '@plimsoll/benchmarks/format';
import { type Column, formatDuration, median } from '@plimsoll/lab';
import { compare, ratio } from './compare.js';
import { type ConditionResult, figures, isLost } from './result.js';
import type { Metric, Study } from './study.js';

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

export const left = (title: string): Column => ({ title, align: 'left', expendable: 0 });
export const right = (title: string, expendable = 0): Column => ({ title, align: 'right', expendable });

/** The median of the rounds and, when there are several generations, the smallest and the largest of theirs: `12.1 [11.8, 12.6]`. */
export function spread(condition: ConditionResult, contender: string, { id, digits }: Metric): string {
  const show = (value: number): string =>
    Number.isFinite(value) ? formatFigure(value, digits) : String(value);
  if (isLost(condition, contender)) return 'failed';
  const generations = figures(condition, contender, id).filter((values) => values.length > 0);
  if (generations.length === 0) return '–';
  const middle = show(median(generations.flat()));
  const medians = generations.map(median);
  return medians.length === 1
    ? middle
    : `${middle} [${show(Math.min(...medians))}, ${show(Math.max(...medians))}]`;
}

/** The median of a contender's figures; NaN when it was not measured. */
export function middle(condition: ConditionResult | undefined, contender: string, metric: string): number {
  const values = condition === undefined ? [] : figures(condition, contender, metric).flat();
  return values.length === 0 ? Number.NaN : median(values);
}

/** `8 generations, 24 rounds of each, 58 s`. */
export function methodOf(
  { method, disturbances }: ConditionResult,
  { startsPrograms }: Partial<Study> = {},
): string {
  const { mode, generations, rounds, tookSeconds, stop } = method;
  const count =
    mode === 'isolated'
      ? `${counted(rounds, 'process', 'processes')} of each`
      : `${counted(generations, 'generation')}, ${counted(rounds, 'round')} of each`;
  const end = stop === 'settled' ? ', until it was settled' : '';
  const outside =
    disturbances.length === 0 || startsPrograms
      ? ''
      : `; something else ran during ${disturbances.length} of ${counted(generations, 'generation')}`;
  return `${count}, ${formatDuration(tookSeconds * 1000)}${end}${outside}`;
}

const counted = (count: number, thing: string, things = `${thing}s`): string =>
  `${count} ${count === 1 ? thing : things}`;

/** `Piscina: not finished after 60 s`. */
export function failuresOf({ contenders, baseline, lost, failure }: ConditionResult): string[] {
  const title = (contender: string): string =>
    contenders.find(({ id }) => id === contender)?.title ?? contender;
  const all = failure === null ? lost : [...lost, { contender: baseline, reason: failure }];
  return all.map(({ contender, reason }) => `${title(contender)}: ${reason}`);
}

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
      condition.metrics.flatMap(({ id, title }) => {
        const found = compare(condition, ours, theirs, id);
        if (found === undefined) return [];
        const verdict = found.verdict === 'worse' ? '**worse**' : found.verdict;
        const shown = found.exploratory ? `(${verdict})` : verdict;
        return [[condition.title, `${ours} / ${theirs}`, title, ratio(found), shown]];
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
