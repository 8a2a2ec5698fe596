import { Encoder } from '../shared/codec/encode.js';
import { carry, uncloneable } from '../shared/error-record.js';
import { PAYLOAD, SEQUENCE } from '../shared/layout.js';
import { copyWords, describe, type SharedTable, slotCapacity } from '../shared/memory.js';
import * as message from '../shared/messages.js';
import { isMovable, unwrap } from '../shared/move.js';
import { ResultRing, resultWordOf } from '../shared/result-ring.js';
import { slotAt } from '../shared/table.js';
import type { Channel } from './channel.js';

/** Writes what a task returned or threw to where the host finds it: the slot, the result ring, or the port. */
export class Outcome {
  private readonly encoder = new Encoder();
  private readonly table: SharedTable;
  private readonly channel: Channel;
  private readonly index: number;
  private ring: ResultRing | undefined;

  constructor(table: SharedTable, channel: Channel, index: number) {
    this.table = table;
    this.channel = channel;
    this.index = index;
  }

  /** @throws when the result cannot be cloned, and whatever its getters throw. */
  succeed(slot: number, result: unknown): void {
    if (isMovable(result)) {
      const { value, transfer } = unwrap(result);
      this.clone(slot, value, transfer);
    } else if (!this.write(slot, result, 0)) {
      this.clone(slot, result, []);
    }
  }

  fail(slot: number, error: unknown): void {
    let record: unknown;
    try {
      record = carry(error);
    } catch (cause) {
      record = carry(uncloneable('the thrown value', error, cause));
    }
    if (!this.write(slot, record, message.FAILED)) this.post(slot, message.FAILED, { value: record }, []);
  }

  private clone(slot: number, value: unknown, transfer: message.TransferList): void {
    try {
      this.post(slot, 0, { value }, transfer);
    } catch (cause) {
      throw uncloneable('result', value, cause);
    }
  }

  /** False when the codec leaves the value to structured clone. */
  private write(slot: number, value: unknown, flags: number): boolean {
    const encoded = this.encoder.encode(value);
    if (encoded === undefined) return false;
    const { words, length, externals } = encoded;
    const base = slotAt(this.table.layout, slot);
    if (externals === undefined && length <= slotCapacity(this.table.layout)) {
      copyWords(words, length, this.table.words, base + PAYLOAD);
      describe(this.table, base, flags | message.IN_SLOT, length, 0);
    } else if (externals !== undefined || !this.writeToRing(base, words, length, flags)) {
      const copy = words.slice(0, length);
      this.post(slot, flags, { words: copy, externals: externals ?? [] }, [
        copy.buffer,
        ...(externals ?? []),
      ]);
    }
    return true;
  }

  private writeToRing(base: number, words: Int32Array, length: number, flags: number): boolean {
    if (this.ring === undefined) {
      this.ring = new ResultRing(this.table, this.index);
      this.channel.post([message.RESULTS, this.ring.memory.words.buffer as SharedArrayBuffer]);
    }
    const position = this.ring.allocate(length);
    if (position === -1) return false;
    copyWords(words, length, this.ring.memory.words, resultWordOf(position));
    describe(this.table, base, flags | message.IN_ARENA, length, position);
    return true;
  }

  private post(slot: number, flags: number, payload: message.Payload, transfer: message.TransferList): void {
    const base = slotAt(this.table.layout, slot);
    const sequence = this.table.words[base + SEQUENCE] as number;
    this.channel.post([message.PAYLOAD, slot, sequence, payload], transfer);
    describe(this.table, base, flags | message.IN_PORT, 0, 0);
  }
}
