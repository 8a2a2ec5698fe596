import { isDeepStrictEqual } from 'node:util';
import { ACCEPTED_LOSS, type GenerationsResult } from '@plimsoll/lab';
import { AS_IT_IS } from './options.js';
import type { LoadCell, LoadRecommendation } from './result.js';

/** Why nothing can be recommended, whatever the figures say. */
type Doubt =
  | { readonly id: 'load.generator-bound'; readonly sizes: readonly number[] }
  | { readonly id: 'load.baseline-failed'; readonly sizes: readonly number[] }
  | { readonly id: 'load.size-not-applied'; readonly threads: readonly number[] }
  | { readonly id: 'load.noisy' };

/** Why a size is recommended or not, with its numbers; `report/` says it in a sentence. */
export type LoadReason =
  | Doubt
  | { readonly id: 'load.against-baseline'; readonly ratio: number; readonly baseline: number }
  /** `isProven`: there were enough generations to tell; else they are estimates. */
  | { readonly id: 'load.as-fast'; readonly sizes: readonly number[]; readonly isProven: boolean }
  | {
      readonly id: 'load.higher-bystander-latency';
      readonly sizes: readonly number[];
      /** The highest of these sizes, and that of the chosen one. */
      readonly p99Ms: number;
      readonly insteadOfP99Ms: number;
    }
  | { readonly id: 'load.failing-sizes'; readonly sizes: readonly number[] }
  /** That it is more than 5 % slower than the best. */
  | { readonly id: 'load.chance-slower'; readonly chance: number }
  | { readonly id: 'load.fastest' };

/** What a table recommends, without the sentences. */
export type RankedTable = Omit<LoadRecommendation, 'because' | 'reasons'> & {
  readonly reasons: readonly LoadReason[];
};

/** Which size a table recommends, and why; nothing is recommended that the data cannot carry. */
export function recommend(
  cells: readonly LoadCell[],
  result: GenerationsResult,
  baseline: number,
): Omit<RankedTable, 'mode' | 'instances' | 'case'> {
  const { best, recommended, asGood, higherEventLoopDelay, settled, noisy } = result;
  const doubt = doubtOf(cells, noisy, baseline);
  const size = doubt === null ? recommended : null;
  const lean = doubt === null ? estimateOf(result) : null;
  return {
    size,
    estimate: size === null ? lean : null,
    best,
    asGood: [...asGood],
    higherBystanderLatency: [...higherEventLoopDelay],
    settled: settled && size !== null,
    noisy,
    reasons: doubt === null ? reasonsOf(cells, result, size, size ?? lean, baseline) : [doubt],
  };
}

/** What the estimates lean to: the first that is not expected to cost much more than the best. */
const estimateOf = ({ asGood, comparisons, best }: GenerationsResult): number | null =>
  asGood.find((size) => (comparisons.get(size)?.expectedLoss ?? Number.POSITIVE_INFINITY) <= ACCEPTED_LOSS) ??
  (asGood.includes(best) ? best : (asGood[0] ?? null));

/** The sizes at which requests or operations failed. */
export const failingSizes = (cells: readonly LoadCell[]): number[] =>
  cells.filter(({ errors }) => errors > 0).map(({ size }) => size ?? AS_IT_IS);

function doubtOf(cells: readonly LoadCell[], noisy: boolean, baseline: number): Doubt | null {
  const bound = cells.filter(({ problems }) => problems.includes('generator-bound'));
  if (bound.length > 0)
    return { id: 'load.generator-bound', sizes: bound.map(({ size }) => size ?? AS_IT_IS) };
  const failing = failingSizes(cells);
  if (failing.includes(baseline)) return { id: 'load.baseline-failed', sizes: failing };
  const threads = cells[0]?.observedThreads ?? [];
  const counted = threads.filter((count) => count !== null);
  const isCounted = threads.length > 0 && counted.length === threads.length;
  if (isCounted && cells.every((cell) => isDeepStrictEqual(cell.observedThreads, threads)))
    return { id: 'load.size-not-applied', threads: counted };
  return noisy ? { id: 'load.noisy' } : null;
}

/** A smaller chance is not worth a word. */
const LEAST_CHANCE = 0.005;

function reasonsOf(
  cells: readonly LoadCell[],
  { asGood, higherEventLoopDelay: slowed, comparisons }: GenerationsResult,
  recommended: number | null,
  chosen: number | null,
  baseline: number,
): LoadReason[] {
  const cell = (size: number): LoadCell | undefined => cells.find((candidate) => candidate.size === size);
  const p99 = (size: number): number => cell(size)?.bystanderMs?.p99 ?? 0;
  const others = asGood.filter((size) => size !== chosen);
  const failing = failingSizes(cells);
  const ratio = chosen === null || chosen === baseline ? null : (cell(chosen)?.ratio ?? null);
  const chance = recommended === null ? 0 : (comparisons.get(recommended)?.chanceSlower ?? 0);
  const reasons: (LoadReason | null)[] = [
    ratio === null ? null : { id: 'load.against-baseline', ratio, baseline },
    others.length === 0 ? null : { id: 'load.as-fast', sizes: others, isProven: recommended !== null },
    slowed.length === 0 || chosen === null
      ? null
      : {
          id: 'load.higher-bystander-latency',
          sizes: slowed,
          p99Ms: Math.max(...slowed.map(p99)),
          insteadOfP99Ms: p99(chosen),
        },
    failing.length === 0 ? null : { id: 'load.failing-sizes', sizes: failing },
    recommended === null || chance < LEAST_CHANCE ? null : { id: 'load.chance-slower', chance },
  ];
  const found = reasons.filter((reason) => reason !== null);
  return found.length === 0 ? [{ id: 'load.fastest' }] : found;
}
