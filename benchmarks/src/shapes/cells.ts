import { median } from '@plimsoll/lab';
import type { Estimate } from '../common/estimate.js';
import type { BenchPoolResult, CaseResult } from '../result.js';
import { CONDITIONS } from './case.js';
import { inFlightOf, SHAPES, type Shape } from './shapes.js';

export type Condition = (typeof CONDITIONS)[number];

/** One shape under one condition on one node: our pool in times Piscina. */
export interface Cell {
  /** Version of the node. */
  readonly node: string;
  readonly shape: Shape;
  readonly condition: Condition;
  /** Tasks a second. */
  readonly rate: Estimate;
  /** CPU time of a task, host and workers; `null` where it was too short to be counted. */
  readonly cpu: Estimate | null;
}

export const ENOUGH = 0.9;

const caseOf = (result: BenchPoolResult, { name }: Shape): CaseResult | undefined =>
  result.cases.find((one) => one.name === `shapes/${name}`);

/** The shapes that were measured on a node, as its page shows them. */
export const measuredShapes = (result: BenchPoolResult): [Shape, CaseResult][] =>
  SHAPES.flatMap((shape) => {
    const found = caseOf(result, shape);
    return found === undefined ? [] : [[shape, found] as [Shape, CaseResult]];
  });

export function cellsOf(result: BenchPoolResult): Cell[] {
  const node = result.environment.node.version;
  return measuredShapes(result).flatMap(([shape, { rows }]) => {
    const times = rows.find(({ contender }) => contender === 'plimsoll')?.times ?? {};
    return CONDITIONS.flatMap((condition) => {
      const rate = times[condition.id];
      return rate ? [{ node, shape, condition, rate, cpu: times[`${condition.id}-cpu`] ?? null }] : [];
    });
  });
}

/** Why a pool has no figures for a shape. */
export const failuresOf = (result: BenchPoolResult): string[] =>
  measuredShapes(result).flatMap(([shape, { rows }]) =>
    rows
      .filter(({ without }) => without !== null)
      .map(
        ({ title, without }) =>
          `Node ${result.environment.node.version}, ${shape.title}, ${title}: ${without}`,
      ),
  );

export interface Summary {
  readonly worst: Cell;
  readonly median: number;
  /** Cells under 0.9, and those of them whose whole interval is. */
  readonly under: number;
  readonly surelyUnder: number;
  /** The one with the most CPU in times Piscina's. */
  readonly mostCpu: (Cell & { readonly cpu: Estimate }) | null;
  readonly medianCpu: number | null;
}

/** @returns `null` when there are no cells. */
export function summaryOf(cells: readonly Cell[]): Summary | null {
  const [worst] = cells.toSorted((one, two) => one.rate.value - two.rate.value);
  if (worst === undefined) return null;
  const counted = cells.flatMap((cell) => (cell.cpu === null ? [] : [{ ...cell, cpu: cell.cpu }]));
  const [mostCpu] = counted.toSorted((one, two) => two.cpu.value - one.cpu.value);
  return {
    worst,
    median: median(cells.map(({ rate }) => rate.value)),
    under: cells.filter(({ rate }) => rate.value < ENOUGH).length,
    surelyUnder: cells.filter(({ rate }) => rate.high < ENOUGH).length,
    mostCpu: mostCpu ?? null,
    medianCpu: counted.length === 0 ? null : median(counted.map(({ cpu }) => cpu.value)),
  };
}

/** `out, 16 in flight`. */
export const placeIn = ({ shape, condition: { isIn, isOne } }: Cell): string =>
  `${isIn ? 'in' : 'out'}, ${isOne ? 'one' : inFlightOf(shape)} in flight`;
