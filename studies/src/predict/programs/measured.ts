import { median, quantile } from 'plimsoll/lab';
import type { MeasuredSize } from './result.js';

/** One run of a program at a size: a server's slices of one generation, or a command. */
export interface ProgramRun {
  readonly size: number;
  readonly unitsMs: readonly number[];
  readonly perSecond: number | null;
  readonly makespanMs: number | null;
  readonly isOverloaded: boolean;
}

/** With fewer units, the p99 is one of the two longest. */
export const LEAST_FOR_P99 = 60;

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The runs of every size, in the order of the sizes; a size without a run is left out. */
export const measuredSizes = (runs: readonly ProgramRun[], sizes: readonly number[]): MeasuredSize[] =>
  sizes.flatMap((size) => {
    const own = runs.filter((run) => run.size === size && run.unitsMs.length > 0);
    return own.length === 0 ? [] : [measuredSize(size, own)];
  });

function measuredSize(size: number, runs: readonly ProgramRun[]): MeasuredSize {
  const means = runs.map(({ unitsMs }) => meanOf(unitsMs));
  const p99s = runs.map(({ unitsMs }) => quantile(unitsMs, 0.99));
  const units = median(runs.map(({ unitsMs }) => unitsMs.length));
  const perSecond = runs.flatMap((run) => run.perSecond ?? []);
  const makespans = runs.flatMap((run) => run.makespanMs ?? []);
  const paces = perSecond.length > 0 ? perSecond : makespans;
  return {
    size,
    runs: runs.length,
    units,
    mean: median(means),
    p99: units < LEAST_FOR_P99 ? null : median(p99s),
    perSecond: perSecond.length === 0 ? null : median(perSecond),
    makespanMs: makespans.length === 0 ? null : median(makespans),
    spread: { mean: spreadOf(means), p99: spreadOf(p99s), pace: spreadOf(paces) },
    isOverloaded: runs.filter((run) => run.isOverloaded).length * 2 > runs.length,
  };
}

const spreadOf = (values: readonly number[]): number =>
  (Math.max(...values) - Math.min(...values)) / median(values);
