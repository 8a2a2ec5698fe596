import { mean } from '../collections/sum.js';
import { type BlockValues, costsOf } from './costs.js';
import type { Arm, Objective, Sample } from './sample.js';

/** Logarithms make ratios differences, and a factor weighs as much as its inverse. */
export function logCosts(
  samples: readonly Sample[],
  objective: Objective,
): { logs: BlockValues; blocksEach: number } {
  const { of, blocksEach } = costsOf(samples, objective);
  const logs = new Map(
    [...of].map(([arm, costs]) => [arm, new Map([...costs].map(([block, cost]) => [block, Math.log(cost)]))]),
  );
  return { logs, blocksEach };
}

/** An arm against others in the blocks that both have. */
export const differences = (
  values: BlockValues,
  arm: Arm,
  reference: (block: number) => number | undefined,
): number[] =>
  [...(values.get(arm) ?? [])].flatMap(([block, value]) => {
    const other = reference(block);
    return other === undefined ? [] : [value - other];
  });

/** The baseline takes two turns in every block: their mean is less noisy than either. */
export const bothTurns =
  (values: BlockValues, baseline: number) =>
  (block: number): number | undefined => {
    const turns = [baseline, 'twin' as const]
      .map((arm) => values.get(arm)?.get(block))
      .filter((value) => value !== undefined);
    return turns.length === 0 ? undefined : mean(turns);
  };
