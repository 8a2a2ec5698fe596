import { Makers } from './makers.js';
import * as tag from './tags.js';
import { CACHED_WORDS, TextCache } from './text-cache.js';
import { madeBuffer } from './young.js';

// Taken when this loads: polyfills, mocks of the clock and the like put others in their places.
const {
  Array: NativeArray,
  ArrayBuffer: NativeBuffer,
  Date: NativeDate,
  Map: NativeMap,
  RegExp: NativeRegExp,
  Set: NativeSet,
} = globalThis;
const { defineProperty, prototype, setPrototypeOf } = Object;
const { set: putInMap } = Map.prototype;
const { add: addToSet } = Set.prototype;

/** Items from which on an array may hold runs of numbers, and is as long from the beginning. */
const LONG = 32;
/** Keys from which on V8 keeps an object as a dictionary, whatever way it was made. */
const WIDE = 128;
/** Asked of `node:os`, it would cost a new thread a millisecond to load that. */
export const IS_LITTLE: boolean = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
/** Characters that are read at once. */
const BLOCK = 512;
const LONGEST_CACHED = (CACHED_WORDS - 1) * 4;

/** Words that a decoder reads, and the same memory as bytes. */
export interface Memory {
  readonly words: Int32Array;
  readonly bytes: tag.RawBuffer;
}

/** The two views that encoders and decoders need of one piece of memory. */
export function memoryOf(buffer: ArrayBuffer | SharedArrayBuffer): Memory {
  return { words: new Int32Array(buffer), bytes: tag.rawBuffer(buffer) };
}

/** The bytes at an address that `Lend` gave. */
export type Borrow = (address: number, length: number) => tag.RawBuffer;

const NONE: readonly ArrayBuffer[] = [];
const NO_WORDS = new Int32Array(0);
const NO_VIEW = new DataView(NO_WORDS.buffer);
const NO_BYTES = tag.rawBuffer(new ArrayBuffer(0));
/** Words of a value whose memory may be kept. */
const MOST_KEPT = 2 ** 16;

/** Turns the words of an Encoder back into a value. Nothing of the result refers to the words. */
export class Decoder {
  /** Those of the encoder whose words are read. */
  makers: Makers;
  #words: Int32Array = NO_WORDS;
  #bytes: tag.RawBuffer = NO_BYTES;
  /** The words once more: to put a float together out of two of them takes longer. */
  #data: DataView = NO_VIEW;
  #at = 0;
  #objects: unknown[] = [];
  #repeats = false;
  /** Where the next TEXT starts, and what was read of them last. */
  #textAt = 0;
  #isWide = false;
  #textEnd = 0;
  #block = '';
  #blockAt = 0;
  #externals = NONE;
  readonly #texts = new TextCache();
  readonly #borrow: Borrow | undefined;

  constructor(makers = new Makers(), borrow?: Borrow) {
    this.makers = makers;
    this.#borrow = borrow;
  }

  /** Reads the value in so many words from word `at` on; `externals` are the buffers that travelled beside it. */
  decode(memory: Memory, at: number, length: number, encodingFlags: number, externals = NONE): unknown {
    if (this.#words !== memory.words) this.#data = new DataView(memory.words.buffer);
    this.#words = memory.words;
    this.#bytes = memory.bytes;
    this.#at = at;
    this.#externals = externals;
    this.#repeats = (encodingFlags & tag.REPEATS) !== 0;
    // Reading the last one may have failed in the middle.
    if (this.#objects.length > 0) this.#objects = [];
    const value = this.read();
    this.#block = '';
    if (this.#repeats) this.#objects = [];
    if (length > MOST_KEPT || externals.length > 0) {
      // The memory of what was large is not kept until the next value.
      this.#words = NO_WORDS;
      this.#bytes = NO_BYTES;
      this.#data = NO_VIEW;
      this.#externals = NONE;
    }
    return value;
  }

  #firstText(length: number): string {
    const head = this.#at + (this.#words[this.#at++] as number);
    const words = (this.#words[head] as number) >> tag.TAG_BITS;
    this.#isWide = words < 0;
    const perWord = this.#isWide ? 2 : 4;
    this.#textAt = (head + 1) * perWord;
    this.#textEnd = this.#textAt + Math.abs(words) * perWord;
    this.#readBlock(this.#textAt, Math.max(length, BLOCK));
    return this.#text(length);
  }

  read(): unknown {
    const word = this.#words[this.#at++] as number;
    const payload = word >> tag.TAG_BITS;
    switch (word & tag.TAG_MASK) {
      case tag.SMALL:
        return payload;
      case tag.FLOAT:
        return this.#float();
      case tag.LATIN1:
        return payload <= LONGEST_CACHED ? this.#shortText(payload) : this.#latin1(payload);
      case tag.UTF16:
        return this.#utf16(payload);
      case tag.TEXT:
        return this.#text(payload);
      case tag.OBJECT:
        return this.#object(payload);
      case tag.ARRAY:
        return this.#array(payload);
      case tag.SHAPED:
        return this.#shaped(payload);
      case tag.NULL:
        return null;
      case tag.TRUE:
        return true;
      case tag.FALSE:
        return false;
      case tag.UNDEFINED:
        return undefined;
      default:
        return this.#rare(word & tag.TAG_MASK, payload);
    }
  }

  #rare(kind: number, payload: number): unknown {
    switch (kind) {
      case tag.REF:
        return this.#objects[payload];
      case tag.FIRST_TEXT:
        return this.#firstText(payload);
      case tag.BLOCK:
        this.#at += Math.abs(payload);
        return this.read();
      case tag.DATE:
        return this.#keep(new NativeDate(this.#float()));
      case tag.MAP:
        return this.#map(payload);
      case tag.SET:
        return this.#set(payload);
      case tag.VIEW:
        return this.#view(payload);
      case tag.BUFFER:
        return this.#buffer(payload);
      case tag.EXTERNAL:
        return this.#external(payload);
      case tag.BULK:
        return this.#bulk(payload);
      case tag.LONG:
        return this.#long(payload);
      case tag.REGEXP:
        return this.#regexp();
      case tag.BIGINT:
        this.#at += 2;
        return this.#data.getBigInt64((this.#at - 2) * 4, IS_LITTLE);
      default:
        throw new Error(`unknown tag ${kind} in the task table`);
    }
  }

  /** Numbers an object, if any object of this message is named again. */
  #keep<Value>(value: Value): Value {
    if (this.#repeats) this.#objects.push(value);
    return value;
  }

  #float(): number {
    this.#at += 2;
    return this.#data.getFloat64((this.#at - 2) * 4, IS_LITTLE);
  }

  #latin1(length: number): string {
    const start = this.#at * 4;
    this.#at += (length + 3) >> 2;
    return this.#bytes.latin1Slice(start, start + length);
  }

  /** Cutting a block of several apart takes a quarter of the time. A piece keeps its block alive, so that is small. */
  #text(length: number): string {
    const at = this.#textAt;
    this.#textAt += length;
    if (this.#textAt > this.#blockAt + this.#block.length) this.#readBlock(at, Math.max(length, BLOCK));
    return this.#block.substring(at - this.#blockAt, this.#textAt - this.#blockAt);
  }

  #readBlock(at: number, length: number): void {
    const end = Math.min(at + length, this.#textEnd);
    this.#blockAt = at;
    this.#block = this.#isWide ? this.#bytes.ucs2Slice(at * 2, end * 2) : this.#bytes.latin1Slice(at, end);
  }

  #utf16(length: number): string {
    const start = this.#at * 4;
    this.#at += (length * 2 + 3) >> 2;
    return this.#bytes.ucs2Slice(start, start + length * 2);
  }

  #regexp(): RegExp {
    // The object's number is taken before its strings are read, but strings have no numbers: order is free.
    const source = this.read() as string;
    return this.#keep(new NativeRegExp(source, this.read() as string));
  }

  #array(length: number): unknown[] {
    if (length >= LONG) return this.#longArray(length);
    const result: unknown[] = this.#keep([]);
    for (let index = 0; index < length; index++) result[index] = this.read();
    return result;
  }

  #longArray(length: number): unknown[] {
    const isOfFloats = ((this.#words[this.#at] as number) & tag.TAG_MASK) === tag.FLOATS;
    // At two places, because V8 makes arrays of the kind that those from the same place have become.
    const result: unknown[] = this.#keep(isOfFloats ? new NativeArray(length) : new NativeArray(length));
    for (let index = 0; index < length; ) {
      const word = this.#words[this.#at] as number;
      const kind = word & tag.TAG_MASK;
      if (kind === tag.INTS) index = this.#ints(result, index, word >> tag.TAG_BITS);
      else if (kind === tag.FLOATS) index = this.#floats(result, index, word >> tag.TAG_BITS);
      else result[index++] = this.read();
    }
    return result;
  }

  #ints(result: unknown[], start: number, count: number): number {
    const words = this.#words;
    const from = this.#at + 1;
    for (let index = 0; index < count; index++) result[start + index] = words[from + index];
    this.#at = from + count;
    return start + count;
  }

  #floats(result: unknown[], start: number, count: number): number {
    const data = this.#data;
    const from = (this.#at + 1) * 4;
    for (let index = 0; index < count; index++)
      result[start + index] = data.getFloat64(from + index * 8, IS_LITTLE);
    this.#at += 1 + count * 2;
    return start + count;
  }

  #object(count: number): object {
    // Nobody's setters are in the way of an object without a prototype, nor does it get a hidden class for each key.
    const isWide = count >= WIDE;
    const result = this.#keep(isWide ? { __proto__: null } : {}) as Record<string, unknown>;
    const values: unknown[] = [];
    for (let index = 0; index < count; index++) values.push(this.read());
    for (let index = 0; index < count; index++) {
      if (isWide) result[this.read() as string] = values[index];
      else define(result, this.read() as string, values[index]);
    }
    return isWide ? setPrototypeOf(result, prototype) : result;
  }

  #shaped(shape: number): object {
    // An object must have its number before its values are read, because they may name it.
    const { names, make } = this.makers.of(shape);
    return this.#repeats ? this.fill(this.#keep({}), names) : make(this);
  }

  fill(result: object, names: readonly string[]): object {
    for (const name of names) define(result, name, this.read());
    return result;
  }

  #shortText(length: number): string {
    const start = this.#at - 1;
    const size = 1 + ((length + 3) >> 2);
    const cachedText = this.#texts.find(this.#words, start, size);
    if (cachedText !== undefined) {
      this.#at += size - 1;
      return cachedText;
    }
    return this.#texts.keep(this.#words, start, size, this.#latin1(length));
  }

  #map(size: number): Map<unknown, unknown> {
    const result = this.#keep(new NativeMap<unknown, unknown>());
    for (let index = 0; index < size; index++) {
      const key = this.read();
      putInMap.call(result, key, this.read());
    }
    return result;
  }

  #set(size: number): Set<unknown> {
    const result = this.#keep(new NativeSet<unknown>());
    for (let index = 0; index < size; index++) addToSet.call(result, this.read());
    return result;
  }

  #view(kind: number): ArrayBufferView {
    const offset = this.#words[this.#at++] as number;
    const length = this.#words[this.#at++] as number;
    // A view is numbered before its buffer.
    const number = this.#objects.length;
    this.#keep(undefined);
    const View = tag.VIEWS[kind] as typeof Uint8Array;
    const view = new View(this.read() as ArrayBuffer, offset, length);
    if (this.#repeats) this.#objects[number] = view;
    return view;
  }

  #external(place: number): ArrayBuffer {
    const external = this.#externals[place] as ArrayBuffer;
    madeBuffer(external.byteLength);
    return this.#keep(external);
  }

  #bulk(length: number): ArrayBuffer {
    madeBuffer(length);
    return this.#keep(tag.copyOf((this.#borrow as Borrow)(this.#words[this.#at++] as number, length)));
  }

  #long(length: number): string {
    const address = this.#words[this.#at++] as number;
    const bytes = (this.#borrow as Borrow)(address, length < 0 ? length * -2 : tag.headOf(length) + length);
    return length < 0 ? bytes.ucs2Slice(0, length * -2) : tag.longText(bytes, length);
  }

  #buffer(length: number): ArrayBuffer {
    const start = this.#at * 4;
    this.#at += (length + 3) >> 2;
    madeBuffer(length);
    const result = new NativeBuffer(length);
    new Uint8Array(result).set(this.#bytes.subarray(start, start + length));
    return this.#keep(result);
  }
}

/**
 * Gives an object a property. Assigning is that where no object inherits the name: else there may be a setter, as of
 * `__proto__`, or something read-only, when somebody has frozen the prototypes.
 */
function define(target: object, name: string, value: unknown): void {
  if (!(name in prototype)) (target as Record<string, unknown>)[name] = value;
  else defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
