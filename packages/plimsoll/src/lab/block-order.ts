import type { Random } from '../stats/random.js';

/** What is run once in every block: each contestant (a pool size, say, or a library), and the baseline a second time. */
export type Arm<Id extends string | number = number> = Id | 'twin';

/**
 * The order of the runs of every block. Each block holds every arm once, in random order; every second block
 * replays the one before it reversed, so that a linear drift of the machine cancels out (ABBA).
 *
 * @param ids the contestants, the baseline among them.
 * @example
 * blockOrders([4, 8], 2, random); // [[8, 4, 'twin'], ['twin', 4, 8]]
 */
export function blockOrders<Id extends string | number>(
  ids: readonly Id[],
  blocks: number,
  random: Random,
): Arm<Id>[][] {
  const orders: Arm<Id>[][] = [];
  for (let block = 0; block < blocks; block++) {
    const previous = orders[block - 1];
    orders.push(
      block % 2 === 1 && previous !== undefined
        ? previous.toReversed()
        : random.shuffle<Arm<Id>>([...ids, 'twin']),
    );
  }
  return orders;
}
