import { pairedRatio } from 'plimsoll/lab';
import { type ConditionResult, figures } from './result.js';

/** How many times another's figure one is. */
export interface Comparison {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly level: number;
  /** The whole interval lies beyond 1 and beyond what equal things differ by; never said of fewer than five blocks. */
  readonly verdict: 'more' | 'less' | 'same or unclear';
}

/** What is too small to matter to anyone. */
const NEGLIGIBLE = 0.03;
/** Of the interval; five blocks reach it. */
const LEAST_LEVEL = 0.9;

/** One contender's figure by another's, block by block; undefined where there is nothing that can be divided. */
export function compare(
  condition: ConditionResult | undefined,
  one: string,
  other: string,
  metric: string,
): Comparison | undefined {
  if (condition === undefined) return undefined;
  const ratio = ratioOf(condition, one, other, metric);
  if (ratio === undefined) return undefined;
  const margin = 1 + noiseOf(condition, metric);
  const { value, low, high, level } = ratio;
  const beyond = low > margin ? 'more' : high < 1 / margin ? 'less' : 'same or unclear';
  return { value, low, high, level, verdict: level < LEAST_LEVEL ? 'same or unclear' : beyond };
}

/** How far the A/A twin's interval reaches: so much do equal things differ here. */
export function noiseOf(condition: ConditionResult, metric: string): number {
  const twin = ratioOf(condition, 'twin', condition.baseline, metric);
  if (twin === undefined) return NEGLIGIBLE;
  return Math.max(NEGLIGIBLE, twin.high - 1, 1 / twin.low - 1);
}

function ratioOf(condition: ConditionResult, one: string, other: string, metric: string) {
  const values = figures(condition, one, metric);
  const reference = figures(condition, other, metric);
  if (values.length === 0 || values.length !== reference.length) return undefined;
  // Logarithms need figures above 0, which not everything that is measured has to be.
  if ([...values, ...reference].some((value) => !(value > 0 && Number.isFinite(value)))) return undefined;
  const { ratio, interval } = pairedRatio(values, reference);
  return { value: ratio, ...interval };
}
