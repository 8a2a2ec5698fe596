import { types } from 'node:util';
import * as tag from './tags.js';
import { bigints, copyOf, floats, floatWords, type RawBuffer, rawBuffer, TAG_BITS, VIEWS } from './tags.js';

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
const KEY_CACHE = 1024;
const NOT_LATIN1 = /[^\0-\xff]/;

const { isArgumentsObject, isModuleNamespaceObject, isProxy } = types;
const { keys, getPrototypeOf } = Object;
const NOTHING = {};
const viewTags = new Map<object, number>(VIEWS.map((view, index) => [view.prototype, index]));
viewTags.set(Buffer.prototype, 0);
const bufferOf = Object.getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), 'buffer')?.get as (
  this: unknown,
) => ArrayBufferLike;

/**
 * Takes a copy of the bytes of a large buffer to memory that both sides share, and returns its address there, or -1.
 * Compared with a copy to be transferred, this leaves no garbage: the collector counts every byte of those.
 */
export type Lend = (bytes: Uint8Array) => number;

/** What encoding a value gave: words, and buffers that travel beside them. `undefined`: use structured clone. */
export interface Encoded {
  readonly words: Int32Array;
  readonly length: number;
  readonly externals: ArrayBuffer[] | undefined;
}

/**
 * Turns values into words, so that decoding them gives what `structuredClone` would have given. It encodes what it
 * is sure about and leaves the rest to structured clone itself: whatever has an unknown prototype, an Error, a
 * SharedArrayBuffer, a Proxy, a function …
 *
 * The words stay valid until the next call of `encode`.
 */
export class Encoder {
  private words: Int32Array<ArrayBuffer>;
  private bytes: RawBuffer;
  private at = 0;
  private depth = 0;
  private busy = false;
  private seen: object[] = [];
  private memo: Set<object> | undefined;
  private numbers: Map<object, number> | undefined;
  private externals: ArrayBuffer[] | undefined;
  private readonly scratch: string[] = [];
  private readonly shapes: (readonly string[])[] = [];
  private shapeCount = 0;
  private readonly keyCache = new Map<string, Int32Array>();

  private readonly lend: Lend | undefined;

  constructor(words = 4096, lend?: Lend) {
    this.lend = lend;
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
    this.at = 0;
    this.externals = undefined;
    try {
      this.write(value);
      return { words: this.words, length: this.at, externals: this.externals };
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
    this.shapeCount = 0;
    if (this.seen.length > 0) this.seen = [];
    this.memo = undefined;
    this.numbers = undefined;
  }

  private room(words: number): void {
    if (this.at + words <= this.words.length) return;
    const larger = new Int32Array(Math.max(this.words.length * 2, this.at + words));
    larger.set(this.words.subarray(0, this.at));
    this.words = larger;
    this.bytes = rawBuffer(larger.buffer);
  }

  private head(kind: number, payload: number): void {
    this.words[this.at++] = (payload << TAG_BITS) | kind;
  }

  private write(value: unknown): void {
    this.room(8);
    if (typeof value === 'number') this.number(value);
    else if (typeof value === 'string') this.string(value);
    else if (value === null) this.head(tag.NULL, 0);
    else if (typeof value === 'object') this.object(value);
    else if (value === undefined) this.head(tag.UNDEFINED, 0);
    else if (typeof value === 'boolean') this.head(value ? tag.TRUE : tag.FALSE, 0);
    else if (typeof value === 'bigint') this.bigint(value);
    else throw UNKNOWN;
  }

  private number(value: number): void {
    const whole = value | 0;
    if (whole === value && whole <= tag.INLINE_MAX && whole >= tag.INLINE_MIN && !Object.is(value, -0)) {
      this.head(tag.SMALL, whole);
    } else {
      this.head(tag.FLOAT, 0);
      this.float(value);
    }
  }

  private float(value: number): void {
    floats[0] = value;
    this.words[this.at++] = floatWords[0] as number;
    this.words[this.at++] = floatWords[1] as number;
  }

  private bigint(value: bigint): void {
    if (BigInt.asIntN(64, value) === value) {
      this.head(tag.BIGINT, 0);
      bigints[0] = value;
      this.words[this.at++] = floatWords[0] as number;
      this.words[this.at++] = floatWords[1] as number;
    } else {
      this.head(tag.BIGINT_LONG, value < 0n ? 1 : 0);
      this.string((value < 0n ? -value : value).toString(16));
    }
  }

  private string(value: string): void {
    const length = value.length;
    if (length > tag.INLINE_MAX) throw UNKNOWN;
    this.room(((length * 2 + 3) >> 2) + 2);
    if (length <= SHORT_STRING && this.shortString(value, length)) return;
    if (NOT_LATIN1.test(value)) {
      this.head(tag.UTF16, length);
      this.bytes.ucs2Write(value, this.at * 4, length * 2);
      this.at += (length * 2 + 3) >> 2;
    } else {
      this.head(tag.LATIN1, length);
      this.bytes.latin1Write(value, this.at * 4, length);
      this.at += (length + 3) >> 2;
    }
  }

  /** Packs characters itself, which beats a call into native code. False: a character needs two bytes. */
  private shortString(value: string, length: number): boolean {
    const start = this.at;
    this.head(tag.LATIN1, length);
    for (let index = 0; index < length; index += 4) {
      const first = value.charCodeAt(index);
      const second = index + 1 < length ? value.charCodeAt(index + 1) : 0;
      const third = index + 2 < length ? value.charCodeAt(index + 2) : 0;
      const fourth = index + 3 < length ? value.charCodeAt(index + 3) : 0;
      if ((first | second | third | fourth) > 0xff) {
        this.at = start;
        return false;
      }
      this.words[this.at++] = first | (second << 8) | (third << 16) | (fourth << 24);
    }
    return true;
  }

  /** Keys repeat: their words are kept. */
  private key(key: string): void {
    const cached = this.keyCache.get(key);
    if (cached !== undefined) {
      this.room(cached.length + 1);
      for (let index = 0; index < cached.length; index++) this.words[this.at++] = cached[index] as number;
      return;
    }
    const start = this.at;
    this.string(key);
    if (key.length <= SHORT_STRING && this.keyCache.size < KEY_CACHE) {
      this.keyCache.set(key, this.words.slice(start, this.at));
    }
  }

  private object(value: object): void {
    if (this.repeated(value)) return;
    const prototype = getPrototypeOf(value);
    if (isProxy(value) || ++this.depth > MAX_DEPTH) throw UNKNOWN;
    if (prototype === Object.prototype || prototype === null) {
      this.plain(value as Record<string, unknown>, prototype);
    } else if (prototype === Array.prototype && Array.isArray(value)) this.array(value);
    else this.special(value, prototype);
    this.depth--;
  }

  private repeated(value: object): boolean {
    const { memo } = this;
    if (memo === undefined) return this.repeatedAmongFew(value);
    const { size } = memo;
    if (memo.add(value).size > size) {
      this.numbers?.set(value, size);
      return false;
    }
    // Repeated objects are rare, and finding out with a Set takes one look-up instead of two.
    this.numbers ??= new Map([...memo].map((object, index) => [object, index]));
    this.head(tag.REF, this.numbers.get(value) as number);
    return true;
  }

  private repeatedAmongFew(value: object): boolean {
    const { seen } = this;
    for (let index = 0; index < seen.length; index++) {
      if (seen[index] !== value) continue;
      this.head(tag.REF, index);
      return true;
    }
    seen.push(value);
    if (seen.length > LINEAR_MEMO) this.memo = new Set(seen);
    return false;
  }

  private plain(value: Record<string, unknown>, prototype: object | null): void {
    // These look plain by their prototype.
    if (prototype === null ? isModuleNamespaceObject(value) : isArgumentsObject(value)) throw UNKNOWN;
    const names = this.namesOf(value);
    let place = 0;
    // The engine reads a property much faster inside a loop over the keys than by a key from elsewhere.
    for (const name in value) {
      // A getter has changed the object.
      if (name !== names[place++]) throw UNKNOWN;
      this.write(value[name]);
    }
    if (place !== names.length) throw UNKNOWN;
  }

  /** Writes the keys of an object, or the number of an earlier object of this message with the same keys. */
  private namesOf(value: object): readonly string[] {
    const { scratch } = this;
    let count = 0;
    for (const name in value) scratch[count++] = name;
    const shape = this.shapeOf(count);
    if (shape !== -1) {
      this.head(tag.SHAPED, shape);
      return this.shapes[shape] as readonly string[];
    }
    const names = scratch.slice(0, count);
    if (this.shapeCount < tag.MAX_SHAPES) this.shapes[this.shapeCount++] = names;
    this.head(tag.OBJECT, count);
    for (let index = 0; index < count; index++) this.key(names[index] as string);
    return names;
  }

  /** The number of the shape with the first `count` names of `scratch`, or -1. */
  private shapeOf(count: number): number {
    const { scratch, shapes } = this;
    for (let shape = 0; shape < this.shapeCount; shape++) {
      const known = shapes[shape] as readonly string[];
      if (known.length !== count) continue;
      let same = 0;
      while (same < count && known[same] === scratch[same]) same++;
      if (same === count) return shape;
    }
    return -1;
  }

  private array(value: unknown[]): void {
    const { length } = value;
    const count = keys(value).length;
    if (length - count > MAX_HOLES) throw UNKNOWN;
    let holes = 0;
    this.head(tag.ARRAY, length);
    for (let index = 0; index < length; index++) {
      const item = value[index];
      if (item === undefined && !Object.hasOwn(value, index)) {
        this.room(1);
        this.head(tag.HOLE, 0);
        holes++;
      } else {
        this.write(item);
      }
    }
    // The sum is off when there are properties beside the indices, as on the result of a RegExp.
    if (count + holes !== length) throw UNKNOWN;
  }

  private special(value: object, prototype: object): void {
    const view = viewTags.get(prototype);
    if (view !== undefined) this.view(value, view);
    else if (prototype === Date.prototype && types.isDate(value)) this.date(value);
    else if (prototype === Map.prototype && types.isMap(value)) this.map(value);
    else if (prototype === Set.prototype && types.isSet(value)) this.set(value);
    else if (prototype === ArrayBuffer.prototype && types.isArrayBuffer(value)) this.buffer(value);
    else if (prototype === RegExp.prototype && types.isRegExp(value)) this.regexp(value);
    else throw UNKNOWN;
  }

  private date(value: Date): void {
    this.head(tag.DATE, 0);
    this.float(Date.prototype.getTime.call(value));
  }

  private regexp(value: RegExp): void {
    this.head(tag.REGEXP, 0);
    this.string(value.source);
    this.string(value.flags);
  }

  private map(value: ReadonlyMap<unknown, unknown>): void {
    const entries = [...Map.prototype.entries.call(value)];
    this.head(tag.MAP, entries.length);
    for (const [key, item] of entries) {
      this.write(key);
      this.write(item);
    }
  }

  private set(value: ReadonlySet<unknown>): void {
    const items = [...Set.prototype.values.call(value)];
    this.head(tag.SET, items.length);
    for (const item of items) this.write(item);
  }

  private view(value: object, kind: number): void {
    if (!ArrayBuffer.isView(value) || kind !== kindOfView(value)) throw UNKNOWN;
    const isDataView = kind === VIEWS.length - 1;
    const buffer = isDataView ? (value as DataView).buffer : bufferOf.call(value);
    this.head(tag.VIEW, kind);
    this.words[this.at++] = value.byteOffset;
    this.words[this.at++] = isDataView ? value.byteLength : (value as Uint8Array).length;
    this.room(8);
    if (!types.isArrayBuffer(buffer)) throw UNKNOWN;
    if (!this.repeated(buffer)) this.buffer(buffer);
  }

  private buffer(value: ArrayBuffer): void {
    const { byteLength } = value;
    const { resizable, detached } = value as { resizable?: boolean; detached?: boolean };
    if (resizable === true || detached === true || keys(value).length > 0) throw UNKNOWN;
    if (detached === undefined && byteLength === 0 && isDetached(value)) throw UNKNOWN;
    if (byteLength >= BULK_BYTES) {
      this.bulk(new Uint8Array(value));
      return;
    }
    this.room(((byteLength + 3) >> 2) + 1);
    this.head(tag.BUFFER, byteLength);
    this.bytes.set(new Uint8Array(value), this.at * 4);
    this.at += (byteLength + 3) >> 2;
  }

  private bulk(bytes: Uint8Array): void {
    const address = bytes.length > tag.INLINE_MAX ? -1 : (this.lend?.(bytes) ?? -1);
    if (address !== -1) {
      this.head(tag.BULK, bytes.length);
      this.words[this.at++] = address;
      return;
    }
    this.externals ??= [];
    this.head(tag.EXTERNAL, this.externals.length);
    this.externals.push(copyOf(bytes));
  }
}

function kindOfView(value: ArrayBufferView): number {
  return VIEWS.findIndex((view) => view.name === (types.isDataView(value) ? 'DataView' : tagOf.call(value)));
}

const tagOf = Object.getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)
  ?.get as (this: unknown) => string;

/** Has somebody given every object an enumerable property? Then our loops over keys would meet it. */
function isPolluted(): boolean {
  for (const _ in NOTHING) return true;
  return false;
}

/** For Node 20, whose buffers do not say it. */
function isDetached(buffer: ArrayBuffer): boolean {
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}
