import { IN_DENO } from '../deno.js';

/**
 * The wire format: a stream of 32-bit words. Each value starts with a word that holds a tag in its low five bits
 * and 27 signed bits of its own (a small integer, a length, a count, the number of an object).
 *
 * Objects are numbered in the order in which they start; REF names one by its number, which is how cycles and
 * shared references survive.
 *
 * The characters of strings of middle length stand together in blocks between the values, because each call into native
 * code that reads or writes some costs as much as a hundred characters.
 */
export const TAG_BITS = 5;
export const TAG_MASK = (1 << TAG_BITS) - 1;
export const INLINE_MAX = 2 ** 26 - 1;
export const INLINE_MIN = -(2 ** 26);

export const UNDEFINED = 0;
export const NULL = 1;
export const TRUE = 2;
export const FALSE = 3;
/** The integer itself, in the upper bits. */
export const SMALL = 4;
/** A 64-bit float in the next two words. */
export const FLOAT = 5;
/** Length in bytes; one byte per character. */
export const LATIN1 = 6;
/** Length in code units; two bytes each, so lone surrogates survive. */
export const UTF16 = 7;
/** Length in characters, which stand in the block of the last FIRST_TEXT, behind those of the texts between. */
export const TEXT = 23;
/** As TEXT, and in the next word how far the head of its block is from there. */
export const FIRST_TEXT = 27;
/** Words of the characters that follow, negative where each takes two bytes; then the value that is read here. */
export const BLOCK = 28;
/** 64 signed bits in the next two words. */
export const BIGINT = 8;
export const DATE = 10;
/** Source and flags, as two strings. */
export const REGEXP = 11;
/** Length, then that many values. */
export const ARRAY = 12;
/** Only inside ARRAY: how many numbers follow, as one word each. */
export const INTS = 24;
/** Only inside ARRAY: how many numbers follow, as two words each. */
export const FLOATS = 25;
/** Count, then that many values, then their keys (strings): which keys there are is known when all have been read. */
export const OBJECT = 14;
export const MAP = 15;
export const SET = 16;
/** Length in bytes, then the bytes. */
export const BUFFER = 17;
/** Number of an ArrayBuffer that travels beside the words. */
export const EXTERNAL = 18;
/** Kind of view; byte offset, length in elements, then the buffer as a value. */
export const VIEW = 19;
export const REF = 20;
/** An object whose shape has a number, which both sides know: then the values alone. */
export const SHAPED = 21;
/** Length in bytes, then the address of the bytes in memory that both sides share. */
export const BULK = 22;
/** As BULK, and the bytes are those of a text: two for each character if the upper bits are negative; else see `headOf`. */
export const LONG = 26;

/** Of a message: there are REFs, so objects have to be numbered. */
export const REPEATS = 1;

/** The constructors of views, by the number that VIEW carries. */
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

/** One float seen as two words: how 64-bit values enter and leave a stream of words. */
export const floats = new Float64Array(1);
export const floatWords = new Int32Array(floats.buffer);
export const bigints = new BigInt64Array(floats.buffer);

/** The methods behind `buffer.toString('latin1')` and `buffer.write(…, 'latin1')`, without the detour. */
export interface RawBuffer extends Buffer {
  latin1Slice(start: number, end: number): string;
  ucs2Slice(start: number, end: number): string;
  latin1Write(text: string, offset: number, length: number): number;
  ucs2Write(text: string, offset: number, length: number): number;
}

/** From here on Node keeps texts outside of V8's heap, which hastens markings. Since V8 14 to make them inside is cheaper. */
const EXTERNAL_LENGTH =
  IN_DENO || Number.parseInt(process.versions.v8, 10) < 14 ? Number.POSITIVE_INFINITY : 1_031_913;

/** Bytes that are left free in front of so many characters of a LONG in Latin-1. */
export const headOf = (length: number): number => (length >= EXTERNAL_LENGTH ? 8 : 0);

/** The text of so many characters behind such a head, where this writes how a message of V8's serializer begins. */
export function longText(bytes: RawBuffer, length: number): string {
  if (bytes.length === length) return bytes.latin1Slice(0, length);
  // Version 15, a string of one byte a character, and its length, seven bits a byte.
  bytes.set([0, 0xff, 15, 0x22, length | 0x80, (length >> 7) | 0x80, (length >> 14) | 0x80, length >> 21]);
  return process.getBuiltinModule('node:v8').deserialize(bytes.subarray(1)) as string;
}

/** All of a buffer as bytes. */
export const rawBuffer = (buffer: ArrayBuffer | SharedArrayBuffer): RawBuffer =>
  Buffer.from(buffer) as Buffer as RawBuffer;

/** A buffer of its own with these bytes (one at least). Unlike `slice`, it fills no memory with zeros first. */
export function copyOf(bytes: Uint8Array): ArrayBuffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copyBytes(bytes, copy, 0);
  return copy.buffer;
}

/** Copies one byte or more. `set` takes twice as long where memory is shared: V8 then copies it word by word. */
export function copyBytes(from: Uint8Array, to: Buffer, at: number): void {
  to.fill(from, at, at + from.length);
}

/** Thrown inside the encoder for a value that only the platform's own structured clone can copy (or refuse). */
export const UNKNOWN = Symbol('value for structured clone');
