import type { Random } from '../stats/random.js';

/** What is run once in every block: each pool size, and the baseline a second time. */
export type Arm = number | 'twin';

/**
 * The order of the runs of every block. Each block holds every arm once, in random order; every second block
 * replays the one before it reversed, so that a linear drift of the machine cancels out (ABBA).
 *
 * @param sizes pool sizes, the baseline among them.
 * @example
 * blockOrders([4, 8], 2, random); // [[8, 4, 'twin'], ['twin', 4, 8]]
 */
export function blockOrders(sizes: readonly number[], blocks: number, random: Random): Arm[][] {
  const orders: Arm[][] = [];
  for (let block = 0; block < blocks; block++) {
    const previous = orders[block - 1];
    orders.push(
      block % 2 === 1 && previous !== undefined
        ? previous.toReversed()
        : random.shuffle([...sizes, 'twin'] as Arm[]),
    );
  }
  return orders;
}
