import { memoryOf } from './codec/decode.js';
import { BULK_HEAD, RESULT_HEAD } from './layout.js';
import { blockAt, type Table } from './table.js';

/** The rings of a worker: results that do not fit into a slot, and the bytes of large buffers inside results. */
export type Ring = 'results' | 'bulk';

const RINGS = {
  results: { words: 2 ** 18, head: RESULT_HEAD },
  bulk: { words: 2 ** 21, head: BULK_HEAD },
} as const;

/**
 * A worker's own memory for results: a ring of 1 MiB, or 8 MiB for buffers. The worker writes at the front; the host
 * reads in the order in which things were written, because that is the order of the completion ring, and stores how
 * far it has come. Positions only grow (modulo 2^32); nothing wraps around the end.
 */
export class ResultRing {
  readonly memory;
  /** Where the next words go. To set it back takes back what was allocated since, of which the host must not have heard. */
  front = 0;
  readonly #size: number;
  readonly #table: Table;
  readonly #headWord: number;
  /** The front when it was looked last. */
  #lookedAt = 0;

  constructor(table: Table, worker: number, ring: Ring) {
    const { words, head } = RINGS[ring];
    this.memory = memoryOf(new SharedArrayBuffer(words * 4));
    this.#size = words;
    this.#table = table;
    this.#headWord = blockAt(table.layout, worker) + head;
    Atomics.store(table.words, this.#headWord, 0);
  }

  /** A position for that many words, or -1 when the host has not read enough yet. */
  allocate(words: number): number {
    const size = this.#size;
    const { front } = this;
    if (words > size / 2) return -1;
    const place = front & (size - 1);
    const head = Atomics.load(this.#table.words, this.#headWord);
    // When nothing is unread, start over: memory that was used a moment ago is still in the cache.
    const isEmpty = head === front;
    const start = place > 0 && (isEmpty || place + words > size) ? front + (size - place) : front;
    if (!isEmpty && ((start + words - head) | 0) > size) return -1;
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

export const ringWordOf = (ring: Ring, position: number): number => position & (RINGS[ring].words - 1);

/** Host: everything up to the end of these words was read. */
export function ringRead(table: Table, worker: number, ring: Ring, position: number, words: number): void {
  Atomics.store(table.words, blockAt(table.layout, worker) + RINGS[ring].head, (position + words) | 0);
}
