import { types } from 'node:util';
import type { Memory } from './decode.js';
import { type Announce, Shapes } from './shapes.js';
import * as tag from './tags.js';
import { bigints, copyOf, floats, floatWords, type RawBuffer, rawBuffer, TAG_BITS, VIEWS } from './tags.js';
import { bufferOf, isDetached, kindOfView, viewTags } from './views.js';

/** Thrown inside the encoder for a value that only the platform's own structured clone can copy (or refuse). */
const UNKNOWN = Symbol('value for structured clone');

/** Deeper values go to structured clone, whose limit is that of the stack of whoever reads them. */
const MAX_DEPTH = 200;
/** Up to this many objects, a linear search finds repeated ones faster than a Set. */
const LINEAR_MEMO = 12;
/** Buffers from this size on travel beside the words: one copy less. */
const BULK_BYTES = 64 * 1024;
/** Arrays with more holes are sparse ones, which structured clone handles better. */
const MAX_HOLES = 1024;
const SHORT_STRING = 24;
/** Strings between these lengths are TEXTs. */
const LONGEST_TEXT = 512;
const MOST_TEXT = 2 ** 26;
const NOT_LATIN1 = /[^\0-\xff]/;

const { isArgumentsObject, isModuleNamespaceObject, isProxy } = types;
const { keys, getPrototypeOf } = Object;
const NOTHING = {};

/**
 * Takes a copy of the bytes of a large buffer to memory that both sides share, and returns its address there, or -1.
 * Compared with a copy to be transferred, this leaves no garbage: the collector counts every byte of those.
 */
export type Lend = (bytes: Uint8Array) => number;

/** What encoding a value gave, from the first word on, and buffers that travel beside it. */
export interface Encoded extends Memory {
  /** In words. */
  readonly length: number;
  readonly externals: ArrayBuffer[] | undefined;
  /** REPEATS, TEXTS. */
  readonly marks: number;
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
  private words: Int32Array<ArrayBuffer>;
  private bytes: RawBuffer;
  private depth = 0;
  private busy = false;
  /** The first objects of a message, and how many they are. */
  private readonly first: (object | undefined)[] = new Array(LINEAR_MEMO).fill(undefined);
  private count = 0;
  private memo: Set<object> | undefined;
  private numbers: Map<object, number> | undefined;
  private marks = 0;
  private text = '';
  private externals: ArrayBuffer[] | undefined;
  private readonly shapes: Shapes;
  private readonly lend: Lend | undefined;

  /** With `announce`, shapes that come often get numbers. */
  constructor(words = 4096, lend?: Lend, announce?: Announce) {
    this.lend = lend;
    this.shapes = new Shapes(announce);
    this.words = new Int32Array(words);
    this.bytes = rawBuffer(this.words.buffer);
  }

  /**
   * @returns the encoded value, or `undefined` when only structured clone can copy it.
   * @throws what a getter of the value throws.
   */
  encode(value: unknown): Encoded | undefined {
    if (this.busy) return new Encoder(64).encode(value);
    if (isPolluted()) return undefined;
    this.busy = true;
    this.externals = undefined;
    try {
      let length = this.write(value, 0);
      if (this.text.length > 0) length = this.texts(length);
      const { words, bytes, externals, marks } = this;
      return { words, bytes, length, externals, marks };
    } catch (error) {
      if (error === UNKNOWN) return undefined;
      throw error;
    } finally {
      this.reset();
    }
  }

  private reset(): void {
    this.busy = false;
    this.depth = 0;
    this.marks = 0;
    this.text = '';
    while (this.count > 0) this.first[--this.count] = undefined;
    this.memo = undefined;
    this.numbers = undefined;
  }

  private room(at: number, words: number): void {
    if (at + words <= this.words.length) return;
    const larger = new Int32Array(Math.max(this.words.length * 2, at + words));
    larger.set(this.words.subarray(0, at));
    this.words = larger;
    this.bytes = rawBuffer(larger.buffer);
  }

  private head(kind: number, payload: number, at: number): number {
    this.words[at] = (payload << TAG_BITS) | kind;
    return at + 1;
  }

  private write(value: unknown, at: number): number {
    this.room(at, 8);
    if (typeof value === 'number') return this.number(value, at);
    if (typeof value === 'string') return this.string(value, at);
    if (value === null) return this.head(tag.NULL, 0, at);
    if (typeof value === 'object') return this.object(value, at);
    if (value === undefined) return this.head(tag.UNDEFINED, 0, at);
    if (typeof value === 'boolean') return this.head(value ? tag.TRUE : tag.FALSE, 0, at);
    if (typeof value === 'bigint') return this.bigint(value, at);
    throw UNKNOWN;
  }

  private number(value: number, at: number): number {
    const whole = value | 0;
    const isSmall = whole === value && whole <= tag.INLINE_MAX && whole >= tag.INLINE_MIN;
    if (isSmall && !Object.is(value, -0)) return this.head(tag.SMALL, whole, at);
    return this.float(value, this.head(tag.FLOAT, 0, at));
  }

  private float(value: number, at: number): number {
    floats[0] = value;
    return this.twoWords(at);
  }

  private twoWords(at: number): number {
    this.words[at] = floatWords[0] as number;
    this.words[at + 1] = floatWords[1] as number;
    return at + 2;
  }

  private bigint(value: bigint, at: number): number {
    if (BigInt.asIntN(64, value) === value) {
      bigints[0] = value;
      return this.twoWords(this.head(tag.BIGINT, 0, at));
    }
    const digits = (value < 0n ? -value : value).toString(16);
    return this.string(digits, this.head(tag.BIGINT_LONG, value < 0n ? 1 : 0, at));
  }

  private string(value: string, at: number): number {
    const length = value.length;
    if (length > tag.INLINE_MAX) throw UNKNOWN;
    if (length > SHORT_STRING && length <= LONGEST_TEXT && this.text.length < MOST_TEXT) {
      this.text += value;
      this.room(at, 1);
      return this.head(tag.TEXT, length, at);
    }
    this.room(at, ((length * 2 + 3) >> 2) + 2);
    if (length <= SHORT_STRING) {
      const end = this.shortString(value, length, at);
      if (end !== -1) return end;
    }
    if (NOT_LATIN1.test(value)) {
      this.bytes.ucs2Write(value, this.head(tag.UTF16, length, at) * 4, length * 2);
      return at + 1 + ((length * 2 + 3) >> 2);
    }
    this.bytes.latin1Write(value, this.head(tag.LATIN1, length, at) * 4, length);
    return at + 1 + ((length + 3) >> 2);
  }

  /** The characters of all TEXTs. */
  private texts(at: number): number {
    const { text } = this;
    this.marks |= tag.TEXTS;
    const isWide = NOT_LATIN1.test(text);
    const words = ((isWide ? text.length * 2 : text.length) + 3) >> 2;
    this.room(at, words + 1);
    if (isWide) this.bytes.ucs2Write(text, at * 4, text.length * 2);
    else this.bytes.latin1Write(text, at * 4, text.length);
    this.words[at + words] = isWide ? -words : words;
    return at + words + 1;
  }

  /** Packs characters itself, which beats a call into native code. -1: a character needs two bytes. */
  private shortString(value: string, length: number, start: number): number {
    const { words } = this;
    let at = this.head(tag.LATIN1, length, start);
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

  private object(value: object, at: number): number {
    const number = this.numberOf(value);
    if (number !== -1) {
      this.marks |= tag.REPEATS;
      return this.head(tag.REF, number, at);
    }
    const prototype = getPrototypeOf(value);
    if (isProxy(value) || ++this.depth > MAX_DEPTH) throw UNKNOWN;
    const end = this.contents(value, prototype, at);
    this.depth--;
    return end;
  }

  private contents(value: object, prototype: object | null, at: number): number {
    if (prototype === Object.prototype) return this.plain(value as Record<string, unknown>, at);
    if (prototype === Array.prototype && Array.isArray(value)) return this.array(value, at);
    if (prototype !== null) return this.special(value, prototype, at);
    if (isModuleNamespaceObject(value)) throw UNKNOWN;
    return this.plain(value as Record<string, unknown>, at);
  }

  /** The number of an object that was written before, or -1. */
  private numberOf(value: object): number {
    const { memo } = this;
    if (memo === undefined) return this.numberAmongFew(value);
    const { size } = memo;
    if (memo.add(value).size > size) {
      this.numbers?.set(value, size);
      return -1;
    }
    // Repeated objects are rare, and finding out with a Set takes one look-up instead of two.
    this.numbers ??= new Map([...memo].map((object, index) => [object, index]));
    return this.numbers.get(value) as number;
  }

  private numberAmongFew(value: object): number {
    const { first, count } = this;
    for (let index = 0; index < count; index++) if (first[index] === value) return index;
    if (count < LINEAR_MEMO) first[this.count++] = value;
    else this.memo = new Set([...(first as object[]), value]);
    return -1;
  }

  private plain(value: Record<string, unknown>, start: number): number {
    const { depth } = this;
    const guess = this.shapes.guess(depth);
    const expected = guess.names;
    let names: string[] | undefined;
    let place = 0;
    let at = start + 1;
    // The engine reads a property much faster inside a loop over the keys than by a key from elsewhere.
    for (const name in value) {
      if (names !== undefined) names.push(name);
      else if (place < expected.length && name === expected[place]) place++;
      else names = [...expected.slice(0, place), name];
      at = this.write(value[name], at);
    }
    const isGuess = names === undefined && place === expected.length && guess.number !== -1;
    const shape = isGuess ? guess : this.shapes.of(names ?? expected.slice(0, place), depth);
    // By its prototype it looks plain. One that was called without arguments and then got a property is taken as plain.
    if (shape.indexed && isArgumentsObject(value)) throw UNKNOWN;
    if (shape.number === -1) return this.keys(shape.names, start, at);
    this.head(tag.SHAPED, shape.number, start);
    return at;
  }

  private keys(names: readonly string[], start: number, end: number): number {
    this.head(tag.OBJECT, names.length, start);
    let at = end;
    for (const name of names) at = this.string(name, at);
    return at;
  }

  private array(value: unknown[], start: number): number {
    const { length } = value;
    const count = keys(value).length;
    if (length - count > MAX_HOLES) throw UNKNOWN;
    let holes = 0;
    let at = this.head(tag.ARRAY, length, start);
    for (let index = 0; index < length; index++) {
      const item = value[index];
      if (item === undefined && !Object.hasOwn(value, index)) {
        this.room(at, 1);
        at = this.head(tag.HOLE, 0, at);
        holes++;
      } else {
        at = this.write(item, at);
      }
    }
    // The sum is off when there are properties beside the indices, as on the result of a RegExp.
    if (count + holes !== length) throw UNKNOWN;
    return at;
  }

  private special(value: object, prototype: object, at: number): number {
    const view = viewTags.get(prototype);
    if (view !== undefined) return this.view(value, view, at);
    if (prototype === Date.prototype && types.isDate(value)) return this.date(value, at);
    if (prototype === Map.prototype && types.isMap(value)) return this.map(value, at);
    if (prototype === Set.prototype && types.isSet(value)) return this.set(value, at);
    if (prototype === ArrayBuffer.prototype && types.isArrayBuffer(value)) return this.buffer(value, at);
    if (prototype === RegExp.prototype && types.isRegExp(value)) return this.regexp(value, at);
    throw UNKNOWN;
  }

  private date(value: Date, at: number): number {
    return this.float(Date.prototype.getTime.call(value), this.head(tag.DATE, 0, at));
  }

  private regexp(value: RegExp, at: number): number {
    return this.string(value.flags, this.string(value.source, this.head(tag.REGEXP, 0, at)));
  }

  private map(value: ReadonlyMap<unknown, unknown>, start: number): number {
    const entries = [...Map.prototype.entries.call(value)];
    let at = this.head(tag.MAP, entries.length, start);
    for (const [key, item] of entries) at = this.write(item, this.write(key, at));
    return at;
  }

  private set(value: ReadonlySet<unknown>, start: number): number {
    const items = [...Set.prototype.values.call(value)];
    let at = this.head(tag.SET, items.length, start);
    for (const item of items) at = this.write(item, at);
    return at;
  }

  private view(value: object, kind: number, start: number): number {
    if (!ArrayBuffer.isView(value) || kind !== kindOfView(value)) throw UNKNOWN;
    const isDataView = kind === VIEWS.length - 1;
    const buffer = isDataView ? (value as DataView).buffer : bufferOf.call(value);
    const at = this.head(tag.VIEW, kind, start);
    this.words[at] = value.byteOffset;
    this.words[at + 1] = isDataView ? value.byteLength : (value as Uint8Array).length;
    this.room(at + 2, 8);
    if (!types.isArrayBuffer(buffer)) throw UNKNOWN;
    const number = this.numberOf(buffer);
    if (number === -1) return this.buffer(buffer, at + 2);
    this.marks |= tag.REPEATS;
    return this.head(tag.REF, number, at + 2);
  }

  private buffer(value: ArrayBuffer, start: number): number {
    const { byteLength } = value;
    const { resizable, detached } = value as { resizable?: boolean; detached?: boolean };
    if (resizable === true || detached === true || keys(value).length > 0) throw UNKNOWN;
    if (detached === undefined && byteLength === 0 && isDetached(value)) throw UNKNOWN;
    if (byteLength >= BULK_BYTES) return this.bulk(new Uint8Array(value), start);
    this.room(start, ((byteLength + 3) >> 2) + 1);
    const at = this.head(tag.BUFFER, byteLength, start);
    this.bytes.set(new Uint8Array(value), at * 4);
    return at + ((byteLength + 3) >> 2);
  }

  private bulk(bytes: Uint8Array, at: number): number {
    const address = bytes.length > tag.INLINE_MAX ? -1 : (this.lend?.(bytes) ?? -1);
    if (address !== -1) {
      this.words[at + 1] = address;
      return this.head(tag.BULK, bytes.length, at) + 1;
    }
    this.externals ??= [];
    this.externals.push(copyOf(bytes));
    return this.head(tag.EXTERNAL, this.externals.length - 1, at);
  }
}

/** Has somebody given every object an enumerable property? Then our loops over keys would meet it. */
function isPolluted(): boolean {
  for (const _ in NOTHING) return true;
  return false;
}
