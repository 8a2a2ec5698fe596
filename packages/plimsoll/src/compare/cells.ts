import { timeOf } from '../load/analyse.js';
import type { BenchResult, RoundResult, WorkloadResult } from '../results/bench.js';
import type { ComparisonRow } from '../results/comparison.js';
import type { LoadCell, LoadResult } from '../results/load.js';

/** One size under one kind of work, as a result holds it. */
export interface Cell extends Pick<ComparisonRow, 'name' | 'size' | 'comparedBy'> {
  /** What the work was; cells of different work cannot be compared. */
  readonly work: string;
  /** Requests or operations failed. */
  readonly isFailing: boolean;
  /** Share of its generations in which something else used the machine: these cancel out of ratios, but not of times. */
  readonly disturbedShare: number;
  /** Its times in milliseconds, the rounds of each generation. */
  readonly generations: readonly (readonly number[])[];
}

/** Everything in a result that was measured. */
export const cellsOf = (result: BenchResult | LoadResult): Cell[] =>
  result.kind === 'bench'
    ? result.workloads.flatMap((workload) => benchCells(workload, result.method.baseline))
    : result.cells.map((cell) => loadCell(cell, result));

function benchCells(workload: WorkloadResult, baseline: number): Cell[] {
  const { name, description, operations, parameters, sizes, twinRounds, disturbances, method } = workload;
  const disturbedShare = shareOf(
    disturbances.filter(({ what }) => isFromOutside(what)),
    method?.generations ?? 0,
  );
  return sizes.map(({ size, rounds }) => ({
    ...{ name, size, comparedBy: 'workMs' },
    ...{ work: JSON.stringify([description, operations, parameters]), isFailing: false },
    disturbedShare,
    generations: byGeneration(
      size === baseline ? [...rounds, ...twinRounds] : rounds,
      ({ workMs }: RoundResult) => workMs,
    ),
  }));
}

function loadCell(cell: LoadCell, { method }: LoadResult): Cell {
  const { mode, instances, case: name, size, rounds } = cell;
  const table = method.tables.find(
    (one) => one.mode === mode && one.case === name && one.instances === instances,
  );
  const kind = table?.rate == null ? 'closed' : 'open';
  const comparedBy =
    kind === 'open' ? 'httpMs.p99' : rounds[0]?.completionMs == null ? 'httpMs.mean' : 'completionMs.mean';
  return {
    ...{ name: `${mode} ${name}`, size, comparedBy },
    work: JSON.stringify([table, method.operation, cell.operationsPerRequest]),
    isFailing: cell.errors > 0,
    disturbedShare: shareOf(
      rounds.filter(({ disturbances }) => isFromOutside(disturbances)),
      rounds.length,
    ),
    generations: byGeneration(rounds, (round) => timeOf(round, { kind })),
  };
}

const isFromOutside = (marks: readonly string[]): boolean =>
  marks.some((mark) => mark === 'steal' || mark === 'other-load');

const shareOf = (part: readonly unknown[], whole: number): number => (whole === 0 ? 0 : part.length / whole);

/** Positive times only: a slice without an answer has none. */
function byGeneration<Round extends { readonly generation: number }>(
  rounds: readonly Round[],
  time: (round: Round) => number,
): number[][] {
  const generations = new Map<number, number[]>();
  for (const round of rounds) {
    const ms = time(round);
    if (!(ms > 0)) continue;
    const own = generations.get(round.generation);
    if (own === undefined) generations.set(round.generation, [ms]);
    else own.push(ms);
  }
  return [...generations.values()];
}
