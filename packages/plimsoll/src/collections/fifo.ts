/** Items taken before the array is cut. */
const MOST_TAKEN = 1024;

/** A first-in, first-out queue; `shift` takes constant time. `first` and `shift` need an item. */
export class Fifo {
  #items: number[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  get first(): number {
    return this.#items[this.#head] as number;
  }

  push(item: number): void {
    this.#items.push(item);
  }

  shift(): number {
    const item = this.first;
    if (++this.#head >= MOST_TAKEN && this.#head > this.size) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
