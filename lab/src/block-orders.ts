import { type Arm, nextOrder } from '../../packages/plimsoll/dist/contest/block-order.js';
import type { Random } from '../../packages/plimsoll/dist/stats/random.js';

/**
 * The orders of so many blocks.
 *
 * @param ids the contestants, the baseline among them.
 * @example
 * blockOrders([4, 8], 2, random); // [[8, 4, 'twin'], ['twin', 4, 8]]
 */
export function blockOrders<Id extends string | number>(
  ids: readonly Id[],
  blocks: number,
  random: Random,
): (readonly Arm<Id>[])[] {
  let order: readonly Arm<Id>[] = [];
  return Array.from({ length: blocks }, (_, block) => {
    order = nextOrder<Arm<Id>>([...ids, 'twin'], block, order, random);
    return order;
  });
}
