import type { BenchResult } from '../results/bench.js';
import type { Comparison, ComparisonRow } from '../results/comparison.js';
import { FIRST_LOOK } from '../stats/looks.js';
import { LEVEL, type Verdict, verdictOfInterval } from '../stats/paired-comparison.js';
import { hodgesLehmann } from '../stats/signed-rank.js';
import { welch } from '../stats/two-samples.js';
import { type Cell, cellsOf } from './cells.js';
import { type Differences, machineDifferences, softwareDifferences } from './machines.js';

export type Comparable = BenchResult;

/** What a reader must know of a comparison, with its numbers; `report/` says it in a sentence. */
export type ComparisonFact =
  | ({ readonly id: 'compare.other-machine' } & Differences)
  | ({ readonly id: 'compare.other-software' } & Differences)
  | { readonly id: 'compare.other-work'; readonly names: readonly string[] }
  | { readonly id: 'compare.only-in-one'; readonly old: readonly string[]; readonly new: readonly string[] }
  | { readonly id: 'compare.nothing-in-common' }
  | { readonly id: 'compare.few-generations'; readonly names: readonly string[]; readonly needed: number }
  | { readonly id: 'compare.noisy'; readonly names: readonly string[] }
  | { readonly id: 'compare.disturbed'; readonly names: readonly string[] }
  /** A module failed at a size. */
  | { readonly id: 'compare.lost'; readonly what: string; readonly message: string }
  /** All rows changed by about as much: the machine may have. */
  | { readonly id: 'compare.all-alike'; readonly ratio: number; readonly rows: number }
  | { readonly id: 'compare.unfinished' };

export interface Compared extends Omit<Comparison, 'findings'> {
  readonly facts: readonly ComparisonFact[];
}

/** A machine that something else used for more of the time does not tell how fast the code is. */
const MOST_DISTURBED = 0.5;
/** With fewer rows that agree it may be chance. */
const LEAST_ALIKE = 4;
/** On the log scale: rows within 5 % of one another changed alike. */
const ALIKE = 0.05;

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
    facts: [
      ...(machine === null ? [] : [{ id: 'compare.other-machine' as const, ...machine }]),
      ...factsOf({ old, now, before, after, pairs, rows, noisy }),
    ],
  };
}

const isDisturbed = ({ disturbedShare }: Cell): boolean => disturbedShare > MOST_DISTURBED;

const sideOf = ({ environment, method }: Comparable): Comparison['old'] => ({
  node: environment.node.version,
  startedAt: method.startedAt,
});

function rowOf(old: Cell, now: Cell, rows: number, isComparable: boolean): ComparisonRow {
  const logs = [now, old].map(({ generations }) => generations.map(centre));
  const [after = [], before = []] = logs;
  const canTell = Math.min(after.length, before.length) >= FIRST_LOOK;
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
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

interface Known {
  readonly old: Comparable;
  readonly now: Comparable;
  readonly before: readonly Cell[];
  readonly after: readonly Cell[];
  readonly pairs: readonly { readonly old: Cell; readonly new: Cell }[];
  readonly rows: readonly ComparisonRow[];
  readonly noisy: readonly string[];
}

/** What one result has and the other one does not. */
const onlyIn = (cells: readonly Cell[], others: readonly Cell[]): string[] =>
  cells
    .filter((cell) => !others.some(({ name, size }) => name === cell.name && size === cell.size))
    .map(rowName);

export const rowName = ({ name, size }: Pick<Cell, 'name' | 'size'>): string =>
  size === null ? name : `${name} at ${size}`;

function factsOf({ old, now, before, after, pairs, rows, noisy }: Known): ComparisonFact[] {
  const software = softwareDifferences(old.environment, now.environment);
  const [onlyOld, onlyNew] = [onlyIn(before, after), onlyIn(after, before)];
  const otherWork = [
    ...new Set(pairs.filter((pair) => pair.old.work !== pair.new.work).map((pair) => pair.old.name)),
  ];
  const few = rows.filter(({ interval }) => interval === null).map(rowName);
  const named = (wanted: (cell: Cell) => boolean, name: (cell: Cell) => string): string[] => [
    ...new Set(pairs.flatMap((pair) => [pair.old, pair.new].filter(wanted).map(name))),
  ];
  const disturbed = named(isDisturbed, ({ name }) => name);
  const alike = changeOfAll(rows);
  const facts: (ComparisonFact | false)[] = [
    (old.method.interrupted || now.method.interrupted) && { id: 'compare.unfinished' },
    rows.length === 0 && { id: 'compare.nothing-in-common' },
    otherWork.length > 0 && { id: 'compare.other-work', names: otherWork },
    noisy.length > 0 && { id: 'compare.noisy', names: noisy },
    disturbed.length > 0 && { id: 'compare.disturbed', names: disturbed },
    few.length > 0 && { id: 'compare.few-generations', names: few, needed: FIRST_LOOK },
    alike !== null && { id: 'compare.all-alike', ratio: alike, rows: rows.length },
    onlyOld.length + onlyNew.length > 0 && { id: 'compare.only-in-one', old: onlyOld, new: onlyNew },
    software !== null && { id: 'compare.other-software', ...software },
  ];
  return facts.filter((fact) => fact !== false);
}

/** By how much all rows changed, when they did so alike and it can be told; else `null`. */
function changeOfAll(rows: readonly ComparisonRow[]): number | null {
  if (rows.length < LEAST_ALIKE || !rows.every(({ verdict }) => verdict === rows[0]?.verdict)) return null;
  if (!['better', 'worse'].includes(rows[0]?.verdict ?? '')) return null;
  const logs = rows.map(({ ratio }) => Math.log(ratio));
  const middle = hodgesLehmann(logs);
  return logs.every((log) => Math.abs(log - middle) <= ALIKE) ? Math.exp(middle) : null;
}
