/** What users of a pool without `map` write: so many tasks under way, results in the order of the items. */
export async function* boundedMap(
  run: (item: unknown) => PromiseLike<unknown>,
  items: Iterable<unknown>,
  concurrency: number,
): AsyncGenerator<unknown, void> {
  const underWay: PromiseLike<unknown>[] = [];
  for (const item of items) {
    underWay.push(run(item));
    if (underWay.length >= concurrency) yield await underWay.shift();
  }
  for (const result of underWay) yield await result;
}
