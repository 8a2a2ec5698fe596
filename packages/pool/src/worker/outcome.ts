import { Encoder } from '../shared/codec/encode.js';
import type { RawBuffer } from '../shared/codec/tags.js';
import { sendBuffers } from '../shared/codec/young.js';
import { carry, carryLess, type Thrown } from '../shared/error-record.js';
import { PAYLOAD, RINGS_MADE } from '../shared/layout.js';
import { copyWords, describe, MOVED_BYTES, slotCapacity } from '../shared/memory.js';
import * as message from '../shared/messages.js';
import { areCopied, buffersOf, bytesOf, detach, isMovable, unwrap } from '../shared/move.js';
import { ResultRing, ringWordOf } from '../shared/result-ring.js';
import { blockAt, slotAt } from '../shared/table.js';
import { trimmerOf } from '../shared/trimmer.js';
import { uncloneable } from '../shared/uncloneable.js';
import { checkClone, checkSize } from '../shared/value-size.js';
import type { Channel } from './channel.js';

const THROWN = 'the thrown value';
const NO_TRANSFER: message.TransferList = [];

export function outcomeOf(channel: Channel, mostBytes: number) {
  const { table } = channel;
  const { layout } = table;
  let ring: ResultRing | undefined;
  const trimmer = trimmerOf(trim);
  const encoder = new Encoder(4096, lend, (shape, names) => channel.post(['shape', shape, names]));

  function report(slot: number, thrown: Thrown, limit: number): void {
    if (write(slot, thrown, message.FAILED, limit)) return;
    checkClone(THROWN, thrown, limit, []);
    post(slot, message.FAILED, { value: thrown }, []);
  }

  /** Returns false if the codec leaves the value to structured clone. */
  function write(slot: number, value: unknown, flags: number, limit: number): boolean {
    const encoded = encode(value, flags === message.FAILED ? THROWN : 'result', limit);
    if (encoded === undefined) return false;
    const { words, length, externals, encodingFlags } = encoded;
    const base = slotAt(layout, slot);
    const marked = flags | (encodingFlags << message.ENCODING_FLAGS);
    if (externals === undefined && length <= slotCapacity(layout)) {
      copyWords(encoded, length, table, base + PAYLOAD);
      describe(table, base, marked | message.IN_SLOT, length, 0);
      return true;
    }
    const position = externals === undefined ? ringNow().allocate(length) : -1;
    if (position === -1) {
      const copy = words.slice(0, length);
      const buffers = externals ?? [];
      post(slot, flags, { words: copy, externals: buffers, encodingFlags }, [copy.buffer, ...buffers]);
    } else {
      copyWords(encoded, length, ringNow().memory, ringWordOf(position));
      describe(table, base, marked | message.IN_ARENA, length, position);
    }
    return true;
  }

  /** Encodes a value. On failure, the space taken from the ring is given back. */
  function encode(value: unknown, label: string, limit: number): ReturnType<Encoder['encode']> {
    const mark = ring?.front ?? 0;
    let isDone = false;
    try {
      const encoded = encoder.encode(value);
      if (encoded !== undefined && limit !== Number.POSITIVE_INFINITY)
        checkSize(label, encoded.length * 4 + encoded.bulkBytes, limit);
      isDone = encoded !== undefined;
      return encoded;
    } finally {
      if (!isDone && ring !== undefined) ring.front = mark;
    }
  }

  function lend(bytes: number, write: (memory: RawBuffer, at: number) => void, isText: boolean): number {
    if (!isText && bytes >= MOVED_BYTES) return -1;
    const lent = ringNow();
    const position = lent.allocate((bytes + 3) >> 2);
    if (position !== -1) write(lent.memory.bytes, ringWordOf(position) * 4);
    return position;
  }

  function ringNow(): ResultRing {
    if (ring !== undefined) return ring;
    const newRing = new ResultRing(table, channel.index);
    // Posted first: it may throw, and the host must know every ring in use.
    channel.post(['results', newRing.memory.words.buffer as SharedArrayBuffer]);
    Atomics.add(table.words, blockAt(layout, channel.index) + RINGS_MADE, 1);
    ring = newRing;
    trimmer();
    return newRing;
  }

  /** Gives up a ring that no result needed since the last call. Returns whether a ring is left. */
  function trim(): boolean {
    if (ring?.isSpare() !== true) return ring !== undefined;
    ring = undefined;
    channel.post(['results', undefined]);
    return false;
  }

  function post(slot: number, flags: number, payload: message.Payload, transfer: message.TransferList): void {
    channel.deliver(['payload', slot, channel.sequenceOf(slot), payload], transfer);
    describe(table, slotAt(layout, slot), flags | message.IN_PORT, 0, 0);
  }

  return {
    /** Returns the bytes transferred. @throws if the result cannot be cloned, or a getter throws */
    succeed(slot: number, result: unknown): number {
      const unwrapped = isMovable(result) ? unwrap(result) : undefined;
      const value = unwrapped === undefined ? result : unwrapped.value;
      try {
        const transfer = unwrapped?.transfer ?? NO_TRANSFER;
        const isCopied = transfer.length > 0 && areCopied(transfer);
        const limit = isCopied ? mostBytes + bytesOf(transfer) : mostBytes;
        if ((transfer.length === 0 || isCopied) && write(slot, value, 0, limit)) {
          if (isCopied) detach(transfer);
          return 0;
        }
        checkClone('result', value, mostBytes, transfer);
        const bytes = bytesOf(transfer);
        sendBuffers(transfer);
        const buffers = transfer.length > 0 ? buffersOf(transfer) : undefined;
        post(slot, 0, { value, buffers }, transfer);
        return bytes;
      } catch (cause) {
        throw uncloneable('result', value, cause);
      }
    },
    fail(slot: number, error: unknown): void {
      const thrown = carry(error);
      try {
        report(slot, thrown, mostBytes);
      } catch (reason) {
        report(slot, carryLess(thrown, reason), Number.POSITIVE_INFINITY);
      }
    },
  };
}
