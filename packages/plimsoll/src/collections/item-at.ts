/**
 * The item at an index at which there must be one. Not for the loops of the simulation, which make millions of steps.
 *
 * @throws {RangeError} when there is none.
 * @example
 * itemAt([5, 6], 1); // 6
 */
export function itemAt<Item>(items: ArrayLike<Item>, index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`there is nothing at ${index}, of ${items.length} items`);
  return item;
}
