import { type Encoded, Encoder } from '../shared/codec/encode.js';
import { CREATED, HANDLER, OFFSET, PAYLOAD, SEQUENCE } from '../shared/layout.js';
import { copyWords, describe, type SharedTable, slotCapacity } from '../shared/memory.js';
import * as message from '../shared/messages.js';
import { slotAt } from '../shared/table.js';
import { uncloneable } from '../shared/uncloneable.js';
import { SlotMemory } from './slot-memory.js';
import type { Task } from './task.js';
import type { WorkerHandle } from './worker-handle.js';

const SEQUENCE_MASK = 0x3fffffff;

/** Writes tasks to where workers find them: into the slot, the arena, or a message. The counterpart of `Results`. */
export class Inputs {
  /** The names of the shapes of tasks, by number. */
  readonly shapes: (readonly string[])[] = [];
  /** Did the last task fit into its slot? Others take so long to write that no worker should wait for a further one. */
  wasSmall = true;
  #sequence = 0;
  readonly #payloads = new Map<number, message.Payload>();
  readonly #memory: SlotMemory;
  readonly #encoder: Encoder;
  readonly #table: SharedTable;

  /** @param tell tells every worker, those that still start included. */
  constructor(table: SharedTable, tell: (news: message.Message) => void) {
    this.#table = table;
    this.#memory = new SlotMemory((index, buffer) => tell([message.ARENA, index, buffer]));
    const lend = (bytes: Uint8Array): number => this.#memory.lend(bytes);
    this.#encoder = new Encoder(4096, lend, (shape, names) => {
      this.shapes[shape] = names;
      tell([message.SHAPE, shape, names]);
    });
  }

  /** The memory for large values, piece by piece. */
  get arenas(): readonly SharedArrayBuffer[] {
    return this.#memory.buffers;
  }

  /** Writes a task into a held slot. @throws what a getter of its value throws, or that it cannot be cloned */
  write(task: Task, slot: number): void {
    // A getter of the value may run another task.
    const outer = this.#memory.slot;
    this.#memory.slot = slot;
    try {
      this.#writeInto(slotAt(this.#table.layout, slot), task, slot);
    } catch (error) {
      throw uncloneable('task', task.value, error);
    } finally {
      this.#memory.slot = outer;
    }
  }

  #writeInto(base: number, task: Task, slot: number): void {
    const { words, floats, layout } = this.#table;
    floats[(base + CREATED) >> 1] = task.created;
    words[base + HANDLER] = task.handler;
    words[base + SEQUENCE] = this.#sequence = (this.#sequence + 1) & SEQUENCE_MASK;
    const flags = task.exclusive ? message.EXCLUSIVE : 0;
    const moves = task.extras !== undefined && task.extras.transfer.length > 0;
    const encoded = moves ? undefined : this.#encoder.encode(task.value);
    this.wasSmall = false;
    if (encoded === undefined) {
      this.#payloads.set(slot, { value: task.value });
      describe(this.#table, base, flags | message.IN_PORT, 0, 0);
    } else if (encoded.externals === undefined && encoded.length <= slotCapacity(layout)) {
      copyWords(encoded, encoded.length, this.#table, base + PAYLOAD);
      const marked = flags | (encoded.encodingFlags << message.ENCODING_FLAGS);
      describe(this.#table, base, marked | message.IN_SLOT, encoded.length, 0);
      this.wasSmall = true;
    } else {
      this.#writeLarge(encoded, slot, base, flags);
    }
  }

  #writeLarge(encoded: Encoded, slot: number, base: number, flags: number): void {
    const { words, length, externals, encodingFlags } = encoded;
    const address = externals === undefined ? this.#memory.allocate(length) : -1;
    if (address === -1) {
      this.#payloads.set(slot, { words: words.slice(0, length), externals: externals ?? [], encodingFlags });
      describe(this.#table, base, flags | message.IN_PORT, 0, 0);
      return;
    }
    this.#memory.write(address, encoded, length);
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
      worker.post([message.PAYLOAD, task.slot, this.#sequenceOf(task.slot), payload], transfer);
    } catch (error) {
      throw uncloneable('task', payload.value, error);
    }
  }

  /** Tells a worker that what it waits for will not come. */
  cancel(worker: WorkerHandle, slot: number): void {
    worker.post([message.PAYLOAD, slot, this.#sequenceOf(slot), { cancelled: true }]);
  }

  /** Lets go of all that belongs to a slot. */
  release(slot: number): void {
    this.#memory.release(slot);
    if (this.#payloads.size > 0) this.#payloads.delete(slot);
  }

  /** How many tasks have been written after the slot's. */
  ageOf(slot: number): number {
    return (this.#sequence - this.#sequenceOf(slot)) & SEQUENCE_MASK;
  }

  #sequenceOf(slot: number): number {
    return this.#table.words[slotAt(this.#table.layout, slot) + SEQUENCE] as number;
  }
}
