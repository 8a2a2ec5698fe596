import { type Memory, memoryOf } from '../shared/codec/decode.js';
import type { RawBuffer } from '../shared/codec/tags.js';
import { CHUNK_BITS, CHUNK_WORDS, chunkOf, copyWords, wordOf } from '../shared/memory.js';
import { SmallMap } from '../shared/small-map.js';
import { trimmerOf } from '../shared/trimmer.js';

const MAX_CHUNKS = 16;
const SMALLEST_BITS = 8;

interface Block {
  readonly address: number;
  readonly bits: number;
}

interface Chunk {
  readonly memory: Memory;
  carved: number;
  live: number;
  wasUsed: boolean;
}

/** Memory for values that do not fit into a slot: blocks of powers of two, allocated by the host, freed with the slot. */
export class Arena {
  /** The slot that is being written: allocated blocks belong to it. */
  slot = -1;
  readonly buffers: (SharedArrayBuffer | undefined)[] = [];
  readonly #chunks: (Chunk | undefined)[] = [];
  #last = -1;
  readonly #free: number[][] = Array.from({ length: CHUNK_BITS + 1 }, () => []);
  /** By slot. Not kept in the slot, because a result overwrites its words. */
  readonly blocks = new SmallMap<Block[]>();
  readonly #onChange: (index: number, buffer: SharedArrayBuffer | undefined) => void;
  readonly #trimmer = trimmerOf(() => this.trim());

  /** @param onChange gets each new chunk, and undefined for each chunk that was given up */
  constructor(onChange: (index: number, buffer: SharedArrayBuffer | undefined) => void) {
    this.#onChange = onChange;
  }

  /** The address of a block of so many words; -1: the arena is full, or the block would be too large. */
  allocate(words: number): number {
    const bits = Math.max(SMALLEST_BITS, 32 - Math.clz32(words - 1));
    if (bits > CHUNK_BITS) return -1;
    const address = (this.#free[bits] as number[]).pop() ?? this.#carve(1 << bits);
    if (address === -1) return -1;
    const chunk = this.#chunk(address);
    chunk.live++;
    chunk.wasUsed = true;
    const blocks = this.blocks.get(this.slot);
    if (blocks === undefined) this.blocks.set(this.slot, [{ address, bits }]);
    else blocks.push({ address, bits });
    return address;
  }

  #carve(words: number): number {
    let chunk = this.#chunks[this.#last];
    if (chunk === undefined || chunk.carved + words > CHUNK_WORDS) {
      const hole = this.#chunks.indexOf(undefined);
      const index = hole === -1 ? this.#chunks.length : hole;
      if (index === MAX_CHUNKS) return -1;
      const buffer = new SharedArrayBuffer(CHUNK_WORDS * 4);
      chunk = { memory: memoryOf(buffer), carved: 0, live: 0, wasUsed: true };
      this.#chunks[index] = chunk;
      this.buffers[index] = buffer;
      this.#last = index;
      this.#onChange(index, buffer);
      this.#trimmer();
    }
    const address = (this.#last << CHUNK_BITS) | chunk.carved;
    chunk.carved += words;
    return address;
  }

  write(address: number, from: Memory, length: number): void {
    copyWords(from, length, this.#chunk(address).memory, wordOf(address));
  }

  /** Like `allocate`, for so many bytes that `write` writes. */
  lend(bytes: number, write: (memory: RawBuffer, at: number) => void): number {
    const address = this.allocate((bytes + 3) >> 2);
    if (address !== -1) write(this.#chunk(address).memory.bytes, wordOf(address) * 4);
    return address;
  }

  #chunk(address: number): Chunk {
    return this.#chunks[chunkOf(address)] as Chunk;
  }

  release(slot: number): void {
    const blocks = this.blocks.take(slot);
    if (blocks === undefined) return;
    for (const { address, bits } of blocks) {
      this.#chunk(address).live--;
      (this.#free[bits] as number[]).push(address);
    }
  }

  /** Gives up chunks that no slot has needed since the last call. False: none is left. */
  trim(): boolean {
    for (const [index, chunk] of this.#chunks.entries()) {
      if (chunk === undefined) continue;
      if (chunk.live > 0 || chunk.wasUsed) chunk.wasUsed = false;
      else this.#giveUp(index);
    }
    return this.#chunks.some((chunk) => chunk !== undefined);
  }

  #giveUp(index: number): void {
    this.#chunks[index] = undefined;
    this.buffers[index] = undefined;
    for (const [bits, addresses] of this.#free.entries())
      this.#free[bits] = addresses.filter((address) => chunkOf(address) !== index);
    this.#onChange(index, undefined);
  }
}
