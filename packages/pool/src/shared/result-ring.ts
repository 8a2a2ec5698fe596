import { memoryOf } from './codec/decode.js';
import { RESULT_HEAD } from './layout.js';
import { blockAt, type Table } from './table.js';

const SIZE = 2 ** 21;

/**
 * 8 MiB of a worker's own memory, for results larger than a slot, and for large buffers and texts inside results.
 * The host reads in the order of writing, which is the order of the completion ring, and stores how far it has
 * read. Positions only grow (modulo 2^32); no result wraps around the end.
 */
export class ResultRing {
  readonly memory = memoryOf(new SharedArrayBuffer(SIZE * 4));
  /** Where the next words go. Setting it back frees words that the host has not heard of. */
  front = 0;
  readonly #table: Table;
  readonly #headWord: number;
  #lookedAt = 0;

  constructor(table: Table, worker: number) {
    this.#table = table;
    this.#headWord = blockAt(table.layout, worker) + RESULT_HEAD;
    Atomics.store(table.words, this.#headWord, 0);
  }

  /** Returns a position, or -1 if the host has not read enough yet. */
  allocate(words: number): number {
    const { front } = this;
    if (words > SIZE / 2) return -1;
    const place = front & (SIZE - 1);
    const head = Atomics.load(this.#table.words, this.#headWord);
    // If nothing is unread, start over: this memory is still in the cache.
    const isEmpty = head === front;
    const start = place > 0 && (isEmpty || place + words > SIZE) ? front + (SIZE - place) : front;
    if (!isEmpty && ((start + words - head) | 0) > SIZE) return -1;
    this.front = (start + words) | 0;
    return start | 0;
  }

  /** Has the host read everything, and was nothing written since the last call? */
  isSpare(): boolean {
    const wasUsed = this.#lookedAt !== this.front;
    this.#lookedAt = this.front;
    return !wasUsed && Atomics.load(this.#table.words, this.#headWord) === this.front;
  }
}

export const ringWordOf = (position: number): number => position & (SIZE - 1);

/** Host: call once everything up to the end of these words was read. */
export function ringRead(table: Table, worker: number, position: number, words: number): void {
  Atomics.store(table.words, blockAt(table.layout, worker) + RESULT_HEAD, (position + words) | 0);
}
