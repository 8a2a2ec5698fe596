import type { BenchResult, RoundResult, WorkloadResult } from '../results/bench.js';
import type { ComparisonRow } from '../results/comparison.js';

/** One size under one kind of work, as a result holds it. */
export interface Cell extends Pick<ComparisonRow, 'name' | 'size' | 'comparedBy'> {
  /** What the work was; cells of different work cannot be compared. */
  readonly work: string;
  /** Share of its generations in which something else used the machine: these cancel out of ratios, but not of times. */
  readonly disturbedShare: number;
  /** Its times in milliseconds, the rounds of each generation. */
  readonly generations: readonly (readonly number[])[];
}

/** Everything in a result that was measured. */
export const cellsOf = ({ workloads, method }: BenchResult): Cell[] =>
  workloads.flatMap((workload) => cellsOfWorkload(workload, method.baseline));

function cellsOfWorkload(workload: WorkloadResult, baseline: number): Cell[] {
  const { name, description, operations, parameters, sizes, twinRounds, disturbances, method } = workload;
  const disturbedShare = shareOf(
    disturbances.filter(({ what }) => isFromOutside(what)),
    method?.generations ?? 0,
  );
  return sizes.map(({ size, rounds }) => ({
    ...{ name, size, comparedBy: 'workMs' },
    ...{ work: JSON.stringify([description, operations, parameters]) },
    disturbedShare,
    generations: byGeneration(size === baseline ? [...rounds, ...twinRounds] : rounds),
  }));
}

const isFromOutside = (marks: readonly string[]): boolean =>
  marks.some((mark) => mark === 'steal' || mark === 'other-load');

const shareOf = (part: readonly unknown[], whole: number): number => (whole === 0 ? 0 : part.length / whole);

function byGeneration(rounds: readonly RoundResult[]): number[][] {
  const generations = new Map<number, number[]>();
  for (const { generation, workMs } of rounds) {
    const own = generations.get(generation);
    if (own === undefined) generations.set(generation, [workMs]);
    else own.push(workMs);
  }
  return [...generations.values()];
}
