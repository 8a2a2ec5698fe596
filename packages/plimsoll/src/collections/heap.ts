/** A binary heap of moments, each with a whole number; typed arrays, because a replay makes millions of moves in it. */
export class MinHeap {
  #keys = new Float64Array(64);
  #values = new Int32Array(64);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The least key; infinite when the heap is empty. */
  get least(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#keys[0] as number);
  }

  push(key: number, value: number): void {
    if (this.#size === this.#keys.length) this.#grow();
    const keys = this.#keys;
    const values = this.#values;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((keys[parent] as number) <= key) break;
      keys[at] = keys[parent] as number;
      values[at] = values[parent] as number;
      at = parent;
    }
    keys[at] = key;
    values[at] = value;
  }

  /** Take out the value with the least key; the heap must not be empty. */
  pop(): number {
    const keys = this.#keys;
    const values = this.#values;
    const least = values[0] as number;
    const size = --this.#size;
    const key = keys[size] as number;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && (keys[child + 1] as number) < (keys[child] as number)) child++;
      if ((keys[child] as number) >= key) break;
      keys[at] = keys[child] as number;
      values[at] = values[child] as number;
      at = child;
    }
    keys[at] = key;
    values[at] = values[size] as number;
    return least;
  }

  #grow(): void {
    const keys = new Float64Array(2 * this.#keys.length);
    keys.set(this.#keys);
    this.#keys = keys;
    const values = new Int32Array(keys.length);
    values.set(this.#values);
    this.#values = values;
  }
}
