import { AbortError } from '../errors.js';
import { type Memory, memoryOf } from '../shared/codec/decode.js';
import { type Encoded, Encoder } from '../shared/codec/encode.js';
import { copyBytes } from '../shared/codec/tags.js';
import { carry, carryLess } from '../shared/error-record.js';
import { CREATED, FLAGS, HANDLER, OFFSET, PAYLOAD, SEQUENCE } from '../shared/layout.js';
import {
  CHUNK_BITS,
  CHUNK_WORDS,
  chunkOf,
  copyWords,
  describe,
  type SharedTable,
  slotCapacity,
  wordOf,
} from '../shared/memory.js';
import * as message from '../shared/messages.js';
import { slotAt } from '../shared/table.js';
import { uncloneable } from '../shared/uncloneable.js';
import type { Task } from './task.js';
import type { WorkerHandle } from './worker-handle.js';

const MAX_CHUNKS = 16;
const SMALLEST_BITS = 8;

interface Block {
  readonly address: number;
  readonly bits: number;
}

/**
 * Memory for what does not fit into a task's slot: large values, and buffers. Only the host allocates and frees, so none of
 * this is shared but the bytes. Blocks have sizes that are powers of two, and are freed with the slot that they belong to;
 * chunks of 4 MiB are added on need, up to 64 MiB.
 */
export class Arena {
  /** The slot that is being written: it gets what is allocated. */
  slot = -1;
  readonly buffers: SharedArrayBuffer[] = [];
  readonly #chunks: Memory[] = [];
  #used = CHUNK_WORDS;
  readonly #free: number[][] = Array.from({ length: CHUNK_BITS + 1 }, () => []);
  /** Kept here, because a result overwrites the words of the slot that name them. */
  readonly #blocks = new Map<number, Block[]>();
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
    const blocks = this.#blocks.get(this.slot);
    if (blocks === undefined) this.#blocks.set(this.slot, [{ address, bits }]);
    else blocks.push({ address, bits });
    return address;
  }

  #carve(words: number): number {
    if (this.#used + words > CHUNK_WORDS && !this.#grow()) return -1;
    const address = ((this.#chunks.length - 1) << CHUNK_BITS) | this.#used;
    this.#used += words;
    return address;
  }

  #grow(): boolean {
    if (this.#chunks.length === MAX_CHUNKS) return false;
    const buffer = new SharedArrayBuffer(CHUNK_WORDS * 4);
    this.#chunks.push(memoryOf(buffer));
    this.buffers.push(buffer);
    this.#used = 0;
    this.#onGrow(this.#chunks.length - 1, buffer);
    return true;
  }

  write(address: number, from: Memory, length: number): void {
    copyWords(from, length, this.#chunk(address), wordOf(address));
  }

  /** The address of a copy of these bytes, or -1. */
  lend(bytes: Uint8Array): number {
    const address = this.allocate((bytes.length + 3) >> 2);
    if (address !== -1) copyBytes(bytes, this.#chunk(address).bytes, wordOf(address) * 4);
    return address;
  }

  #chunk(address: number): Memory {
    return this.#chunks[chunkOf(address)] as Memory;
  }

  /** Frees all that a slot has. */
  release(slot: number): void {
    if (this.#blocks.size === 0) return;
    const blocks = this.#blocks.get(slot);
    if (blocks === undefined) return;
    this.#blocks.delete(slot);
    for (const { address, bits } of blocks) (this.#free[bits] as number[]).push(address);
  }
}

const SEQUENCE_MASK = 0x3fffffff;

/** Writes tasks to where workers find them: into the slot, the arena, or a message. The counterpart of `Results`. */
export class Inputs {
  /** The names of the shapes of tasks, by number. */
  readonly shapes: (readonly string[])[] = [];
  #sequence = 0;
  readonly #payloads = new Map<number, message.Payload>();
  readonly #arena: Arena;
  readonly #encoder: Encoder;
  readonly #table: SharedTable;

  /** @param workers hear of new shapes and memory, those that still start included. */
  constructor(table: SharedTable, workers: readonly WorkerHandle[]) {
    this.#table = table;
    const tell = (news: message.Message): void => {
      for (const worker of workers) worker.post(news);
    };
    this.#arena = new Arena((index, buffer) => tell([message.ARENA, index, buffer]));
    const lend = (bytes: Uint8Array): number => this.#arena.lend(bytes);
    this.#encoder = new Encoder(4096, lend, (shape, names) => {
      this.shapes[shape] = names;
      tell([message.SHAPE, shape, names]);
    });
  }

  /** The memory for large values, piece by piece. */
  get arenas(): readonly SharedArrayBuffer[] {
    return this.#arena.buffers;
  }

  /**
   * Writes a task into a held slot. False when it did not fit there.
   * @throws what a getter of its value throws, or that it cannot be cloned
   */
  write(task: Task, slot: number): boolean {
    // A getter of the value may run another task.
    const outer = this.#arena.slot;
    this.#arena.slot = slot;
    try {
      return this.#writeInto(slotAt(this.#table.layout, slot), task, slot);
    } catch (error) {
      throw uncloneable('task', task.value, error);
    } finally {
      this.#arena.slot = outer;
    }
  }

  #writeInto(base: number, task: Task, slot: number): boolean {
    const { words, floats, layout } = this.#table;
    floats[(base + CREATED) >> 1] = task.created;
    words[base + HANDLER] = task.handler;
    words[base + SEQUENCE] = this.#sequence = (this.#sequence + 1) & SEQUENCE_MASK;
    const flags = (task.abortable ? message.ABORTABLE : 0) | (task.isPinned ? message.PINNED : 0);
    const encoded = task.hasTransfer ? undefined : this.#encoder.encode(task.value);
    if (encoded === undefined) {
      this.#payloads.set(slot, { value: task.value });
      describe(this.#table, base, flags | message.IN_PORT, 0, 0);
    } else if (encoded.externals === undefined && encoded.length <= slotCapacity(layout)) {
      copyWords(encoded, encoded.length, this.#table, base + PAYLOAD);
      const marked = flags | (encoded.encodingFlags << message.ENCODING_FLAGS);
      describe(this.#table, base, marked | message.IN_SLOT, encoded.length, 0);
      return true;
    } else {
      this.#writeLarge(encoded, slot, base, flags);
    }
    return false;
  }

  #writeLarge(encoded: Encoded, slot: number, base: number, flags: number): void {
    const { words, length, externals, encodingFlags } = encoded;
    const address = externals === undefined ? this.#arena.allocate(length) : -1;
    if (address === -1) {
      this.#payloads.set(slot, { words: words.slice(0, length), externals: externals ?? [], encodingFlags });
      describe(this.#table, base, flags | message.IN_PORT, 0, 0);
      return;
    }
    this.#arena.write(address, encoded, length);
    const marked = flags | (encodingFlags << message.ENCODING_FLAGS);
    describe(this.#table, base, marked | message.IN_ARENA, length, address);
  }

  /** Does part of the slot's task still have to be posted? */
  isOwed(slot: number): boolean {
    return this.#payloads.size > 0 && this.#payloads.has(slot);
  }

  /** Posts what does not go through the table, if anything. @throws when it cannot be cloned */
  send(worker: WorkerHandle, task: Task): void {
    const payload = this.#payloads.get(task.slot);
    if (payload === undefined) return;
    this.#payloads.delete(task.slot);
    const transfer =
      payload.words === undefined
        ? (task.extras?.transfer ?? [])
        : [payload.words.buffer as ArrayBuffer, ...(payload.externals ?? [])];
    this.#table.words[slotAt(this.#table.layout, task.slot) + OFFSET] = worker.nextMessage;
    try {
      worker.post([message.PAYLOAD, task.slot, this.sequenceOf(task.slot), payload], transfer);
    } catch (error) {
      throw uncloneable('task', payload.value, error);
    }
  }

  /** Has part of the slot's task been posted? */
  isSent(slot: number): boolean {
    const flags = this.#table.words[slotAt(this.#table.layout, slot) + FLAGS] as number;
    return (flags & message.PLACE_MASK) === message.IN_PORT && !this.isOwed(slot);
  }

  /** Tells a worker that what it waits for will not come, or is not needed any more. */
  cancel(worker: WorkerHandle, slot: number, sequence = this.sequenceOf(slot)): void {
    worker.post([message.PAYLOAD, slot, sequence, { cancelled: true }]);
  }

  /** Tells a worker why the task that it runs shall end. */
  abort(worker: WorkerHandle, slot: number, reason: unknown): void {
    const why = reason instanceof AbortError ? reason.cause : reason;
    const thrown = carry(why);
    try {
      worker.post([message.ABORT, slot, this.sequenceOf(slot), thrown]);
    } catch (error) {
      worker.post([message.ABORT, slot, this.sequenceOf(slot), carryLess(thrown, error)]);
    }
  }

  /** Lets go of all that belongs to a slot. */
  release(slot: number): void {
    this.#arena.release(slot);
    if (this.#payloads.size > 0) this.#payloads.delete(slot);
  }

  sequenceOf(slot: number): number {
    return this.#table.words[slotAt(this.#table.layout, slot) + SEQUENCE] as number;
  }
}
