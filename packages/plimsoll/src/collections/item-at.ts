/** The item at an index at which there must be one. @throws {RangeError} when there is none. */
export function itemAt<Item>(items: ArrayLike<Item>, index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`there is nothing at ${index}, of ${items.length} items`);
  return item;
}
