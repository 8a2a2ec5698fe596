import { memoryOf } from './codec/decode.js';
import { RESULT_HEAD } from './layout.js';
import { blockAt, type Table } from './table.js';

const WORDS = 2 ** 18;

/**
 * A worker's own memory for results that do not fit into a slot: a ring of 1 MiB. The worker writes at the front;
 * the host reads results in the order in which they were written, because that is the order of the completion
 * ring, and stores how far it has come. Positions only grow (modulo 2^32); a result never wraps around the end.
 */
export class ResultRing {
  readonly memory = memoryOf(new SharedArrayBuffer(WORDS * 4));
  private front = 0;
  private readonly table: Table;
  private readonly headWord: number;

  constructor(table: Table, worker: number) {
    this.table = table;
    this.headWord = blockAt(table.layout, worker) + RESULT_HEAD;
    Atomics.store(table.words, this.headWord, 0);
  }

  /** A position for that many words, or -1 when the host has not read enough yet. */
  allocate(words: number): number {
    const place = this.front & (WORDS - 1);
    const start = place + words > WORDS ? this.front + (WORDS - place) : this.front;
    const end = start + words;
    const head = Atomics.load(this.table.words, this.headWord);
    if (words > WORDS / 2 || ((end - head) | 0) > WORDS) return -1;
    this.front = end | 0;
    return start | 0;
  }
}

export const resultWordOf = (position: number): number => position & (WORDS - 1);

/** Host: everything up to the end of this result was read. */
export function resultRead(table: Table, worker: number, position: number, words: number): void {
  Atomics.store(table.words, blockAt(table.layout, worker) + RESULT_HEAD, (position + words) | 0);
}
