import { constants } from 'node:buffer';
import { types } from 'node:util';
import { trimmerOf } from '../trimmer.js';
import { refuse } from '../uncloneable.js';
import { confirm } from '../untrusted.js';
import type { Memory } from './decode.js';
import {
  byteLengthOf,
  gettersOf,
  hasIndicesAlone,
  isFixed,
  isPolluted,
  kindOfView,
  seemsPlain,
} from './inside.js';
import { Repeats } from './repeats.js';
import { type Announce, Shapes } from './shapes.js';
import * as tag from './tags.js';
import { floats, floatWords, type RawBuffer, rawBuffer, TAG_BITS, UNKNOWN } from './tags.js';

/** Deeper values go to structured clone, whose limit is the stack of the reading thread. */
const MAX_DEPTH = 200;
/** Buffers from this size on travel beside the words: one copy less. */
const BULK_BYTES = 64 * 1024;
/** Arrays with more holes are sparse ones, which structured clone handles better. */
const MAX_HOLES = 1024;
/** From so many items on, what is written is written for long lists. */
const LONG_LIST = 32;
/** Runs of fewer numbers are not worth it: then the rest of the array is written one by one. */
const SHORTEST_RUN = 4;
/** Objects with more keys go to structured clone; with fewer, V8 takes up to ten times as long to read new keys. */
const MOST_KEYS = 2 ** 14;
const SHORT_STRING = 24;
/** The same in long lists, whose strings hardly repeat. */
const SHORT_IN_LIST = 3;
/** Longer strings up to this length are TEXTs. */
const LONGEST_TEXT = 512;
const MOST_TEXT = 2 ** 26;
const NOT_LATIN1 = /[^\0-\xff]/;

const FEWEST_WORDS = 4096;
/** What is longer has too many names to look for others than indices among them. */
const LONGEST_ARRAY = 2 ** 22;
const MOST_INT32 = 2 ** 31 - 1;
/** Words that the encoder keeps for later messages at most, and those that it keeps though none needs them. */
const MOST_KEPT = 2 ** 22;
const MOST_SPARE = 2 ** 16;

// Taken when this loads: polyfills, mocks of the clock and the like put others in their places.
const { isDate, isMap, isProxy, isRegExp, isSet, isArrayBuffer } = types;
const { getOwnPropertyNames, getPrototypeOf, hasOwn, keys, prototype: plainPrototype } = Object;
const { isArray, prototype: arrayPrototype } = Array;
const { isView, prototype: bufferPrototype } = ArrayBuffer;
const datePrototype = Date.prototype;
const mapPrototype = Map.prototype;
const setPrototype = Set.prototype;
const regExpPrototype = RegExp.prototype;
const { getTime } = datePrototype;
const eachOfMap = mapPrototype.forEach;
const eachOfSet = setPrototype.forEach;
const NOTHING: readonly object[] = [];

export const LATER = -2;

/**
 * Has so many bytes of a large buffer or text written to memory that both sides share, and returns their address there, or -1:
 * then a copy is transferred; or LATER: then the whole value is left to its caller, as if only structured clone could copy it.
 * Compared with a copy to be transferred, this leaves no garbage: the collector counts every byte of those.
 */
export type Lend = (length: number, write: Write, isText: boolean) => number;
type Write = (memory: RawBuffer, at: number) => void;

/** What encoding a value gave, from the first word on, and buffers that travel beside it. */
export interface Encoded extends Memory {
  /** In words. */
  readonly length: number;
  readonly externals: ArrayBuffer[] | undefined;
  /** Bytes of large buffers, which are not among the words. */
  readonly bulkBytes: number;
  readonly encodingFlags: number;
}

/**
 * Turns values into words, so that decoding them gives what `structuredClone` would have given. It encodes what it
 * is sure about and leaves the rest to structured clone itself: whatever has an unknown prototype, an Error, a
 * SharedArrayBuffer, a Proxy, a function …
 *
 * The words stay valid until the next call of `encode`. Its methods take the place of the next word and return that
 * behind what they wrote.
 */
export class Encoder {
  #words: Int32Array<ArrayBuffer>;
  #bytes: RawBuffer;
  #depth = 0;
  #busy = false;
  readonly #repeats = new Repeats();
  /** The part for which this gives up, and the objects around it, the innermost first. */
  #part: unknown;
  #around = NOTHING;
  #encodingFlags = 0;
  #text = '';
  #externals: ArrayBuffer[] | undefined;
  #bulkBytes = 0;
  /** Where a run of numbers has ended, and with what. */
  #index = 0;
  #item: unknown;
  readonly #shapes: Shapes;
  readonly #lend: Lend | undefined;
  /** Words of the longest message since the last look. */
  #longest = 0;
  readonly #grown = trimmerOf(() => this.trim());

  /** With `announce`, shapes that come often get numbers. */
  constructor(words = FEWEST_WORDS, lend?: Lend, announce?: Announce) {
    this.#lend = lend;
    this.#shapes = new Shapes(announce);
    this.#words = new Int32Array(words);
    this.#bytes = rawBuffer(this.#words.buffer);
  }

  /**
   * @returns the encoded value, or `undefined` when only structured clone can copy it, or refuse it.
   * @throws what a getter of the value throws, or structured clone if it would surely refuse what this has met.
   */
  encode(value: unknown): Encoded | undefined {
    if (this.#busy) return new Encoder(64).encode(value);
    if (isPolluted()) return undefined;
    this.#busy = true;
    try {
      let length = this.#write(value, 0);
      if (this.#text.length > 0) length = this.#texts(length);
      const words = this.#words;
      const bytes = this.#bytes;
      const externals = this.#externals;
      const bulkBytes = this.#bulkBytes;
      const encodingFlags = this.#encodingFlags;
      if (length > this.#longest) this.#longest = length;
      if (words.length > MOST_KEPT) this.#use(new Int32Array(FEWEST_WORDS));
      return { words, bytes, length, externals, bulkBytes, encodingFlags };
    } catch (error) {
      if (error !== UNKNOWN) confirm(value, error);
      else refuse(this.#part, this.#around);
      return undefined;
    } finally {
      // Nothing is called here: at the end of the stack a call would throw, and all this would not be done.
      this.#busy = false;
      this.#depth = 0;
      this.#part = undefined;
      this.#around = NOTHING;
      this.#encodingFlags = 0;
      this.#text = '';
      this.#externals = undefined;
      this.#bulkBytes = 0;
      const repeats = this.#repeats;
      while (repeats.count > 0) repeats.first[--repeats.count] = undefined;
      repeats.memo = undefined;
      repeats.numbers = undefined;
    }
  }

  #use(words: Int32Array<ArrayBuffer>): void {
    // First, because it may throw, and the two must belong together.
    this.#bytes = rawBuffer(words.buffer);
    this.#words = words;
  }

  #room(at: number, words: number): void {
    if (at + words <= this.#words.length) return;
    const larger = new Int32Array(Math.max(this.#words.length * 2, at + words));
    larger.set(this.#words.subarray(0, at));
    this.#use(larger);
    if (larger.length > MOST_SPARE) this.#grown();
  }

  /** Gives up most of its memory if no message has needed much of it since the last call. False: there is little. */
  trim(): boolean {
    const isSpare = !this.#busy && this.#longest < this.#words.length / 4;
    if (isSpare && this.#words.length > MOST_SPARE) this.#use(new Int32Array(FEWEST_WORDS));
    this.#longest = 0;
    return this.#words.length > MOST_SPARE;
  }

  #head(kind: number, payload: number, at: number): number {
    this.#words[at] = (payload << TAG_BITS) | kind;
    return at + 1;
  }

  #write(value: unknown, at: number): number {
    this.#room(at, 8);
    if (typeof value === 'number') return this.#number(value, at);
    if (typeof value === 'string') return this.#string(value, at);
    if (value === null) return this.#head(tag.NULL, 0, at);
    if (typeof value === 'object') return this.#object(value, at);
    if (value === undefined) return this.#head(tag.UNDEFINED, 0, at);
    if (typeof value === 'boolean') return this.#head(value ? tag.TRUE : tag.FALSE, 0, at);
    if (typeof value === 'bigint') return this.#bigint(value, at);
    return this.#leave(value);
  }

  #leave(part: unknown): never {
    this.#part = part;
    throw UNKNOWN;
  }

  #number(value: number, at: number): number {
    const whole = value | 0;
    const isSmall = whole === value && whole <= tag.INLINE_MAX && whole >= tag.INLINE_MIN;
    if (isSmall && !Object.is(value, -0)) return this.#head(tag.SMALL, whole, at);
    return this.#float(value, this.#head(tag.FLOAT, 0, at));
  }

  #float(value: number, at: number): number {
    floats[0] = value;
    return this.#twoWords(at);
  }

  #twoWords(at: number): number {
    this.#words[at] = floatWords[0] as number;
    this.#words[at + 1] = floatWords[1] as number;
    return at + 2;
  }

  #bigint(value: bigint, at: number): number {
    if (BigInt.asIntN(64, value) === value) {
      tag.bigints[0] = value;
      return this.#twoWords(this.#head(tag.BIGINT, 0, at));
    }
    const digits = (value < 0n ? -value : value).toString(16);
    return this.#string(digits, this.#head(tag.BIGINT_LONG, value < 0n ? 1 : 0, at));
  }

  #string(value: string, at: number, shortest = SHORT_STRING): number {
    const length = value.length;
    if (length > tag.INLINE_MAX) throw UNKNOWN;
    if (length > shortest && length <= LONGEST_TEXT && this.#text.length < MOST_TEXT) {
      this.#text += value;
      this.#room(at, 1);
      return this.#head(tag.TEXT, length, at);
    }
    const isWide = length > SHORT_STRING && NOT_LATIN1.test(value);
    if (length >= BULK_BYTES && this.#lend !== undefined) {
      const end = this.#long(value, isWide, at);
      if (end !== -1) return end;
    }
    this.#room(at, ((length * 2 + 3) >> 2) + 2);
    if (length <= SHORT_STRING) {
      const end = this.#shortString(value, length, at);
      if (end !== -1) return end;
    }
    if (isWide || length <= SHORT_STRING) {
      this.#bytes.ucs2Write(value, this.#head(tag.UTF16, length, at) * 4, length * 2);
      return at + 1 + ((length * 2 + 3) >> 2);
    }
    this.#bytes.latin1Write(value, this.#head(tag.LATIN1, length, at) * 4, length);
    return at + 1 + ((length + 3) >> 2);
  }

  #long(value: string, isWide: boolean, at: number): number {
    const { length } = value;
    const write: Write = (memory, start) =>
      isWide ? memory.ucs2Write(value, start, length * 2) : memory.latin1Write(value, start, length);
    const address = (this.#lend as Lend)(isWide ? length * 2 : length, write, true);
    if (address < 0) return -1;
    this.#bulkBytes += isWide ? length * 2 : length;
    this.#room(at, 2);
    this.#words[at + 1] = address;
    return this.#head(tag.LONG, isWide ? -length : length, at) + 1;
  }

  #texts(at: number): number {
    const text = this.#text;
    this.#encodingFlags |= tag.TEXTS;
    const isWide = NOT_LATIN1.test(text);
    const words = ((isWide ? text.length * 2 : text.length) + 3) >> 2;
    this.#room(at, words + 1);
    if (isWide) this.#bytes.ucs2Write(text, at * 4, text.length * 2);
    else this.#bytes.latin1Write(text, at * 4, text.length);
    this.#words[at + words] = isWide ? -words : words;
    return at + words + 1;
  }

  /** Packs characters itself, which beats a call into native code. -1: a character needs two bytes. */
  #shortString(value: string, length: number, start: number): number {
    const words = this.#words;
    let at = this.#head(tag.LATIN1, length, start);
    let all = 0;
    for (let index = 0; index < length; index += 4) {
      const first = value.charCodeAt(index);
      const second = index + 1 < length ? value.charCodeAt(index + 1) : 0;
      const third = index + 2 < length ? value.charCodeAt(index + 2) : 0;
      const fourth = index + 3 < length ? value.charCodeAt(index + 3) : 0;
      all |= first | second | third | fourth;
      words[at++] = first | (second << 8) | (third << 16) | (fourth << 24);
    }
    return all > 0xff ? -1 : at;
  }

  #object(value: object, at: number): number {
    const number = this.#repeats.numberOf(value);
    if (number !== -1) return this.#again(number, at);
    if (isProxy(value)) return this.#leave(value);
    if (++this.#depth > MAX_DEPTH) throw UNKNOWN;
    try {
      const end = this.#contents(value, getPrototypeOf(value), at);
      this.#depth--;
      return end;
    } catch (error) {
      if (error === UNKNOWN && this.#part !== value) this.#around = [...this.#around, value];
      throw error;
    }
  }

  #again(number: number, at: number): number {
    this.#encodingFlags |= tag.REPEATS;
    return this.#head(tag.REF, number, at);
  }

  #contents(value: object, prototype: object | null, at: number): number {
    if (prototype === plainPrototype || prototype === null)
      return this.#plain(value as Record<string, unknown>, at);
    if (prototype === arrayPrototype && isArray(value)) return this.#array(value, at);
    return this.#special(value, prototype, at);
  }

  #plain(value: Record<string, unknown>, start: number): number {
    if (!seemsPlain(value)) throw UNKNOWN;
    const depth = this.#depth;
    const guess = this.#shapes.guess(depth);
    const expected = guess.names;
    let names: string[] | undefined;
    let place = 0;
    let at = start + 1;
    // The engine reads a property much faster inside a loop over the keys than by a key from elsewhere.
    for (const name in value) {
      if (names !== undefined) {
        if (names.push(name) > MOST_KEYS) throw UNKNOWN;
      } else if (place < expected.length && name === expected[place]) place++;
      else names = [...expected.slice(0, place), name];
      at = this.#write(value[name], at);
    }
    const isGuess = names === undefined && place === expected.length && guess.number !== -1;
    const shape = isGuess ? guess : this.#shapes.of(value, names ?? expected.slice(0, place), depth);
    if (shape === undefined) throw UNKNOWN;
    if (shape.number !== -1) {
      this.#head(tag.SHAPED, shape.number, start);
      return at;
    }
    this.#head(tag.OBJECT, shape.names.length, start);
    return this.#all(shape.names, at);
  }

  #array(value: unknown[], start: number): number {
    const { length } = value;
    if (length > LONGEST_ARRAY) throw UNKNOWN;
    // Short and long ones apart, so that the engine sees few kinds of arrays among the short ones.
    if (length >= LONG_LIST) return this.#longArray(value, length, start);
    const count = keys(value).length;
    let holes = 0;
    let at = this.#head(tag.ARRAY, length, start);
    for (let index = 0; index < length; index++) {
      const item = value[index];
      if (item === undefined && !hasOwn(value, index)) {
        this.#room(at, 1);
        at = this.#head(tag.HOLE, 0, at);
        holes++;
      } else {
        at = this.#write(item, at);
      }
    }
    // The sum is off when there are properties beside the indices, as on the result of a RegExp.
    if (count + holes !== length) throw UNKNOWN;
    return at;
  }

  #longArray(value: unknown[], length: number, start: number): number {
    const isBare = hasIndicesAlone(value);
    const count = isBare ? length : keys(value).length;
    let mayRun = true;
    let holes = 0;
    let at = this.#head(tag.ARRAY, length, start);
    for (let index = 0; index < length; index++) {
      let item = value[index];
      if (mayRun && typeof item === 'number') {
        const from = index;
        at = this.#numbers(value, from, length, item, at);
        index = this.#index;
        if (index === length) break;
        item = this.#item;
        mayRun = index - from >= SHORTEST_RUN;
      } else if (typeof item === 'string') {
        at = this.#textRun(value, index, length, item, at);
        index = this.#index;
        if (index === length) break;
        item = this.#item;
      }
      if (item === undefined && !hasOwn(value, index)) {
        if (++holes > MAX_HOLES) throw UNKNOWN;
        this.#room(at, 1);
        at = this.#head(tag.HOLE, 0, at);
      } else if (typeof item === 'string') {
        at = this.#string(item, at, SHORT_IN_LIST);
      } else {
        at = this.#write(item, at);
      }
    }
    this.#item = undefined;
    if (!isBare && count + holes !== length) throw UNKNOWN;
    return at;
  }

  /** Writes numbers without heads, and leaves what comes after them in `#item`: a getter must not be called again. */
  #numbers(value: readonly unknown[], from: number, length: number, first: number, start: number): number {
    this.#room(start, (length - from) * 2 + 2);
    const words = this.#words;
    let index = from;
    let item: unknown = first;
    let at = start + 1;
    while (typeof item === 'number' && (item | 0) === item && (item !== 0 || 1 / item > 0)) {
      words[at++] = item;
      item = ++index < length ? value[index] : undefined;
    }
    if (index === from) at--;
    else this.#head(tag.INTS, index - from, start);
    const middle = index;
    const head = at++;
    while (typeof item === 'number') {
      floats[0] = item;
      words[at] = floatWords[0] as number;
      words[at + 1] = floatWords[1] as number;
      at += 2;
      item = ++index < length ? value[index] : undefined;
    }
    if (index === middle) at--;
    else this.#head(tag.FLOATS, index - middle, head);
    this.#index = index;
    this.#item = item;
    return at;
  }

  /** Writes texts of middle length, and leaves what comes after them in `#item`, too. */
  #textRun(value: readonly unknown[], from: number, length: number, first: string, start: number): number {
    this.#room(start, length - from);
    const words = this.#words;
    let index = from;
    let item: unknown = first;
    let text = this.#text;
    let at = start;
    while (typeof item === 'string' && item.length > SHORT_IN_LIST && item.length <= LONGEST_TEXT) {
      if (text.length >= MOST_TEXT) break;
      text += item;
      words[at++] = (item.length << TAG_BITS) | tag.TEXT;
      item = ++index < length ? value[index] : undefined;
    }
    this.#text = text;
    this.#index = index;
    this.#item = item;
    return at;
  }

  #special(value: object, prototype: object, at: number): number {
    if (isView(value)) return this.#view(value, prototype, at);
    if (prototype === datePrototype && isDate(value))
      return this.#float(getTime.call(value), this.#head(tag.DATE, 0, at));
    if (prototype === mapPrototype && isMap(value)) {
      const parts: unknown[] = [];
      eachOfMap.call(value, (item, key) => parts.push(key, item));
      return this.#all(parts, this.#head(tag.MAP, parts.length / 2, at));
    }
    if (prototype === setPrototype && isSet(value)) {
      const items: unknown[] = [];
      eachOfSet.call(value, (item) => items.push(item));
      return this.#all(items, this.#head(tag.SET, items.length, at));
    }
    if (prototype === bufferPrototype && isArrayBuffer(value)) return this.#buffer(value, at);
    // Beside `lastIndex` it has a property, which may be called `flags`.
    if (prototype === regExpPrototype && isRegExp(value) && getOwnPropertyNames(value).length === 1)
      return this.#string(value.flags, this.#string(value.source, this.#head(tag.REGEXP, 0, at)));
    return this.#leave(value);
  }

  #all(items: readonly unknown[], start: number): number {
    const isLong = items.length >= LONG_LIST;
    let at = start;
    for (let index = 0; index < items.length; index++) {
      const item = items[index];
      const isListed = isLong && typeof item === 'string';
      at = isListed ? this.#string(item, at, SHORT_IN_LIST) : this.#write(item, at);
    }
    return at;
  }

  #view(value: ArrayBufferView, prototype: object, start: number): number {
    const kind = kindOfView(value);
    const isBuffer = kind === 0 && prototype === Buffer.prototype;
    if (prototype !== tag.VIEWS[kind]?.prototype && !isBuffer) throw UNKNOWN;
    const { bufferOf, offsetOf, lengthOf } = gettersOf(value);
    const buffer = bufferOf.call(value);
    if (!isArrayBuffer(buffer) || !isFixed(buffer)) throw UNKNOWN;
    const offset = offsetOf.call(value);
    const length = lengthOf.call(value);
    if (offset > MOST_INT32 || length > MOST_INT32) throw UNKNOWN;
    const at = this.#head(tag.VIEW, kind, start);
    this.#words[at] = offset;
    this.#words[at + 1] = length;
    this.#room(at + 2, 8);
    const number = this.#repeats.numberOf(buffer);
    return number === -1 ? this.#buffer(buffer, at + 2) : this.#again(number, at + 2);
  }

  #buffer(value: ArrayBuffer, start: number): number {
    const byteLength = byteLengthOf.call(value);
    if (!isFixed(value) || byteLength > constants.MAX_LENGTH) throw UNKNOWN;
    if (byteLength >= BULK_BYTES) return this.#bulk(new Uint8Array(value), start);
    this.#room(start, ((byteLength + 3) >> 2) + 1);
    const at = this.#head(tag.BUFFER, byteLength, start);
    this.#bytes.set(new Uint8Array(value), at * 4);
    return at + ((byteLength + 3) >> 2);
  }

  #bulk(bytes: Uint8Array, at: number): number {
    this.#bulkBytes += bytes.length;
    const copy: Write = (memory, start) => tag.copyBytes(bytes, memory, start);
    const address = this.#lend?.(bytes.length, copy, false) ?? -1;
    if (address === LATER) throw UNKNOWN;
    if (address !== -1) {
      this.#words[at + 1] = address;
      return this.#head(tag.BULK, bytes.length, at) + 1;
    }
    this.#externals ??= [];
    this.#externals.push(tag.copyOf(bytes));
    return this.#head(tag.EXTERNAL, this.#externals.length - 1, at);
  }
}
