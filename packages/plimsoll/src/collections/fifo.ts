/** What was taken is let go when there is so much of it. */
const MOST_TAKEN = 1024;

/** A first-in, first-out queue whose `shift` takes the same time however long it is. */
export class Fifo {
  #items: number[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  /** The first item; the queue must not be empty. */
  get first(): number {
    return this.#items[this.#head] as number;
  }

  push(item: number): void {
    this.#items.push(item);
  }

  /** Take out the first item; the queue must not be empty. */
  shift(): number {
    const item = this.first;
    if (++this.#head >= MOST_TAKEN && this.#head > this.size) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
