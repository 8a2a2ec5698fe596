import { type Memory, memoryOf } from './codec/decode.js';

const CHUNK_WORDS = 2 ** 20;
const CHUNK_BITS = 20;
const MAX_CHUNKS = 16;
const SMALLEST_BITS = 8;

/**
 * Memory for tasks that do not fit into a slot. Only the host allocates and frees, so none of this is shared but
 * the bytes. Blocks have sizes that are powers of two; chunks of 4 MiB are added on need, up to 64 MiB.
 */
export class Arena {
  readonly chunks: Memory[] = [];
  readonly buffers: SharedArrayBuffer[] = [];
  #used = CHUNK_WORDS;
  readonly #free: number[][] = Array.from({ length: CHUNK_BITS + 1 }, () => []);
  readonly #onGrow: (index: number, buffer: SharedArrayBuffer) => void;

  constructor(onGrow: (index: number, buffer: SharedArrayBuffer) => void) {
    this.#onGrow = onGrow;
  }

  /** An address for that many words, or -1 when the arena is full or the block would be too large. */
  allocate(words: number): number {
    const bits = bitsFor(words);
    if (bits > CHUNK_BITS) return -1;
    const reused = (this.#free[bits] as number[]).pop();
    if (reused !== undefined) return reused;
    const size = 1 << bits;
    if (this.#used + size > CHUNK_WORDS && !this.#grow()) return -1;
    const address = ((this.chunks.length - 1) << CHUNK_BITS) | this.#used;
    this.#used += size;
    return address;
  }

  release(address: number, words: number): void {
    (this.#free[bitsFor(words)] as number[]).push(address);
  }

  #grow(): boolean {
    if (this.chunks.length === MAX_CHUNKS) return false;
    const buffer = new SharedArrayBuffer(CHUNK_WORDS * 4);
    this.chunks.push(memoryOf(buffer));
    this.buffers.push(buffer);
    this.#used = 0;
    this.#onGrow(this.chunks.length - 1, buffer);
    return true;
  }
}

/** The chunk of an address, and the word inside it. */
export const chunkOf = (address: number): number => address >>> CHUNK_BITS;
export const wordOf = (address: number): number => address & (CHUNK_WORDS - 1);

function bitsFor(words: number): number {
  return Math.max(SMALLEST_BITS, 32 - Math.clz32(words - 1));
}
