import { median } from '@plimsoll/lab';
import { type Estimate, estimateRatio } from '../common/estimate.js';
import type { ArmName, Rival } from './arms.js';
import { LENGTHS, type Measured, type ValueName } from './cells.js';

const rates = ({ windows }: Measured, arm: ArmName): number[] => windows[arm].map(({ rate }) => rate);

/** The rate of somebody in times that of `inline`, block by block. */
export const timesInline = (measured: Measured, arm: ArmName): Estimate =>
  estimateRatio(rates(measured, arm), rates(measured, 'inline')) as Estimate;

/** What the main thread spends on each task, in microseconds. */
export const hostTime = ({ windows }: Measured, arm: ArmName): number =>
  median(windows[arm].map(({ hostUs }) => hostUs));

/**
 * The length of tasks, in microseconds, from which on somebody is faster than `inline`: between two lengths a straight line on
 * logarithmic scales. 0: the shortest is faster already; Infinity: the longest is not yet.
 */
export function crossoverOf(all: readonly Measured[], value: ValueName, rival: Rival): number {
  const ratios = LENGTHS.map((length) => {
    const cell = all.find((one) => one.value === value && one.length === length) as Measured;
    return Math.log(timesInline(cell, rival).value);
  });
  const last = ratios.findLastIndex((ratio) => ratio < 0);
  const [from, to] = [LENGTHS[last], LENGTHS[last + 1]];
  if (from === undefined) return 0;
  if (to === undefined) return Number.POSITIVE_INFINITY;
  const [below, above] = [ratios[last] as number, ratios[last + 1] as number];
  return from * (to / from) ** (-below / (above - below));
}
