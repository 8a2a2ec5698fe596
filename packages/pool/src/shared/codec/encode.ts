import { constants } from 'node:buffer';
import { types } from 'node:util';
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
import { UNKNOWN } from './tags.js';
import {
  BULK_BYTES,
  FEWEST_WORDS,
  LATER,
  type Lend,
  SHORT_IN_LIST,
  SHORT_STRING,
  type Write,
  Writer,
} from './writer.js';

/** Deeper values go to structured clone, whose limit is the stack of the reading thread. */
const MAX_DEPTH = 200;
/** Items from which on a list is written as a long one. */
const LONG_LIST = 32;
/** After a shorter run of numbers, the rest of the array is written item by item. */
const SHORTEST_RUN = 4;
/** Objects with more keys go to structured clone. For fewer new keys, it takes up to ten times as long as this codec. */
const MOST_KEYS = 2 ** 14;
/** Longer arrays go to structured clone: they have too many property names to list. */
const LONGEST_ARRAY = 2 ** 22;
const MOST_INT32 = 2 ** 31 - 1;
const MOST_KEPT = 2 ** 22;

// Saved before polyfills or mocks of the clock can replace them.
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

/** An encoded value: `length` words, and the buffers that travel beside them. */
export interface Encoded extends Memory {
  readonly length: number;
  readonly externals: ArrayBuffer[] | undefined;
  /** Bytes of large buffers and texts outside the words. */
  readonly bulkBytes: number;
  readonly encodingFlags: number;
}

/**
 * Turns values into words, which stay valid until the next call of `encode`. Decoding gives what `structuredClone` would have
 * given. Uncertain values are left to structured clone: unknown prototypes, Errors, arrays with holes, Proxies …
 */
export class Encoder extends Writer {
  #depth = 0;
  readonly #repeats = new Repeats();
  /** The part that made this give up, and the objects around it, innermost first. */
  #part: unknown;
  #around = NOTHING;
  readonly #shapes: Shapes;

  /** @param announce without it, no shape gets a number */
  constructor(words = FEWEST_WORDS, lend?: Lend, announce?: Announce) {
    super(words, lend);
    this.#shapes = new Shapes(announce);
  }

  /**
   * Returns undefined if only structured clone can copy or refuse the value.
   * @throws what a getter throws, or structured clone's error for a part that it would surely refuse
   */
  encode(value: unknown): Encoded | undefined {
    if (this.busy) return new Encoder(64).encode(value);
    if (isPolluted()) return undefined;
    this.busy = true;
    try {
      const length = this.endBlock(this.#write(value, 0));
      const { words, bytes, bulkBytes, encodingFlags, externals } = this;
      if (length > this.longest) this.longest = length;
      if (words.length > MOST_KEPT) this.use(new Int32Array(FEWEST_WORDS));
      return { words, bytes, length, externals, bulkBytes, encodingFlags };
    } catch (error) {
      if (error !== UNKNOWN) confirm(value, error);
      else refuse(this.#part, this.#around);
      return undefined;
    } finally {
      // No calls here: if the stack is full, a call would throw and skip the rest.
      this.busy = false;
      this.#depth = 0;
      this.#part = undefined;
      this.#around = NOTHING;
      this.encodingFlags = 0;
      this.text = '';
      this.shortest = SHORT_STRING;
      this.externals = undefined;
      this.bulkBytes = 0;
      const repeats = this.#repeats;
      while (repeats.count > 0) repeats.first[--repeats.count] = undefined;
      repeats.many = undefined;
    }
  }

  #write(value: unknown, at: number): number {
    this.room(at, 8);
    if (typeof value === 'number') return this.number(value, at);
    if (typeof value === 'string') return this.string(value, at);
    if (value === null) return this.head(tag.NULL, 0, at);
    if (typeof value === 'object') return this.#object(value, at);
    if (value === undefined) return this.head(tag.UNDEFINED, 0, at);
    if (typeof value === 'boolean') return this.head(value ? tag.TRUE : tag.FALSE, 0, at);
    if (typeof value === 'bigint') return this.bigint(value, at);
    return this.#leave(value);
  }

  #leave(part: unknown): never {
    this.#part = part;
    throw UNKNOWN;
  }

  #object(value: object, at: number): number {
    const number = this.#repeats.numberOf(value);
    if (number !== -1) return this.#again(number, at);
    if (isProxy(value)) return this.#leave(value);
    if (++this.#depth > MAX_DEPTH) throw UNKNOWN;
    try {
      const prototype = getPrototypeOf(value);
      const isPlain = prototype === plainPrototype || prototype === null;
      const end = isPlain ? this.#plain(value, at) : this.#special(value, prototype, at);
      this.#depth--;
      return end;
    } catch (error) {
      if (error === UNKNOWN && this.#part !== value) this.#around = [...this.#around, value];
      throw error;
    }
  }

  #again(number: number, at: number): number {
    this.encodingFlags |= tag.REPEATS;
    return this.head(tag.REF, number, at);
  }

  #plain(value: object, start: number): number {
    if (!seemsPlain(value)) throw UNKNOWN;
    const depth = this.#depth;
    const guess = this.#shapes.guess(depth);
    const expected = guess.names;
    let names: string[] | undefined;
    let place = 0;
    let at = start + 1;
    // V8 reads a property much faster by a key of a loop over the same object.
    for (const name in value) {
      if (names !== undefined) {
        if (names.push(name) > MOST_KEYS) throw UNKNOWN;
      } else if (place < expected.length && name === expected[place]) place++;
      else names = [...expected.slice(0, place), name];
      at = this.#write((value as Record<string, unknown>)[name], at);
    }
    const isGuess = names === undefined && place === expected.length && guess.number !== -1;
    const shape = isGuess ? guess : this.#shapes.of(value, names ?? expected.slice(0, place), depth);
    if (shape === undefined) throw UNKNOWN;
    if (shape.number !== -1) {
      this.head(tag.SHAPED, shape.number, start);
      return at;
    }
    this.head(tag.OBJECT, shape.names.length, start);
    const isLong = shape.names.length >= LONG_LIST;
    for (const name of shape.names) at = this.string(name, at, isLong ? SHORT_IN_LIST : SHORT_STRING);
    return at;
  }

  #array(value: unknown[], start: number): number {
    const { length } = value;
    if (length > LONGEST_ARRAY) throw UNKNOWN;
    // Apart from long arrays, so that V8 sees few kinds of arrays here.
    if (length >= LONG_LIST) return this.#longArray(value, length, start);
    const count = keys(value).length;
    let at = this.head(tag.ARRAY, length, start);
    for (let index = 0; index < length; index++) {
      const item = value[index];
      if (item === undefined && !hasOwn(value, index)) throw UNKNOWN;
      at = this.#write(item, at);
    }
    // It has properties in addition to its indices, like the result of a RegExp.
    if (count !== length) throw UNKNOWN;
    return at;
  }

  #longArray(value: unknown[], length: number, start: number): number {
    const isBare = hasIndicesAlone(value);
    const count = isBare ? length : keys(value).length;
    let mayRun = true;
    this.shortest = SHORT_IN_LIST;
    let at = this.head(tag.ARRAY, length, start);
    for (let index = 0; index < length; index++) {
      let item = value[index];
      if (mayRun && typeof item === 'number') {
        const from = index;
        at = this.numbers(value, item, from, length, at);
        index = this.index;
        if (index === length) break;
        item = this.item;
        mayRun = index - from >= SHORTEST_RUN;
      }
      if (item === undefined && !hasOwn(value, index)) throw UNKNOWN;
      at = typeof item === 'string' ? this.string(item, at) : this.#write(item, at);
    }
    this.item = undefined;
    if (!isBare && count !== length) throw UNKNOWN;
    return at;
  }

  #special(value: object, prototype: object, at: number): number {
    if (prototype === arrayPrototype && isArray(value)) return this.#array(value, at);
    if (isView(value)) return this.#view(value, prototype, at);
    if (prototype === datePrototype && isDate(value))
      return this.float(getTime.call(value), this.head(tag.DATE, 0, at));
    if (prototype === mapPrototype && isMap(value)) {
      const parts: unknown[] = [];
      eachOfMap.call(value, (item, key) => parts.push(key, item));
      return this.#items(parts, this.head(tag.MAP, parts.length / 2, at));
    }
    if (prototype === setPrototype && isSet(value)) {
      const items: unknown[] = [];
      eachOfSet.call(value, (item) => items.push(item));
      return this.#items(items, this.head(tag.SET, items.length, at));
    }
    if (prototype === bufferPrototype && isArrayBuffer(value)) return this.#buffer(value, at);
    // With properties beside `lastIndex`, one may shadow `flags` or `source`.
    if (prototype === regExpPrototype && isRegExp(value) && getOwnPropertyNames(value).length === 1)
      return this.string(value.flags, this.string(value.source, this.head(tag.REGEXP, 0, at)));
    return this.#leave(value);
  }

  #items(items: readonly unknown[], start: number): number {
    if (items.length >= LONG_LIST) this.shortest = SHORT_IN_LIST;
    let at = start;
    for (const item of items) at = this.#write(item, at);
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
    const at = this.head(tag.VIEW, kind, start);
    this.words[at] = offset;
    this.words[at + 1] = length;
    this.room(at + 2, 8);
    const number = this.#repeats.numberOf(buffer);
    return number === -1 ? this.#buffer(buffer, at + 2) : this.#again(number, at + 2);
  }

  #buffer(value: ArrayBuffer, start: number): number {
    const byteLength = byteLengthOf.call(value);
    if (!isFixed(value) || byteLength > constants.MAX_LENGTH) throw UNKNOWN;
    if (byteLength >= BULK_BYTES) return this.#bulk(new Uint8Array(value), start);
    this.room(start, ((byteLength + 3) >> 2) + 1);
    const at = this.head(tag.BUFFER, byteLength, start);
    this.bytes.set(new Uint8Array(value), at * 4);
    return at + ((byteLength + 3) >> 2);
  }

  #bulk(bytes: Uint8Array, at: number): number {
    const copy: Write = (memory, start) => tag.copyBytes(bytes, memory, start);
    const end = this.lent(tag.BULK, bytes.length, bytes.length, copy, at);
    if (end === LATER) throw UNKNOWN;
    if (end !== -1) return end;
    this.bulkBytes += bytes.length;
    this.externals ??= [];
    this.externals.push(tag.copyOf(bytes));
    return this.head(tag.EXTERNAL, this.externals.length - 1, at);
  }
}
