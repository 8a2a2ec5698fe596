/**
 * A few short-lived values by number. A Map that becomes empty gets a new table; V8 allocates an old Map's table in
 * the old generation, and checks each time whether buffers have grown so much that it must mark the heap.
 */
export class SmallMap<Value> {
  readonly #keys: number[] = [];
  readonly #values: Value[] = [];

  get size(): number {
    return this.#keys.length;
  }

  has(key: number): boolean {
    return this.#keys.includes(key);
  }

  get(key: number): Value | undefined {
    const place = this.#keys.indexOf(key);
    return place === -1 ? undefined : this.#values[place];
  }

  some(isSought: (value: Value) => boolean): boolean {
    return this.#values.some(isSought);
  }

  set(key: number, value: Value): void {
    const place = this.#keys.indexOf(key);
    if (place !== -1) this.#values[place] = value;
    else {
      this.#keys.push(key);
      this.#values.push(value);
    }
  }

  /** Removes and returns a value. */
  take(key: number): Value | undefined {
    const place = this.#keys.indexOf(key);
    if (place === -1) return undefined;
    const value = this.#values[place];
    const lastKey = this.#keys.pop() as number;
    const lastValue = this.#values.pop() as Value;
    if (place < this.#keys.length) {
      this.#keys[place] = lastKey;
      this.#values[place] = lastValue;
    }
    return value;
  }
}
