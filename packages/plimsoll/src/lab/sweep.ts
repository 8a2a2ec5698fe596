import { assessNoise, type Noise } from '../stats/paired-comparison.js';
import type { Random } from '../stats/random.js';
import { type Arm, blockOrders } from './block-order.js';

export interface SweepPlan<Id extends string | number = number> {
  /** The contestants, such as pool sizes, the baseline among them. */
  readonly sizes: readonly Id[];
  /** It runs twice in every block; the second time is the twin, and what differs between the two is noise. */
  readonly baseline: Id;
  readonly blocks: number;
  readonly random: Random;
  readonly signal: AbortSignal;
}

/** A run in its place. */
export interface SweepRun<Result, Id extends string | number = number> {
  /** From 0. */
  readonly block: number;
  readonly size: Id;
  readonly isTwin: boolean;
  readonly result: Result;
}

/**
 * Run every size and the baseline's twin once in each block, in random order, every second block the one before reversed:
 * a drift of the machine hits all sizes alike. Unlike `runBlocks` it repeats nothing, watches nothing and ends with the first
 * run that throws.
 *
 * @param run measures one size; `done` of `planned` runs came before it.
 * @throws what `run` throws; the reason of the signal when that aborts.
 * @example
 * const runs = await sweep({ sizes: [2, 4], baseline: 4, blocks: 3, random: createRandom(1), signal }, (size) => time(size));
 * twinNoise(runs, (ms) => ms)?.noisy;
 */
export async function sweep<Result, Id extends string | number = number>(
  { sizes, baseline, blocks, random, signal }: SweepPlan<Id>,
  run: (size: Id, at: { block: number; done: number; planned: number }) => Promise<Result>,
): Promise<SweepRun<Result, Id>[]> {
  const planned = blocks * (sizes.length + 1);
  const runs: SweepRun<Result, Id>[] = [];
  for (const [block, order] of blockOrders(sizes, blocks, random).entries())
    for (const arm of order) {
      const isTwin = arm === 'twin';
      const size = isTwin ? baseline : (arm as Exclude<Arm<Id>, 'twin'> as Id);
      const result = await run(size, { block, done: runs.length, planned });
      signal.throwIfAborted();
      runs.push({ block, size, isTwin, result });
    }
  return runs;
}

/**
 * How noisy the machine was during a sweep, from one figure of the baseline and its twin.
 *
 * @param figure a finite number above 0, the less the better.
 * @returns `null` when a figure of them is not, or when there are no runs.
 */
export function twinNoise<Result, Id extends string | number>(
  runs: readonly SweepRun<Result, Id>[],
  figure: (result: Result) => number,
): Noise | null {
  const twins = runs.filter(({ isTwin }) => isTwin);
  const own = runs.filter(({ isTwin, size }) => !isTwin && size === twins[0]?.size);
  const inOrder = (some: typeof twins): number[] =>
    some.toSorted((a, b) => a.block - b.block).map(({ result }) => figure(result));
  const values = [...inOrder(own), ...inOrder(twins)];
  if (values.length === 0 || !values.every((value) => value > 0 && Number.isFinite(value))) return null;
  return assessNoise(inOrder(own), inOrder(twins));
}
