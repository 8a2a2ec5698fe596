import { pairedRatio } from '@plimsoll/benchmarks/estimate';
import { median, quantile } from '@plimsoll/lab';
import { PROGRAMS, type Program } from './catalogue.js';
import { BASELINE, SIZES } from './plan.js';
import type { ProgramResult, Slice } from './result.js';

/** A size of a program, by truth and by `tune`; ratios of mean latency or wall time to size 4. */
export interface SizeRow {
  readonly size: number;
  readonly truth: number | null;
  readonly interval: readonly [number, number] | null;
  readonly tune: number | null;
  readonly leftEarly: boolean;
  readonly overloaded: boolean;
}

export interface ProgramRow {
  readonly program: Program;
  readonly sizes: readonly SizeRow[];
  /** The second process of size 4 against the first: how well runs agree. */
  readonly twin: { readonly ratio: number; readonly halfWidth: number };
  /** What is followed: the recommended size, or 4 where it cannot be told. */
  readonly chosen: number;
  readonly hasVerdict: boolean;
  readonly regret: number;
  readonly answer: NonNullable<ProgramResult['answer']>;
}

/** The rule "always so many threads". */
export interface NullRule {
  readonly name: string;
  readonly size: number;
}

/** On a machine with so many cores; on two of them three rules are one. */
export const nullRules = (cores: number): NullRule[] => [
  { name: 'always 4', size: 4 },
  { name: 'always the cores', size: cores },
  { name: 'max(4, cores)', size: Math.max(4, cores) },
  { name: '2 × cores', size: 2 * cores },
  { name: 'always 64', size: 64 },
];

/** @returns `null` for a program that has no truth, or no answer. */
export function rowOf({ name, slices, answer }: ProgramResult): ProgramRow | null {
  const program = PROGRAMS.find((candidate) => candidate.name === name);
  if (program === undefined || answer === null || slices.length === 0) return null;
  const sizes = SIZES.map((size): SizeRow => {
    const tuned = answer.sizes.find((row) => row.size === size);
    const overloaded = isOverloaded(slices, size);
    const truth = overloaded ? null : truthOf(slices, size);
    return {
      size,
      truth: truth?.ratio ?? null,
      interval: truth?.interval ?? null,
      tune: tuned?.ratio ?? null,
      leftEarly: tuned?.leftEarly ?? false,
      overloaded,
    };
  });
  const twin = pairedRatio(timesOf(slices, 'twin'), timesOf(slices, BASELINE));
  const chosen = answer.recommended ?? BASELINE;
  return {
    program,
    sizes,
    twin: { ratio: twin.ratio, halfWidth: Math.sqrt(twin.interval.high / twin.interval.low) - 1 },
    chosen,
    hasVerdict: answer.confidence !== 'cannot tell',
    regret: regretOf(sizes, chosen),
    answer,
  };
}

const timesOf = (slices: readonly Slice[], arm: Slice['arm']): number[] =>
  slices.filter((slice) => slice.arm === arm).map(({ meanMs }) => meanMs);

const isOverloaded = (slices: readonly Slice[], size: number): boolean => {
  const turns = slices.filter(({ arm }) => arm === size);
  return turns.filter(({ overloaded }) => overloaded).length * 2 > turns.length;
};

/** The baseline has two processes: their geometric mean in a block differs less than either. */
function truthOf(slices: readonly Slice[], size: number): { ratio: number; interval: [number, number] } {
  const twins = timesOf(slices, 'twin');
  const reference = timesOf(slices, BASELINE).map((time, block) =>
    Math.sqrt(time * (twins[block] as number)),
  );
  if (size === BASELINE) return { ratio: 1, interval: [1, 1] };
  const { ratio, interval } = pairedRatio(timesOf(slices, size), reference);
  return { ratio, interval: [interval.low, interval.high] };
}

/** By how much a size is slower than the best; a size that does not keep up has lost everything. */
export function regretOf(sizes: readonly SizeRow[], chosen: number): number {
  const known = sizes.flatMap(({ truth }) => (truth === null ? [] : [truth]));
  const truth = sizes.find(({ size }) => size === chosen)?.truth ?? null;
  return truth === null ? Number.POSITIVE_INFINITY : truth / Math.min(...known) - 1;
}

/** Errors of the ratios that `tune` gave, of sizes that it did not leave early and that keep up; size 4 is 1 by definition. */
export const ratioErrors = (rows: readonly ProgramRow[]): number[] =>
  rows.flatMap(({ sizes }) =>
    sizes.flatMap(({ size, truth, tune, leftEarly }) =>
      truth === null || tune === null || leftEarly || size === BASELINE ? [] : [Math.abs(tune / truth - 1)],
    ),
  );

/** Runs of the same size agree within this share. */
export const AGREE_WITHIN = 0.05;

export interface Summary {
  readonly programs: number;
  readonly medianRegret: number;
  readonly worstRegret: number;
  /** Among programs whose runs agree within 5 %; `null` when there is none. */
  readonly worstWhereRunsAgree: number | null;
  readonly agreeing: number;
}

export function summaryOf(
  rows: readonly ProgramRow[],
  chosen: (row: ProgramRow) => number = (row) => row.chosen,
): Summary {
  const regret = (row: ProgramRow): number => regretOf(row.sizes, chosen(row));
  const regrets = rows.map(regret);
  const agreeing = rows.filter(({ twin }) => Math.abs(twin.ratio - 1) <= AGREE_WITHIN);
  return {
    programs: rows.length,
    medianRegret: median(regrets),
    worstRegret: Math.max(...regrets),
    worstWhereRunsAgree: agreeing.length === 0 ? null : Math.max(...agreeing.map(regret)),
    agreeing: agreeing.length,
  };
}

export interface Errors {
  readonly ratios: number;
  readonly median: number;
  readonly p90: number;
}

export function errorsOf(rows: readonly ProgramRow[]): Errors {
  const errors = ratioErrors(rows);
  return { ratios: errors.length, median: median(errors), p90: quantile(errors, 0.9) };
}
