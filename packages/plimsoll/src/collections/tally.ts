/** Sums by key; a sum of 0 is no entry. */
export class Tally<Key> extends Map<Key, number> {
  add(key: Key, amount: number): void {
    const now = (this.get(key) ?? 0) + amount;
    if (now === 0) this.delete(key);
    else this.set(key, now);
  }
}
