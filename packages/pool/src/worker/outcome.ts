import { type Encoded, Encoder } from '../shared/codec/encode.js';
import { copyBytes } from '../shared/codec/tags.js';
import { carry, carryLess, type Thrown } from '../shared/error-record.js';
import { PAYLOAD } from '../shared/layout.js';
import { copyWords, describe, slotCapacity } from '../shared/memory.js';
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
  readonly #channel: Channel;
  readonly #rings: { [Name in Ring]?: ResultRing } = {};

  constructor(channel: Channel) {
    this.#channel = channel;
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
    const { words, length, externals = [], encodingFlags } = encoded;
    const { table } = this.#channel;
    const base = slotAt(table.layout, slot);
    const marked = flags | (encodingFlags << message.ENCODING_FLAGS);
    if (externals.length === 0 && length <= slotCapacity(table.layout)) {
      copyWords(encoded, length, table, base + PAYLOAD);
      describe(table, base, marked | message.IN_SLOT, length, 0);
      return true;
    }
    const position = externals.length === 0 ? this.#ring('results').allocate(length) : -1;
    if (position === -1) {
      const copy = words.slice(0, length);
      this.#post(slot, flags, { words: copy, externals, encodingFlags }, [copy.buffer, ...externals]);
    } else {
      copyWords(encoded, length, this.#ring('results').memory, ringWordOf('results', position));
      describe(table, base, marked | message.IN_ARENA, length, position);
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
    const ring = new ResultRing(this.#channel.table, this.#channel.index, name);
    // First, because it may throw, and the host must know every ring that is used.
    this.#channel.post([message.RESULTS, name, ring.memory.words.buffer as SharedArrayBuffer]);
    this.#rings[name] = ring;
    return ring;
  }

  #post(slot: number, flags: number, payload: message.Payload, transfer: message.TransferList): void {
    const { table } = this.#channel;
    this.#channel.deliver([message.PAYLOAD, slot, this.#channel.sequenceOf(slot), payload], transfer);
    describe(table, slotAt(table.layout, slot), flags | message.IN_PORT, 0, 0);
  }
}
