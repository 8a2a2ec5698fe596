import { grouped } from '../collections/grouped.js';
import { mean } from '../collections/sum.js';
import type { Environment } from '../host/environment.js';
import type { BenchResult, WorkloadResult } from '../results/bench.js';
import type { Comparison, ComparisonRow } from '../results/comparison.js';
import { LEVEL, type Verdict, verdictOfInterval, welch } from '../stats/intervals.js';
import { FIRST_LOOK } from '../stats/looks.js';
import { hodgesLehmann } from '../stats/quantile.js';

export type Comparable = BenchResult;

/** What was not as it should be, beside the rows; `report/` says it. */
interface Circumstances {
  readonly machine: Differences | null;
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

export const UNREMARKABLE: Circumstances = {
  ...{ machine: null, isUnfinished: false, otherWork: [], noisy: [], disturbed: [] },
  ...{ onlyOld: [], onlyNew: [], lost: [] },
};

/** A machine that something else used for more of the time does not tell how fast the code is. */
const MOST_DISTURBED = 0.5;

interface Cell extends Pick<ComparisonRow, 'name' | 'size'> {
  /** What the work was; cells of different work cannot be compared. */
  readonly work: string;
  /** Something else used the machine for too long: that cancels out of ratios, but not of times. */
  readonly isDisturbed: boolean;
  readonly logs: readonly number[];
}

/**
 * Compare two results, the times of each size under each kind of work. The unit is the generation: fresh
 * processes that had their rounds. The intervals of all rows hold together at 95 % (Welch's, with Bonferroni's share each).
 *
 * They know how much generations of one run differ, not how much a machine differs from one hour to the next.
 */
export function compare(old: Comparable, now: Comparable): Compared {
  const [before, after] = [old, now].map(({ workloads, method }) =>
    workloads.flatMap((workload) => cellsOf(workload, method.baseline)),
  ) as [Cell[], Cell[]];
  const pairs = before.flatMap((cell) => {
    const same = after.find((candidate) => rowName(candidate) === rowName(cell));
    return same === undefined ? [] : [{ old: cell, new: same }];
  });
  const machine = differences(old.environment, now.environment);
  // Their A/A twins differed.
  const noisy = namesOf([...old.workloads, ...now.workloads].filter(({ noise }) => noise?.noisy));
  const rows = pairs
    .filter((pair) => pair.old.logs.length > 0 && pair.new.logs.length > 0)
    .map((pair) => {
      const isUnlike = pair.old.work !== pair.new.work || pair.old.isDisturbed || pair.new.isDisturbed;
      const canTell = machine === null && !isUnlike && !noisy.includes(pair.old.name);
      return rowOf(pair.old, pair.new, pairs.length, canTell);
    });
  const onlyOld = onlyIn(before, after);
  return {
    ...{ schema: 'plimsoll/1', kind: 'comparison', of: old.kind, level: LEVEL },
    ...{ old: sideOf(old), new: sideOf(now), rows, interrupted: false },
    recommended: recommendations(old, now),
    verdict: overallVerdict(rows, onlyOld),
    circumstances: {
      ...UNREMARKABLE,
      ...{ machine, noisy },
      isUnfinished: old.method.interrupted || now.method.interrupted,
      otherWork: namesOf(pairs.filter((pair) => pair.old.work !== pair.new.work).map((pair) => pair.old)),
      disturbed: namesOf(
        pairs.flatMap((pair) => [pair.old, pair.new]).filter(({ isDisturbed }) => isDisturbed),
      ),
      ...{ onlyOld, onlyNew: onlyIn(after, before) },
    },
  };
}

function cellsOf(workload: WorkloadResult, baseline: number): Cell[] {
  const { name, description, operations, parameters, sizes, twinRounds, disturbances, method } = workload;
  const fromOutside = disturbances.filter(
    ({ what }) => what.includes('steal') || what.includes('other-load'),
  );
  return sizes.map(({ size, rounds }) => {
    const all = size === baseline ? [...rounds, ...twinRounds] : rounds;
    return {
      ...{ name, size, work: JSON.stringify([description, operations, parameters]) },
      isDisturbed: fromOutside.length > MOST_DISTURBED * (method?.generations || Number.POSITIVE_INFINITY),
      // The middle of its rounds on the log scale: one spike among them does not move it.
      logs: [...grouped(all, ({ generation }) => generation).values()].map((generation) =>
        hodgesLehmann(generation.map(({ workMs }) => Math.log(workMs))),
      ),
    };
  });
}

const namesOf = (all: readonly { readonly name: string }[]): string[] => [
  ...new Set(all.map(({ name }) => name)),
];

const sideOf = ({ environment, method }: Comparable): Comparison['old'] => ({
  node: environment.node.version,
  startedAt: method.startedAt,
});

function rowOf({ logs: before }: Cell, now: Cell, rows: number, isComparable: boolean): ComparisonRow {
  const { name, size, logs: after } = now;
  const canTell = Math.min(after.length, before.length) >= FIRST_LOOK;
  const interval = canTell ? welch(after, before, 1 - (1 - LEVEL) / rows) : null;
  return {
    ...{ name, size, comparedBy: 'workMs', oldMs: Math.exp(mean(before)), newMs: Math.exp(mean(after)) },
    ...{ oldGenerations: before.length, newGenerations: after.length },
    ratio: Math.exp(mean(after) - mean(before)),
    interval: interval && [Math.exp(interval.low), Math.exp(interval.high)],
    verdict: interval === null || !isComparable ? 'unclear' : verdictOfInterval(interval),
  };
}

/** What cannot be told, or is gone, never reads as fine. */
export function overallVerdict(rows: readonly ComparisonRow[], missing: readonly string[]): Verdict {
  const verdicts = rows.map(({ verdict }) => verdict);
  if (verdicts.includes('worse')) return 'worse';
  if (rows.length === 0 || missing.length > 0 || verdicts.includes('unclear')) return 'unclear';
  return verdicts.includes('better') ? 'better' : 'same';
}

const recommendations = (old: Comparable, now: Comparable): Comparison['recommended'] =>
  old.workloads.flatMap(({ name, recommended }) => {
    const after = now.workloads.findLast((workload) => workload.name === name);
    return after === undefined ? [] : [{ name, old: recommended, new: after.recommended }];
  });

function onlyIn(cells: readonly Cell[], others: readonly Cell[]): string[] {
  const known = others.map(rowName);
  return cells.map(rowName).filter((name) => !known.includes(name));
}

export const rowName = ({ name, size }: Pick<ComparisonRow, 'name' | 'size'>): string => `${name} at ${size}`;

export interface Differences {
  readonly what: readonly string[];
  readonly old: readonly string[];
  readonly new: readonly string[];
}

/** Where one of these differs, times do not say anything about the code. */
const MACHINE: readonly (readonly [what: string, value: (environment: Environment) => unknown])[] = [
  ['CPU', ({ cpu }) => cpu.model],
  ['cores', ({ cpu }) => cpu.effectiveCpus],
  ['CPU quota', ({ limits }) => limits.cpuQuotaCores],
  ['platform', ({ os }) => os.platform],
  ['architecture', ({ os }) => os.arch],
  ['virtual machine', ({ cpu }) => cpu.hypervisor],
  ['memory', ({ os }) => os.memoryTotalBytes],
  ['filesystem', ({ filesystem }) => filesystem.type],
];

function differences(old: Environment, now: Environment): Differences | null {
  const differing = MACHINE.filter(([, value]) => value(old) !== value(now));
  if (differing.length === 0) return null;
  return {
    what: differing.map(([what]) => what),
    old: differing.map(([, value]) => textOf(value(old))),
    new: differing.map(([, value]) => textOf(value(now))),
  };
}

const textOf = (value: unknown): string => (value === null || value === '' ? 'none' : String(value));
