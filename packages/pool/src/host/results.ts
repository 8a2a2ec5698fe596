import { Decoder, type Memory, memoryOf } from '../shared/codec/decode.js';
import { LENGTH, OFFSET, PAYLOAD, SEQUENCE } from '../shared/layout.js';
import type { SharedTable } from '../shared/memory.js';
import { ENCODING_FLAGS, IN_ARENA, IN_SLOT, PLACE_MASK } from '../shared/messages.js';
import { ringRead, ringWordOf } from '../shared/result-ring.js';
import type { WorkerHandle } from './worker-handle.js';

/** Reads what workers have reported, wherever it is: in the slot, in the worker's rings, or in a message. */
export class Results {
  readonly #decoder = new Decoder(undefined, (position, length) => this.#borrow(position, length));
  /** The worker whose result is being decoded. */
  #source: WorkerHandle | undefined;
  /** The last buffer of this result in the worker's ring for them. */
  #borrowed: { readonly position: number; readonly words: number } | undefined;
  readonly #table: SharedTable;

  constructor(table: SharedTable) {
    this.#table = table;
  }

  /**
   * The value that a worker has reported in a slot that starts at word `base`.
   * @throws why it cannot be read
   */
  read(worker: WorkerHandle, slot: number, base: number, flags: number): unknown {
    const { words } = this.#table;
    const place = flags & PLACE_MASK;
    const length = words[base + LENGTH] as number;
    const encodingFlags = flags >> ENCODING_FLAGS;
    if (place === IN_SLOT) return this.#decode(worker, this.#table, base + PAYLOAD, length, encodingFlags);
    if (place === IN_ARENA) {
      const position = words[base + OFFSET] as number;
      const ring = worker.ring('results');
      try {
        return this.#decode(worker, ring, ringWordOf('results', position), length, encodingFlags);
      } finally {
        ringRead(this.#table, worker.index, 'results', position, length);
      }
    }
    const payload = worker.payload(slot, words[base + SEQUENCE] as number);
    if (payload.words === undefined) return payload.value;
    const memory = memoryOf(payload.words.buffer as ArrayBuffer);
    return this.#decode(
      worker,
      memory,
      0,
      payload.words.length,
      payload.encodingFlags ?? 0,
      payload.externals,
    );
  }

  #decode(
    worker: WorkerHandle,
    memory: Memory,
    at: number,
    length: number,
    encodingFlags: number,
    externals?: ArrayBuffer[],
  ): unknown {
    this.#source = worker;
    this.#decoder.makers = worker.makers;
    try {
      return this.#decoder.decode(memory, at, length, encodingFlags, externals);
    } finally {
      if (this.#borrowed !== undefined) {
        ringRead(this.#table, worker.index, 'bulk', this.#borrowed.position, this.#borrowed.words);
        this.#borrowed = undefined;
      }
    }
  }

  #borrow(position: number, length: number): Uint8Array {
    const start = ringWordOf('bulk', position) * 4;
    this.#borrowed = { position, words: (length + 3) >> 2 };
    return (this.#source as WorkerHandle).ring('bulk').bytes.subarray(start, start + length);
  }
}
