import type { Random } from '../stats/random.js';

/** What is run once in every block: each contestant (a pool size, say, or a library), and the baseline a second time. */
export type Arm<Id extends string | number = number> = Id | 'twin';

/**
 * The order of the next block: random, or that of the one before it reversed, by turns, so that a linear drift of the machine
 * cancels out (ABBA).
 *
 * @param before the order of the block before; what takes no part any more is left out.
 */
export function nextOrder<Arm>(
  arms: readonly Arm[],
  block: number,
  before: readonly Arm[],
  random: Random,
): readonly Arm[] {
  if (block % 2 === 0) return random.shuffle(arms);
  return before.filter((arm) => arms.includes(arm)).toReversed();
}
