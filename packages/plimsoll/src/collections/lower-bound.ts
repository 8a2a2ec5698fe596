/**
 * How many items of an ordered list come first: binary search.
 *
 * @param comesBefore true for some items at the beginning and for none after them.
 */
export function lowerBound<Item>(items: ArrayLike<Item>, comesBefore: (item: Item) => boolean): number {
  let low = 0;
  for (let high = items.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (comesBefore(items[middle] as Item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
