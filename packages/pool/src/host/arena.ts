import { type Memory, memoryOf } from '../shared/codec/decode.js';
import type { RawBuffer } from '../shared/codec/tags.js';
import { CHUNK_BITS, CHUNK_WORDS, chunkOf, copyWords, wordOf } from '../shared/memory.js';

const MAX_CHUNKS = 16;
const SMALLEST_BITS = 8;

interface Block {
  readonly address: number;
  readonly bits: number;
}

/** Memory for values that do not fit into a slot. The host alone allocates: blocks of powers of two, freed with their slot. */
export class Arena {
  /** The slot that is being written: it gets what is allocated. */
  slot = -1;
  readonly buffers: SharedArrayBuffer[] = [];
  readonly #chunks: Memory[] = [];
  #used = CHUNK_WORDS;
  readonly #free: number[][] = Array.from({ length: CHUNK_BITS + 1 }, () => []);
  /** By slot. Kept here, because a result overwrites the words of the slot that name them. */
  readonly blocks = new Map<number, Block[]>();
  readonly #onGrow: (index: number, buffer: SharedArrayBuffer) => void;

  /** @param onGrow is told of every new chunk, its index first. */
  constructor(onGrow: (index: number, buffer: SharedArrayBuffer) => void) {
    this.#onGrow = onGrow;
  }

  /** An address for that many words, or -1 when the arena is full or the block would be too large. */
  allocate(words: number): number {
    const bits = Math.max(SMALLEST_BITS, 32 - Math.clz32(words - 1));
    if (bits > CHUNK_BITS) return -1;
    const address = (this.#free[bits] as number[]).pop() ?? this.#carve(1 << bits);
    if (address === -1) return -1;
    const blocks = this.blocks.get(this.slot);
    if (blocks === undefined) this.blocks.set(this.slot, [{ address, bits }]);
    else blocks.push({ address, bits });
    return address;
  }

  #carve(words: number): number {
    if (this.#used + words > CHUNK_WORDS) {
      if (this.#chunks.length === MAX_CHUNKS) return -1;
      const buffer = new SharedArrayBuffer(CHUNK_WORDS * 4);
      this.#chunks.push(memoryOf(buffer));
      this.buffers.push(buffer);
      this.#used = 0;
      this.#onGrow(this.#chunks.length - 1, buffer);
    }
    const address = ((this.#chunks.length - 1) << CHUNK_BITS) | this.#used;
    this.#used += words;
    return address;
  }

  write(address: number, from: Memory, length: number): void {
    copyWords(from, length, this.#chunk(address), wordOf(address));
  }

  /** The address of so many bytes that `write` has written, or -1. */
  lend(bytes: number, write: (memory: RawBuffer, at: number) => void): number {
    const address = this.allocate((bytes + 3) >> 2);
    if (address !== -1) write(this.#chunk(address).bytes, wordOf(address) * 4);
    return address;
  }

  #chunk(address: number): Memory {
    return this.#chunks[chunkOf(address)] as Memory;
  }

  /** Frees all that a slot has. */
  release(slot: number): void {
    const blocks = this.blocks.get(slot);
    if (blocks === undefined) return;
    this.blocks.delete(slot);
    for (const { address, bits } of blocks) (this.#free[bits] as number[]).push(address);
  }
}
