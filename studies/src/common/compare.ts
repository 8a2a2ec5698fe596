import { formatEstimate } from '@plimsoll/benchmarks/format';
import { comparePair, evenLooks, type PairComparison, type PairedBlocks } from '@plimsoll/lab';
import { type ConditionResult, figures, isLost } from './result.js';
import type { Judged } from './study.js';

export interface Comparison extends PairComparison {
  /** Its interval holds by itself only, beside those of many others. */
  readonly exploratory: boolean;
}

/**
 * One contender's figure by another's, judged by its interval: `better` or `worse` as the metric counts, `same` within 3 %, else
 * `unclear`; always unclear with fewer than four generations, or when the A/A twin differs. `undefined` where there is nothing
 * that can be divided.
 */
export function compare(
  condition: ConditionResult | undefined,
  one: string,
  other: string,
  metric: string,
): Comparison | undefined {
  if (condition === undefined) return undefined;
  const pairs = pairsOf(condition, one, other, metric);
  if (pairs === undefined) return undefined;
  const exploratory = !isJudged(condition, one, other, metric);
  const comparisons = exploratory ? 1 : judgedOf(condition).length;
  const found = comparePair(pairs, { looks: looksOf(condition), comparisons });
  if (isNoisy(condition, metric)) return { ...found, verdict: 'unclear', settled: false, exploratory };
  const isMore = condition.metrics.find(({ id }) => id === metric)?.better === 'more';
  return { ...found, verdict: isMore ? SWAPPED[found.verdict] : found.verdict, exploratory };
}

const SWAPPED = { better: 'worse', worse: 'better', same: 'same', unclear: 'unclear' } as const;

/** The same for what a conclusion rests on. @throws {RangeError} when it is exploratory. */
export function judge(
  condition: ConditionResult | undefined,
  one: string,
  other: string,
  metric: string,
): Comparison | undefined {
  const found = compare(condition, one, other, metric);
  if (found?.exploratory) throw new RangeError(`${one} / ${other} by ${metric} is not among what is judged`);
  return found;
}

/** More rounds are not likely to tell more of what is judged. */
export function isSettled(condition: ConditionResult): boolean {
  const found = judgedOf(condition).map((pair) => compare(condition, ...pair));
  return found.length > 0 && found.every((one) => one?.settled ?? true);
}

function judgedOf({ judged, contenders }: ConditionResult): readonly Judged[] {
  const isThere = (contender: string): boolean => contenders.some(({ id }) => id === contender);
  return judged.filter(([one, other]) => isThere(one) && isThere(other));
}

const isJudged = ({ judged }: ConditionResult, one: string, other: string, metric: string): boolean =>
  judged.some(([a, b, by]) => by === metric && ((a === one && b === other) || (a === other && b === one)));

/** The twin by the baseline, which is the same: what equal things differ by. */
export function compareTwin(condition: ConditionResult, metric: string): PairComparison | undefined {
  const { baseline } = condition;
  const pairs = paired(figures(condition, 'twin', metric), figures(condition, baseline, metric));
  return pairs && comparePair(pairs, { looks: looksOf(condition), comparisons: 1 });
}

const looksOf = ({ generations, method }: ConditionResult): number[] =>
  evenLooks(generations.length, method.mostGenerations);

const isNoisy = (condition: ConditionResult, metric: string): boolean =>
  ['better', 'worse'].includes(compareTwin(condition, metric)?.verdict ?? '');

function pairsOf(
  condition: ConditionResult,
  one: string,
  other: string,
  metric: string,
): PairedBlocks[] | undefined {
  if (isLost(condition, one) || isLost(condition, other)) return undefined;
  return paired(turns(condition, one, metric), turns(condition, other, metric));
}

/** The baseline takes two turns in every block: their geometric mean is less noisy than either. */
function turns(condition: ConditionResult, contender: string, metric: string): (readonly number[])[] {
  const own = figures(condition, contender, metric);
  if (contender !== condition.baseline) return own;
  const twins = figures(condition, 'twin', metric);
  return own.map((values, index) => {
    const twin = twins[index] ?? [];
    return values.slice(0, twin.length).map((value, block) => Math.sqrt(value * (twin[block] as number)));
  });
}

/** The complete blocks of both; `undefined` when there are none, or figures that have no logarithm. */
function paired(
  own: readonly (readonly number[])[],
  others: readonly (readonly number[])[],
): PairedBlocks[] | undefined {
  const pairs = own.map((all, generation) => {
    const theirs = others[generation] ?? [];
    const blocks = Math.min(all.length, theirs.length);
    return { values: all.slice(0, blocks), reference: theirs.slice(0, blocks) };
  });
  const canDivide = pairs.every(({ values, reference }) =>
    [...values, ...reference].every((value) => value > 0 && Number.isFinite(value)),
  );
  return pairs.some(({ values }) => values.length > 0) && canDivide ? pairs : undefined;
}

/** `1.02 [0.99, 1.05]`; without an interval where there are too few generations for one. */
export const ratio = ({ ratio: value, low, high }: PairComparison): string =>
  formatEstimate({ value, low, high, level: 0.95 });
