import { type Decoder, type Memory, memoryOf } from './codec/decode.js';
import { copyBytes } from './codec/tags.js';
import { receiveBuffers } from './codec/young.js';
import { FLAGS, type Layout, LENGTH, OFFSET, PAYLOAD } from './layout.js';
import type { Payload } from './messages.js';
import type { Table } from './table.js';

export interface SharedTable extends Table, Memory {
  readonly floats: Float64Array;
  readonly buffer: SharedArrayBuffer;
}

export function tableOf(layout: Layout, buffer = new SharedArrayBuffer(layout.words * 4)): SharedTable {
  return { layout, buffer, floats: new Float64Array(buffer), ...memoryOf(buffer) };
}

/** Larger buffers are copied once, and the copy is transferred; through shared memory they would be copied twice. */
export const MOVED_BYTES = 2 ** 19;

const LOOP_WORDS = 48;

/** Copies the first words of one memory to another. For a few words, a loop is faster than a native call. */
export function copyWords(from: Memory, length: number, to: Memory, at: number): void {
  if (length > LOOP_WORDS) copyBytes(from.bytes.subarray(0, length * 4), to.bytes, at * 4);
  else for (let index = 0; index < length; index++) to.words[at + index] = from.words[index] as number;
}

export function describe(table: Table, slot: number, flags: number, length: number, offset: number): void {
  table.words[slot + FLAGS] = flags;
  table.words[slot + LENGTH] = length;
  table.words[slot + OFFSET] = offset;
}

export const slotCapacity = (layout: Layout): number => layout.slotWords - PAYLOAD;

/** The arena consists of chunks of this many words. An address is a chunk's index and a word inside the chunk. */
export const CHUNK_BITS = 20;
export const CHUNK_WORDS = 1 << CHUNK_BITS;
export const chunkOf = (address: number): number => address >>> CHUNK_BITS;
export const wordOf = (address: number): number => address & (CHUNK_WORDS - 1);

export function readPosted(
  decoder: Decoder,
  { words, value, buffers, encodingFlags = 0, externals }: Payload,
): unknown {
  if (words === undefined) {
    if (buffers !== undefined) receiveBuffers(buffers);
    return value;
  }
  return decoder.decode(memoryOf(words.buffer as ArrayBuffer), 0, words.length, encodingFlags, externals);
}
