import { IN_DENO } from '../deno.js';

/**
 * The wire format: a stream of 32-bit words. Each value starts with a word that has a tag in its low five bits and a signed
 * payload in the other 27 (a small integer, a length, a count, the number of an object). Objects are numbered in the order in
 * which they start, and REF refers to them by number, which preserves cycles and shared references.
 *
 * Strings of medium length stand together in blocks between the values, because each native call that reads or writes
 * characters takes as long as a hundred characters.
 */
export const TAG_BITS = 5;
export const TAG_MASK = (1 << TAG_BITS) - 1;
export const INLINE_MAX = 2 ** 26 - 1;
export const INLINE_MIN = -(2 ** 26);

export const UNDEFINED = 0;
export const NULL = 1;
export const TRUE = 2;
export const FALSE = 3;
/** The payload is the integer. */
export const SMALL = 4;
/** A 64-bit float in the next two words. */
export const FLOAT = 5;
/** Length in bytes; one byte per character. */
export const LATIN1 = 6;
/** Length in code units; two bytes each, so lone surrogates survive. */
export const UTF16 = 7;
/** Length in characters. They are in the block of the last FIRST_TEXT, after those of earlier TEXTs. */
export const TEXT = 23;
/** As TEXT; the next word has the distance from itself to the head of the block. */
export const FIRST_TEXT = 27;
/** Number of words of characters that follow, negative for two bytes per character; then the value to read here. */
export const BLOCK = 28;
/** 64 signed bits in the next two words. */
export const BIGINT = 8;
export const DATE = 10;
/** Two strings: source and flags. */
export const REGEXP = 11;
/** Length, then that many values. */
export const ARRAY = 12;
/** Only in ARRAY: count of numbers that follow in one word each. */
export const INTS = 24;
/** Only in ARRAY: count of numbers that follow in two words each. */
export const FLOATS = 25;
/** Count, then the values, then their keys as strings: all keys are known only once the values have been read. */
export const OBJECT = 14;
export const MAP = 15;
export const SET = 16;
/** Length in bytes, then the bytes. */
export const BUFFER = 17;
/** Index of an ArrayBuffer that travels beside the words. */
export const EXTERNAL = 18;
/** Index in VIEWS; then byte offset, length in elements, and the buffer as a value. */
export const VIEW = 19;
export const REF = 20;
/** Number of a shape that both sides know; then the values. */
export const SHAPED = 21;
/** Length in bytes; then the address of the bytes in shared memory. */
export const BULK = 22;
/** As BULK, for a text. The length is negative for two bytes per character; otherwise see `headOf`. */
export const LONG = 26;

/** Flag of a message: it has REFs, so the reader must number objects. */
export const REPEATS = 1;

export const VIEWS = [
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigUint64Array,
  BigInt64Array,
  DataView,
] as const;

/** Convert 64-bit values to and from two words. */
export const floats = new Float64Array(1);
export const floatWords = new Int32Array(floats.buffer);
export const bigints = new BigInt64Array(floats.buffer);

/** Node's internal methods behind `buffer.toString('latin1')` and `buffer.write(…, 'latin1')`, which skip some checks. */
export interface RawBuffer extends Buffer {
  latin1Slice(start: number, end: number): string;
  ucs2Slice(start: number, end: number): string;
  latin1Write(text: string, offset: number, length: number): number;
  ucs2Write(text: string, offset: number, length: number): number;
}

/** From this length on, Node keeps texts outside V8's heap, where they hasten markings; V8 14 creates them inside for less. */
const EXTERNAL_LENGTH =
  IN_DENO || Number.parseInt(process.versions.v8, 10) < 14 ? Number.POSITIVE_INFINITY : 1_031_913;

/** Bytes that stay free in front of a Latin-1 LONG, for `longText`. */
export const headOf = (length: number): number => (length >= EXTERNAL_LENGTH ? 8 : 0);

/** Reads a text of `length` characters. If it has room for a head, this writes the header of V8's serializer there. */
export function longText(bytes: RawBuffer, length: number): string {
  if (bytes.length === length) return bytes.latin1Slice(0, length);
  // Version 15, a one-byte string, its length in seven bits per byte.
  bytes.set([0, 0xff, 15, 0x22, length | 0x80, (length >> 7) | 0x80, (length >> 14) | 0x80, length >> 21]);
  return process.getBuiltinModule('node:v8').deserialize(bytes.subarray(1)) as string;
}

export const rawBuffer = (buffer: ArrayBuffer | SharedArrayBuffer): RawBuffer =>
  Buffer.from(buffer) as Buffer as RawBuffer;

/** Copies one byte or more. Unlike `slice`, it does not fill the memory with zeros first. */
export function copyOf(bytes: Uint8Array): ArrayBuffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copyBytes(bytes, copy, 0);
  return copy.buffer;
}

/** Copies one byte or more. `set` takes twice as long where memory is shared, because V8 then copies word by word. */
export function copyBytes(from: Uint8Array, to: Buffer, at: number): void {
  to.fill(from, at, at + from.length);
}

/** Thrown inside the encoder for a value that only structured clone can copy or refuse. */
export const UNKNOWN = Symbol('value for structured clone');
