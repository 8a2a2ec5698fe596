import { Arena, chunkOf, wordOf } from '../shared/arena.js';
import type { Memory } from '../shared/codec/decode.js';
import { copyBytes } from '../shared/codec/tags.js';
import { copyWords } from '../shared/memory.js';

/** A block of the arena. */
interface Block {
  readonly address: number;
  readonly words: number;
}

/** What tasks have in the arena: values that are too large for a slot, and buffers. Freed with the slot. */
export class SlotMemory {
  /** The slot that is being written: it gets what is allocated. */
  slot = -1;
  readonly #arena: Arena;
  /** Kept here, because a result overwrites the words of the slot that name them. */
  readonly #blocks = new Map<number, Block[]>();

  /** @param onGrowth is told of every new piece of the arena, its index first. */
  constructor(onGrowth: (index: number, buffer: SharedArrayBuffer) => void) {
    this.#arena = new Arena(onGrowth);
  }

  get buffers(): Arena['buffers'] {
    return this.#arena.buffers;
  }

  /** @returns the address of that many words, or -1 when the arena has no room for them. */
  allocate(words: number): number {
    const address = this.#arena.allocate(words);
    if (address === -1) return -1;
    const blocks = this.#blocks.get(this.slot);
    if (blocks === undefined) this.#blocks.set(this.slot, [{ address, words }]);
    else blocks.push({ address, words });
    return address;
  }

  write(address: number, from: Memory, length: number): void {
    copyWords(from, length, this.#chunk(address), wordOf(address));
  }

  /** @returns the address of a copy of these bytes, or -1. */
  lend(bytes: Uint8Array): number {
    const address = this.allocate((bytes.length + 3) >> 2);
    if (address !== -1) copyBytes(bytes, this.#chunk(address).bytes, wordOf(address) * 4);
    return address;
  }

  release(slot: number): void {
    if (this.#blocks.size === 0) return;
    const blocks = this.#blocks.get(slot);
    if (blocks === undefined) return;
    this.#blocks.delete(slot);
    for (const { address, words } of blocks) this.#arena.release(address, words);
  }

  #chunk(address: number): Memory {
    return this.#arena.chunks[chunkOf(address)] as Memory;
  }
}
