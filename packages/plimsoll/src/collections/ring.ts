/** A first-in, first-out queue of whole numbers. */
export class Ring {
  #items = new Int32Array(64);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The first item; the queue must not be empty. */
  get first(): number {
    return this.#items[this.#head] as number;
  }

  push(item: number): void {
    if (this.#size === this.#items.length) this.#grow();
    this.#items[(this.#head + this.#size++) & (this.#items.length - 1)] = item;
  }

  /** Take out the first item; the queue must not be empty. */
  shift(): number {
    const item = this.first;
    this.#head = (this.#head + 1) & (this.#items.length - 1);
    this.#size--;
    return item;
  }

  #grow(): void {
    const items = new Int32Array(2 * this.#items.length);
    for (let index = 0; index < this.#size; index++)
      items[index] = this.#items[(this.#head + index) & (this.#items.length - 1)] as number;
    this.#items = items;
    this.#head = 0;
  }
}
