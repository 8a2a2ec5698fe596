import type { MeasuredModules } from '../../bench/modules.js';
import { grouped } from '../../collections/grouped.js';
import { mean } from '../../collections/sum.js';
import type { Environment } from '../../host/environment.js';
import type { BenchResult, Verdict, WorkloadResult } from '../../results/bench.js';
import type { Comparison, ComparisonRow } from '../../results/comparison.js';
import type { Finding } from '../../results/finding.js';
import { LEVEL, verdictOfInterval, welch } from '../../stats/intervals.js';
import { FIRST_LOOK } from '../../stats/looks.js';
import { hodgesLehmann } from '../../stats/quantile.js';
import { change, list } from '../format.js';
import { advice, note, warning } from './finding.js';

const HEAD = { schema: 'plimsoll/1', kind: 'comparison', level: LEVEL } as const;

interface Cell extends Pick<ComparisonRow, 'name' | 'size'> {
  /** What the work was; cells of different work cannot be compared. */
  readonly work: string;
  readonly isNoisy: boolean;
  /** Something else used the machine for too long: that cancels out of ratios, but not of times. */
  readonly isDisturbed: boolean;
  readonly logs: readonly number[];
}

interface Pair {
  readonly old: Cell;
  readonly new: Cell;
}

type Unlike = readonly [id: string, text: string, is: (pair: Pair) => boolean];

const NOISY: Unlike = [
  'compare.noisy',
  'one result is too noisy to compare; measure it again, or for longer (--time)',
  (pair) => pair.old.isNoisy || pair.new.isNoisy,
];

/** Why the times of a pair say nothing about the code. */
const UNLIKE: readonly Unlike[] = [
  [
    'compare.other-work',
    'the work differs (operations, parameters), so its times cannot be compared',
    (pair) => pair.old.work !== pair.new.work,
  ],
  NOISY,
  [
    'compare.disturbed',
    'other programs or virtual machines used the CPUs during more than half of one measurement; ratios between sizes remain valid, times do not',
    (pair) => pair.old.isDisturbed || pair.new.isDisturbed,
  ],
];

/**
 * Compare the times of each size under each kind of work in two results. The unit is the generation: fresh processes that had their
 * rounds. The intervals of all rows hold together at 95 % (Welch's, with Bonferroni's share each). They cover how much generations
 * of one run differ, not how much a machine differs from one hour to the next.
 */
export function compareResults(old: BenchResult, now: BenchResult): Comparison {
  const [before, after] = [old, now].map(({ workloads, method }) =>
    workloads.flatMap((workload) => cellsOf(workload, method.baseline)),
  ) as [Cell[], Cell[]];
  const pairs = before.flatMap((cell): Pair[] => {
    const same = after.find((candidate) => rowName(candidate) === rowName(cell));
    return same === undefined ? [] : [{ old: cell, new: same }];
  });
  const machine = machineFinding(old.environment, now.environment);
  const rows = pairs
    .filter((pair) => pair.old.logs.length > 0 && pair.new.logs.length > 0)
    .map((pair) => {
      const canTell = machine.length === 0 && !UNLIKE.some(([, , is]) => is(pair));
      return rowOf(pair, pairs.length, canTell);
    });
  const [onlyOld, onlyNew] = [onlyIn(before, after), onlyIn(after, before)];
  const nothing = 'the two results have no workload and size in common';
  return {
    ...{ ...HEAD, of: 'bench', old: sideOf(old), new: sideOf(now), rows, interrupted: false },
    verdict: overallVerdict(rows, onlyOld.length > 0),
    findings: [
      ...machine,
      ...unfinished(old.method.interrupted || now.method.interrupted),
      ...(rows.length === 0 ? [warning('compare.nothing-in-common', nothing)] : []),
      ...UNLIKE.flatMap((unlike) =>
        unlikeFinding(
          unlike,
          pairs.filter(unlike[2]).map((pair) => pair.old.name),
        ),
      ),
      ...rowFindings(rows),
      ...onlyInOne(onlyOld, onlyNew),
    ],
  };
}

export function comparisonOfModules({ lost, isNoisy, ...measured }: MeasuredModules): Comparison {
  const { rows, interrupted } = measured;
  const failed = lost.map(({ what, message }) => {
    const text = `the ${what.replace(' ', ' module at size ')} failed: ${message}`;
    return warning('compare.lost', text, { what, message });
  });
  const noisy = unlikeFinding(NOISY, isNoisy ? rows.map(({ name }) => name) : []);
  return {
    ...{ ...HEAD, of: 'modules', ...measured },
    verdict: overallVerdict(rows, lost.length > 0),
    findings: [...unfinished(interrupted), ...failed, ...noisy, ...rowFindings(rows)],
  };
}

/** A machine that something else used for more of the time does not tell how fast the code is. */
const MOST_DISTURBED = 0.5;

function cellsOf(workload: WorkloadResult, baseline: number): Cell[] {
  const { name, description, operations, parameters, sizes, twinRounds, disturbances, noise, method } =
    workload;
  const fromOutside = disturbances.filter(
    ({ what }) => what.includes('steal') || what.includes('other-load'),
  );
  return sizes.map(({ size, rounds }) => ({
    ...{ name, size, work: JSON.stringify([description, operations, parameters]) },
    isNoisy: noise?.noisy ?? false,
    isDisturbed: fromOutside.length > MOST_DISTURBED * (method?.generations || Number.POSITIVE_INFINITY),
    // The middle of its rounds on the log scale: one spike among them does not move it.
    logs: [
      ...grouped(
        size === baseline ? [...rounds, ...twinRounds] : rounds,
        (round) => round.generation,
      ).values(),
    ].map((generation) => hodgesLehmann(generation.map(({ workMs }) => Math.log(workMs)))),
  }));
}

const sideOf = ({ environment, method }: BenchResult): Comparison['old'] => ({
  node: environment.node.version,
  startedAt: method.startedAt,
});

function rowOf({ old, new: now }: Pair, rows: number, isComparable: boolean): ComparisonRow {
  const [before, after] = [old.logs, now.logs];
  const isEnough = Math.min(after.length, before.length) >= FIRST_LOOK;
  const interval = isEnough ? welch(after, before, 1 - (1 - LEVEL) / rows) : null;
  return {
    ...{ name: now.name, size: now.size, oldMs: Math.exp(mean(before)), newMs: Math.exp(mean(after)) },
    ...{ oldGenerations: before.length, newGenerations: after.length },
    ratio: Math.exp(mean(after) - mean(before)),
    interval: interval && [Math.exp(interval.low), Math.exp(interval.high)],
    verdict: interval === null || !isComparable ? 'unclear' : verdictOfInterval(interval),
  };
}

/** What cannot be told, or is gone, never reads as fine. */
function overallVerdict(rows: readonly ComparisonRow[], isSomeMissing: boolean): Verdict {
  const verdicts = rows.map(({ verdict }) => verdict);
  if (verdicts.includes('worse')) return 'worse';
  if (rows.length === 0 || isSomeMissing || verdicts.includes('unclear')) return 'unclear';
  return verdicts.includes('better') ? 'better' : 'same';
}

function onlyIn(cells: readonly Cell[], rivals: readonly Cell[]): string[] {
  const known = rivals.map(rowName);
  return cells.map(rowName).filter((name) => !known.includes(name));
}

const rowName = ({ name, size }: Pick<ComparisonRow, 'name' | 'size'>): string => `${name} at ${size}`;

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

function machineFinding(old: Environment, now: Environment): Finding[] {
  const facts = MACHINE.map(([what, value]) => ({
    ...{ what, old: String(value(old) ?? 'none'), new: String(value(now) ?? 'none') },
  })).filter((fact) => fact.old !== fact.new);
  if (facts.length === 0) return [];
  const all = facts.map((fact) => `${fact.what} ${fact.old} → ${fact.new}`).join(', ');
  const text = `the results come from two machines (${all}), so their times cannot be compared; measure both on one machine`;
  const evidence = { old: facts.map((fact) => fact.old), new: facts.map((fact) => fact.new) };
  return [warning('compare.other-machine', text, { what: facts.map(({ what }) => what), ...evidence })];
}

const unfinished = (isUnfinished: boolean): Finding[] =>
  isUnfinished ? [warning('compare.unfinished', 'the measurement was interrupted and is incomplete')] : [];

function unlikeFinding([id, text]: Unlike, repeated: readonly string[]): Finding[] {
  const names = [...new Set(repeated)];
  return names.length === 0 ? [] : [warning(id, `${list(names)}: ${text}`, { names })];
}

/** With fewer rows that agree it may be chance. */
const LEAST_ALIKE = 4;
/** On the log scale: rows within 5 % of one another changed alike. */
const ALIKE = 0.05;

function rowFindings(rows: readonly ComparisonRow[]): Finding[] {
  const names = rows.filter(({ interval }) => interval === null).map(rowName);
  const estimates = `${list(names)}: one result has fewer than ${FIRST_LOOK} generations, so these are estimates; measure for longer (--time)`;
  const verdict = rows[0]?.verdict ?? '';
  const logs = rows.map(({ ratio }) => Math.log(ratio));
  const middle = logs.length === 0 ? 0 : hodgesLehmann(logs);
  const isAlike =
    rows.length >= LEAST_ALIKE &&
    ['better', 'worse'].includes(verdict) &&
    rows.every((row) => row.verdict === verdict) &&
    logs.every((log) => Math.abs(log - middle) <= ALIKE);
  const ratio = Math.exp(middle);
  const alike = `all ${rows.length} rows changed alike, by about ${change(ratio)}; the cause may be the machine, not the code: measure the old version again, right before or after the new one`;
  return [
    ...(names.length > 0
      ? [advice('compare.few-generations', estimates, { names, needed: FIRST_LOOK })]
      : []),
    ...(isAlike ? [advice('compare.all-alike', alike, { ratio, rows: rows.length })] : []),
  ];
}

function onlyInOne(old: readonly string[], now: readonly string[]): Finding[] {
  const texts = [
    ...(old.length === 0 ? [] : [`only in the old result: ${list(old)}`]),
    ...(now.length === 0 ? [] : [`only in the new result: ${list(now)}`]),
  ];
  return texts.length === 0 ? [] : [note('compare.only-in-one', texts.join('; '), { old, new: now })];
}
