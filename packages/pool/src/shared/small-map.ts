/**
 * Values by number, a few at a time and each for a moment: it searches all of them. Not a Map: V8 makes a Map a new table whenever
 * it becomes empty. Of a Map that has lived long it does so in the old generation, and looks each time whether buffers hold so much
 * that it must mark the whole heap.
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

  /** Gives a value, which is not there any more then. */
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
