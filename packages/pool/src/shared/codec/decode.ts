import { Makers } from './makers.js';
import * as tag from './tags.js';
import { CACHED_WORDS, TextCache } from './text-cache.js';
import { madeBuffer } from './young.js';

// Saved before polyfills or mocks of the clock can replace them.
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

/** From this many items on, an array may contain runs of numbers, and is allocated at full length. */
const LONG = 32;
/** From this many keys on, V8 keeps any object as a dictionary. */
const WIDE = 128;
/** Not from `node:os`: loading it takes a new thread a millisecond. */
export const IS_LITTLE: boolean = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
/** Characters that are read from a block at once. */
const BLOCK = 512;
const LONGEST_CACHED = (CACHED_WORDS - 1) * 4;

export interface Memory {
  readonly words: Int32Array;
  readonly bytes: tag.RawBuffer;
}

export function memoryOf(buffer: ArrayBuffer | SharedArrayBuffer): Memory {
  return { words: new Int32Array(buffer), bytes: tag.rawBuffer(buffer) };
}

/** Returns the bytes at an address that `Lend` gave. */
export type Borrow = (address: number, length: number) => tag.RawBuffer;

const NONE: readonly ArrayBuffer[] = [];
const NO_WORDS = new Int32Array(0);
const NO_VIEW = new DataView(NO_WORDS.buffer);
const NO_BYTES = tag.rawBuffer(new ArrayBuffer(0));
/** Words of the largest value whose memory is kept for the next value. */
const MOST_KEPT = 2 ** 16;

/** Turns the words of an Encoder back into a value, which shares no memory with them. */
export class Decoder {
  /** The shapes of the encoder that wrote the words. */
  makers: Makers;
  #words: Int32Array = NO_WORDS;
  #bytes: tag.RawBuffer = NO_BYTES;
  /** A view of the same memory: faster than assembling floats from two words. */
  #data: DataView = NO_VIEW;
  #at = 0;
  #objects: unknown[] = [];
  #repeats = false;
  /** Where the next TEXT starts, and the characters that were read last. */
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

  /** Reads the value of `length` words at word `at`; `externals` are the buffers that travelled beside it. */
  decode(memory: Memory, at: number, length: number, encodingFlags: number, externals = NONE): unknown {
    if (this.#words !== memory.words) this.#data = new DataView(memory.words.buffer);
    this.#words = memory.words;
    this.#bytes = memory.bytes;
    this.#at = at;
    this.#externals = externals;
    this.#repeats = (encodingFlags & tag.REPEATS) !== 0;
    // Left over if reading the last value failed.
    if (this.#objects.length > 0) this.#objects = [];
    const value = this.read();
    this.#block = '';
    if (this.#repeats) this.#objects = [];
    if (length > MOST_KEPT || externals.length > 0) {
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

  /** Gives an object its number, if the message has references to objects. */
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

  /** Cutting texts out of one block takes a quarter of the time of separate reads. A text keeps its (small) block alive. */
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
    // `read` before `#keep` does not change the object's number, because strings have no numbers.
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
    // Two allocation sites, because V8 chooses the kind of a new array by what arrays from the same site have become.
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
    // Without a prototype, assigning calls no setters; and V8 makes no hidden class for each key.
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
    // If values may refer to the object, it must have its number before they are read.
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

/** Assigns, unless Object.prototype has the name: a setter (`__proto__`) or a frozen property would be in the way. */
function define(target: object, name: string, value: unknown): void {
  if (!(name in prototype)) (target as Record<string, unknown>)[name] = value;
  else defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
