import type { JudgePlan, Sample } from './plan.js';
import { rank, type SizeRanking } from './rank.js';
import type { Arm } from './window.js';

/** What the blocks until now say. */
export interface Judgement {
  /** Arms that go on, the baseline and its twin always among them. */
  readonly living: readonly Arm[];
  /** More blocks are not likely to change the answer. */
  readonly settled: boolean;
  /** The twin differs from the baseline: nothing can be told so far. */
  readonly noisy: boolean;
  /** What would be recommended now; `null` before there are enough blocks, and when it is too noisy. */
  readonly leading: number | null;
  /** By size, in ascending order; those that left stay in it. */
  readonly sizes: ReadonlyMap<number, SizeRanking>;
}

/**
 * Which sizes go on, and whether the answer is known. Pure: ask it after each complete block with all samples until now.
 *
 * @example
 * const { living, settled } = judge(windows, { sizes: [2, 4, 8], baseline: 4, objective: 'mean', mostBlocks: 20, seed: 1 });
 */
export function judge(samples: readonly Sample[], plan: JudgePlan): Judgement {
  const { living, settled, noise, leading, sizes } = rank(samples, plan);
  return { living, settled, noisy: noise?.noisy ?? false, leading, sizes };
}
