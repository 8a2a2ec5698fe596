import { mean } from '../collections/sum.js';
import type { BenchResult } from '../results/bench.js';
import type { Comparison, ComparisonRow } from '../results/comparison.js';
import { LEVEL, type Verdict, verdictOfInterval, welch } from '../stats/intervals.js';
import { FIRST_LOOK } from '../stats/looks.js';
import { hodgesLehmann } from '../stats/quantile.js';
import { type Cell, cellsOf } from './cells.js';
import { type Differences, machineDifferences, softwareDifferences } from './machines.js';

export type { Differences } from './machines.js';

export type Comparable = BenchResult;

/** What was not as it should be, beside the rows; `report/` says it. */
interface Circumstances {
  readonly machine: Differences | null;
  readonly software: Differences | null;
  readonly isUnfinished: boolean;
  /** Workloads that were other work in the other result. */
  readonly otherWork: readonly string[];
  readonly noisy: readonly string[];
  readonly disturbed: readonly string[];
  readonly onlyOld: readonly string[];
  readonly onlyNew: readonly string[];
  /** Modules that failed at a size: `new 8`. */
  readonly lost: readonly { readonly what: string; readonly message: string }[];
}

export interface Compared extends Omit<Comparison, 'findings'> {
  readonly circumstances: Circumstances;
}

/** As long as everything is as it should be. */
export const UNREMARKABLE: Circumstances = {
  ...{ machine: null, software: null, isUnfinished: false, otherWork: [], noisy: [], disturbed: [] },
  ...{ onlyOld: [], onlyNew: [], lost: [] },
};

/** A machine that something else used for more of the time does not tell how fast the code is. */
const MOST_DISTURBED = 0.5;
/**
 * Compare two results, the times of each size under each kind of work. The unit is the generation: fresh
 * processes that had their rounds. The intervals of all rows hold together at 95 % (Welch's, with Bonferroni's share each).
 *
 * They know how much generations of one run differ, not how much a machine differs from one hour to the next.
 */
export function compare(old: Comparable, now: Comparable): Compared {
  const [before, after] = [cellsOf(old), cellsOf(now)];
  const pairs = before.flatMap((cell) => {
    const same = after.find(({ name, size }) => name === cell.name && size === cell.size);
    return same === undefined ? [] : [{ old: cell, new: same }];
  });
  const machine = machineDifferences(old.environment, now.environment);
  const noisy = [...new Set([...noisyNames(old), ...noisyNames(now)])];
  const isComparable = ({ old: one, new: other }: (typeof pairs)[number]): boolean =>
    machine === null &&
    one.work === other.work &&
    !noisy.includes(one.name) &&
    ![one, other].some(isDisturbed);
  const rows = pairs
    .filter((pair) => pair.old.generations.length > 0 && pair.new.generations.length > 0)
    .map((pair) => rowOf(pair.old, pair.new, pairs.length, isComparable(pair)));
  return {
    ...{ schema: 'plimsoll/1', kind: 'comparison', of: old.kind, level: LEVEL },
    ...{ old: sideOf(old), new: sideOf(now), rows, interrupted: false },
    recommended: recommendations(old, now),
    verdict: together(rows, onlyIn(before, after)),
    circumstances: {
      ...UNREMARKABLE,
      ...{ machine, noisy, software: softwareDifferences(old.environment, now.environment) },
      isUnfinished: old.method.interrupted || now.method.interrupted,
      otherWork: namesOf(pairs.filter((pair) => pair.old.work !== pair.new.work).map((pair) => pair.old)),
      disturbed: namesOf(pairs.flatMap((pair) => [pair.old, pair.new]).filter(isDisturbed)),
      onlyOld: onlyIn(before, after),
      onlyNew: onlyIn(after, before),
    },
  };
}

const namesOf = (cells: readonly Cell[]): string[] => [...new Set(cells.map(({ name }) => name))];

const isDisturbed = ({ disturbedShare }: Cell): boolean => disturbedShare > MOST_DISTURBED;

const sideOf = ({ environment, method }: Comparable): Comparison['old'] => ({
  node: environment.node.version,
  startedAt: method.startedAt,
});

function rowOf(old: Cell, now: Cell, rows: number, isComparable: boolean): ComparisonRow {
  const logs = [now, old].map(({ generations }) => generations.map(centre));
  const [after = [], before = []] = logs;
  const canTell = Math.min(after.length, before.length) >= FIRST_LOOK;
  const found = canTell ? welch(after, before, 1 - (1 - LEVEL) / rows) : null;
  return {
    ...{ name: now.name, size: now.size, comparedBy: now.comparedBy },
    ...{ oldMs: Math.exp(mean(before)), newMs: Math.exp(mean(after)) },
    ...{ oldGenerations: before.length, newGenerations: after.length },
    ratio: Math.exp(mean(after) - mean(before)),
    interval: found === null ? null : [Math.exp(found.low), Math.exp(found.high)],
    verdict: found === null || !isComparable ? 'unclear' : verdictOfInterval(found),
  };
}

/** The middle of a generation's rounds on the log scale: one spike among them does not move it. */
const centre = (times: readonly number[]): number => hodgesLehmann(times.map(Math.log));

/** What cannot be told, or is gone, never reads as fine. */
export function together(rows: readonly ComparisonRow[], missing: readonly string[]): Verdict {
  const verdicts = rows.map(({ verdict }) => verdict);
  if (verdicts.includes('worse')) return 'worse';
  if (rows.length === 0 || missing.length > 0 || verdicts.includes('unclear')) return 'unclear';
  return verdicts.includes('better') ? 'better' : 'same';
}

/** Workloads whose A/A twin differed. */
const noisyNames = ({ workloads }: Comparable): string[] =>
  workloads.filter(({ noise }) => noise?.noisy).map(({ name }) => name);

function recommendations(old: Comparable, now: Comparable): Comparison['recommended'] {
  const of = ({ workloads }: Comparable): Map<string, number | null> =>
    new Map(workloads.map(({ name, recommended }) => [name, recommended]));
  const after = of(now);
  return [...of(old)].flatMap(([name, size]) =>
    after.has(name) ? [{ name, old: size, new: after.get(name) ?? null }] : [],
  );
}

/** What one result has and the other one does not. */
const onlyIn = (cells: readonly Cell[], others: readonly Cell[]): string[] =>
  cells
    .filter((cell) => !others.some(({ name, size }) => name === cell.name && size === cell.size))
    .map(rowName);

export const rowName = ({ name, size }: Pick<Cell, 'name' | 'size'>): string =>
  size === null ? name : `${name} at ${size}`;
