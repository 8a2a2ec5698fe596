import { AbortError } from '../errors.js';
import { type Encoded, Encoder } from '../shared/codec/encode.js';
import { carry, carryLess } from '../shared/error-record.js';
import { CREATED, FLAGS, HANDLER, OFFSET, PAYLOAD, SEQUENCE } from '../shared/layout.js';
import { copyWords, describe, type SharedTable, slotCapacity } from '../shared/memory.js';
import * as message from '../shared/messages.js';
import { slotAt } from '../shared/table.js';
import { uncloneable } from '../shared/uncloneable.js';
import { Arena } from './arena.js';
import type { Task } from './task.js';
import type { WorkerHandle } from './worker-handle.js';

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
