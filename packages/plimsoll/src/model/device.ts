import { MinHeap } from '../collections/heap.js';

/**
 * What jobs are blocked on: up to `capacity` of them at full speed, more at an equal share of it (processor sharing in
 * virtual time, so that each of them costs O(log n)).
 */
export class Device {
  readonly #capacity: number;
  readonly #ends = new MinHeap();
  #virtual = 0;
  #at = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** When the next one is done; infinite when nothing is under way. */
  get next(): number {
    return this.#ends.size === 0
      ? Number.POSITIVE_INFINITY
      : this.#at + (this.#ends.least - this.#virtual) / this.#speed;
  }

  begin(thread: number, blockedMs: number, now: number): void {
    this.#catchUp(now);
    this.#ends.push(this.#virtual + blockedMs, thread);
  }

  /** Take out the one that is done. @returns its thread. */
  end(now: number): number {
    this.#catchUp(now);
    return this.#ends.pop();
  }

  get #speed(): number {
    return Math.min(1, this.#capacity / this.#ends.size);
  }

  #catchUp(now: number): void {
    if (this.#ends.size > 0) this.#virtual += (now - this.#at) * this.#speed;
    this.#at = now;
  }
}
