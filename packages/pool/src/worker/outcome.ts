import type { Memory } from '../shared/codec/decode.js';
import { type Encoded, Encoder } from '../shared/codec/encode.js';
import { copyBytes } from '../shared/codec/tags.js';
import { carry, carryLess, type Thrown } from '../shared/error-record.js';
import { PAYLOAD, SEQUENCE } from '../shared/layout.js';
import { copyWords, describe, type SharedTable, slotCapacity } from '../shared/memory.js';
import * as message from '../shared/messages.js';
import { isMovable, unwrap } from '../shared/move.js';
import { ResultRing, type Ring, ringWordOf } from '../shared/result-ring.js';
import { slotAt } from '../shared/table.js';
import { uncloneable } from '../shared/uncloneable.js';
import type { Channel } from './channel.js';

/** Writes what a task returned or threw to where the host finds it: the slot, the result ring, or the port. */
export class Outcome {
  readonly #encoder = new Encoder(
    4096,
    (bytes) => this.#lend(bytes),
    (shape, names) => this.#channel.post([message.SHAPE, shape, names]),
  );
  readonly #table: SharedTable;
  readonly #channel: Channel;
  readonly #index: number;
  readonly #rings: { [Name in Ring]?: ResultRing } = {};

  constructor(table: SharedTable, channel: Channel, index: number) {
    this.#table = table;
    this.#channel = channel;
    this.#index = index;
  }

  /** @throws when the result cannot be cloned, and whatever its getters throw. */
  succeed(slot: number, result: unknown): void {
    const moved = isMovable(result) ? unwrap(result) : undefined;
    const value = moved === undefined ? result : moved.value;
    try {
      if (moved === undefined && this.#write(slot, value, 0)) return;
      this.#post(slot, 0, { value }, moved?.transfer ?? []);
    } catch (cause) {
      throw uncloneable('result', value, cause);
    }
  }

  fail(slot: number, error: unknown): void {
    const thrown = carry(error);
    try {
      this.#report(slot, thrown);
    } catch (reason) {
      this.#report(slot, carryLess(thrown, reason));
    }
  }

  #report(slot: number, thrown: Thrown): void {
    if (!this.#write(slot, thrown, message.FAILED)) this.#post(slot, message.FAILED, { value: thrown }, []);
  }

  /** False when the codec leaves the value to structured clone. */
  #write(slot: number, value: unknown, flags: number): boolean {
    const encoded = this.#encode(value);
    if (encoded === undefined) return false;
    const { words, length, externals, encodingFlags } = encoded;
    const base = slotAt(this.#table.layout, slot);
    const marked = flags | (encodingFlags << message.ENCODING_FLAGS);
    if (externals === undefined && length <= slotCapacity(this.#table.layout)) {
      copyWords(encoded, length, this.#table, base + PAYLOAD);
      describe(this.#table, base, marked | message.IN_SLOT, length, 0);
    } else if (externals !== undefined || !this.#writeToRing(base, encoded, length, marked)) {
      const copy = words.slice(0, length);
      const transfer = [copy.buffer, ...(externals ?? [])];
      this.#post(slot, flags, { words: copy, externals: externals ?? [], encodingFlags }, transfer);
    }
    return true;
  }

  /** As the encoder. When it gives up, what it has lent is taken back. */
  #encode(value: unknown): Encoded | undefined {
    const mark = this.#rings.bulk?.front ?? 0;
    let encoded: Encoded | undefined;
    try {
      encoded = this.#encoder.encode(value);
    } finally {
      if (encoded === undefined && this.#rings.bulk !== undefined) this.#rings.bulk.front = mark;
    }
    return encoded;
  }

  #lend(bytes: Uint8Array): number {
    const ring = this.#ring('bulk');
    const position = ring.allocate((bytes.length + 3) >> 2);
    if (position !== -1) copyBytes(bytes, ring.memory.bytes, ringWordOf('bulk', position) * 4);
    return position;
  }

  #ring(name: Ring): ResultRing {
    const known = this.#rings[name];
    if (known !== undefined) return known;
    const ring = new ResultRing(this.#table, this.#index, name);
    // First, because it may throw, and the host must know every ring that is used.
    this.#channel.post([message.RESULTS, name, ring.memory.words.buffer as SharedArrayBuffer]);
    this.#rings[name] = ring;
    return ring;
  }

  #writeToRing(base: number, from: Memory, length: number, flags: number): boolean {
    const ring = this.#ring('results');
    const position = ring.allocate(length);
    if (position === -1) return false;
    copyWords(from, length, ring.memory, ringWordOf('results', position));
    describe(this.#table, base, flags | message.IN_ARENA, length, position);
    return true;
  }

  #post(slot: number, flags: number, payload: message.Payload, transfer: message.TransferList): void {
    const base = slotAt(this.#table.layout, slot);
    const sequence = this.#table.words[base + SEQUENCE] as number;
    this.#channel.deliver([message.PAYLOAD, slot, sequence, payload], transfer);
    describe(this.#table, base, flags | message.IN_PORT, 0, 0);
  }
}
