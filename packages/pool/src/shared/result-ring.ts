import { memoryOf } from './codec/decode.js';
import { RESULT_HEAD } from './layout.js';
import { blockAt, type Table } from './table.js';

const SIZE = 2 ** 21;

/**
 * A worker's own memory for results, 8 MiB: for those that do not fit into a slot, and for the bytes of large buffers and texts inside
 * of results. The worker writes at the front; the host reads in the order in which things were written, because that is the order of
 * the completion ring, and stores how far it has come. Positions only grow (modulo 2^32); nothing wraps around the end.
 */
export class ResultRing {
  readonly memory = memoryOf(new SharedArrayBuffer(SIZE * 4));
  /** Where the next words go. To set it back takes back what was allocated since, of which the host must not have heard. */
  front = 0;
  readonly #table: Table;
  readonly #headWord: number;
  /** The front when it was looked last. */
  #lookedAt = 0;

  constructor(table: Table, worker: number) {
    this.#table = table;
    this.#headWord = blockAt(table.layout, worker) + RESULT_HEAD;
    Atomics.store(table.words, this.#headWord, 0);
  }

  /** A position for that many words, or -1 when the host has not read enough yet. */
  allocate(words: number): number {
    const { front } = this;
    if (words > SIZE / 2) return -1;
    const place = front & (SIZE - 1);
    const head = Atomics.load(this.#table.words, this.#headWord);
    // When nothing is unread, start over: memory that was used a moment ago is still in the cache.
    const isEmpty = head === front;
    const start = place > 0 && (isEmpty || place + words > SIZE) ? front + (SIZE - place) : front;
    if (!isEmpty && ((start + words - head) | 0) > SIZE) return -1;
    this.front = (start + words) | 0;
    return start | 0;
  }

  /** Nothing was written since the last look, and the host has read all. */
  isSpare(): boolean {
    const wasUsed = this.#lookedAt !== this.front;
    this.#lookedAt = this.front;
    return !wasUsed && Atomics.load(this.#table.words, this.#headWord) === this.front;
  }
}

export const ringWordOf = (position: number): number => position & (SIZE - 1);

/** Host: everything up to the end of these words was read. */
export function ringRead(table: Table, worker: number, position: number, words: number): void {
  Atomics.store(table.words, blockAt(table.layout, worker) + RESULT_HEAD, (position + words) | 0);
}
