import { trimmerOf } from '../trimmer.js';
import * as tag from './tags.js';
import { floats, floatWords, type RawBuffer, rawBuffer, TAG_BITS, UNKNOWN } from './tags.js';

export const SHORT_STRING = 24;
/** SHORT_STRING from a message's first long list on: its strings are many and rarely repeat. */
export const SHORT_IN_LIST = 3;
/** Longer strings, up to this length, are TEXTs. */
const LONGEST_TEXT = 512;
/** Characters per block. Joining more takes twice as long. */
const LONG_BLOCK = 2048;
const NOT_LATIN1 = /[^\0-\xff]/;
/** Buffers and texts from this size on travel beside the words, which saves a copy. */
export const BULK_BYTES = 64 * 1024;

export const FEWEST_WORDS = 4096;
/** Words that are kept even if no message needs them. */
const MOST_SPARE = 2 ** 16;

export type Write = (memory: RawBuffer, at: number) => void;

/**
 * Has a large buffer or text written to shared memory, which leaves no garbage, and returns its address. -1:
 * transfer a copy instead. LATER: leave the whole value to the caller, as if only structured clone could copy it.
 */
export type Lend = (length: number, write: Write, isText: boolean) => number;

export const LATER = -2;

/** Writes values without parts. Its methods take the index of the next free word, and return that of the one after. */
export class Writer {
  protected words: Int32Array<ArrayBuffer>;
  protected bytes: RawBuffer;
  protected busy = false;
  protected encodingFlags = 0;
  /** The texts of the unfinished block, and where the first of them refers to the block. */
  protected text = '';
  #firstText = 0;
  protected shortest = SHORT_STRING;
  protected externals: ArrayBuffer[] | undefined;
  protected bulkBytes = 0;
  /** The index and the item after the last run of numbers. */
  protected index = 0;
  protected item: unknown;
  /** Words of the longest message since the last `trim`. */
  protected longest = 0;
  readonly #lend: Lend | undefined;
  readonly #trimmer = trimmerOf(() => this.trim());

  constructor(words = FEWEST_WORDS, lend?: Lend) {
    this.#lend = lend;
    this.words = new Int32Array(words);
    this.bytes = rawBuffer(this.words.buffer);
  }

  protected use(words: Int32Array<ArrayBuffer>): void {
    // First: this may throw, and both fields must belong together.
    this.bytes = rawBuffer(words.buffer);
    this.words = words;
  }

  protected room(at: number, words: number): void {
    if (at + words <= this.words.length) return;
    const larger = new Int32Array(Math.max(this.words.length * 2, at + words));
    larger.set(this.words.subarray(0, at));
    this.use(larger);
    if (larger.length > MOST_SPARE) this.#trimmer();
  }

  /** Gives up memory that no message has needed since the last call. Returns whether much is left. */
  trim(): boolean {
    const isSpare = !this.busy && this.longest < this.words.length / 4;
    if (isSpare && this.words.length > MOST_SPARE) this.use(new Int32Array(FEWEST_WORDS));
    this.longest = 0;
    return this.words.length > MOST_SPARE;
  }

  protected head(kind: number, payload: number, at: number): number {
    this.words[at] = (payload << TAG_BITS) | kind;
    return at + 1;
  }

  protected number(value: number, at: number): number {
    const whole = value | 0;
    const isSmall = whole === value && whole <= tag.INLINE_MAX && whole >= tag.INLINE_MIN;
    if (isSmall && !Object.is(value, -0)) return this.head(tag.SMALL, whole, at);
    return this.float(value, this.head(tag.FLOAT, 0, at));
  }

  protected float(value: number, at: number): number {
    floats[0] = value;
    return this.#twoWords(at);
  }

  #twoWords(at: number): number {
    this.words[at] = floatWords[0] as number;
    this.words[at + 1] = floatWords[1] as number;
    return at + 2;
  }

  protected bigint(value: bigint, at: number): number {
    if (BigInt.asIntN(64, value) !== value) throw UNKNOWN;
    tag.bigints[0] = value;
    return this.#twoWords(this.head(tag.BIGINT, 0, at));
  }

  protected string(value: string, at: number, shortest = this.shortest): number {
    const length = value.length;
    if (length > tag.INLINE_MAX) throw UNKNOWN;
    if (length > shortest && length <= LONGEST_TEXT) return this.#intoBlock(value, at);
    const isWide = length > SHORT_STRING && NOT_LATIN1.test(value);
    const end = length < BULK_BYTES ? -1 : this.#long(value, isWide, at);
    if (end >= 0) return end;
    this.room(at, ((length * 2 + 3) >> 2) + 2);
    const packed = length > SHORT_STRING ? -1 : this.#shortString(value, length, at);
    if (packed !== -1) return packed;
    if (isWide || length <= SHORT_STRING) {
      this.bytes.ucs2Write(value, this.head(tag.UTF16, length, at) * 4, length * 2);
      return at + 1 + ((length * 2 + 3) >> 2);
    }
    this.bytes.latin1Write(value, this.head(tag.LATIN1, length, at) * 4, length);
    return at + 1 + ((length + 3) >> 2);
  }

  /** Apart from `string`, because each call of this allocates its closure's variables. */
  #long(value: string, isWide: boolean, at: number): number {
    const { length } = value;
    const head = tag.headOf(length);
    const write: Write = (memory, start) =>
      isWide ? memory.ucs2Write(value, start, length * 2) : memory.latin1Write(value, start + head, length);
    return this.lent(tag.LONG, isWide ? -length : length, isWide ? length * 2 : head + length, write, at);
  }

  /** Returns -1 or LATER as `Lend` does; otherwise writes the address. */
  protected lent(kind: number, payload: number, bytes: number, write: Write, at: number): number {
    const address = this.#lend?.(bytes, write, kind === tag.LONG) ?? -1;
    if (address === -1 || address === LATER) return address;
    this.bulkBytes += bytes;
    this.room(at, 2);
    this.words[at + 1] = address;
    return this.head(kind, payload, at) + 1;
  }

  #intoBlock(value: string, start: number): number {
    const isFirst = this.text === '' || this.text.length >= LONG_BLOCK;
    const at = isFirst ? this.endBlock(start) : start;
    this.room(at, 2);
    this.text += value;
    if (!isFirst) return this.head(tag.TEXT, value.length, at);
    this.#firstText = at + 1;
    return this.head(tag.FIRST_TEXT, value.length, at) + 1;
  }

  protected endBlock(at: number): number {
    const { text } = this;
    if (text === '') return at;
    const isWide = NOT_LATIN1.test(text);
    const words = ((isWide ? text.length * 2 : text.length) + 3) >> 2;
    this.room(at, words + 1);
    this.words[this.#firstText] = at - this.#firstText;
    const start = this.head(tag.BLOCK, isWide ? -words : words, at) * 4;
    if (isWide) this.bytes.ucs2Write(text, start, text.length * 2);
    else this.bytes.latin1Write(text, start, text.length);
    this.text = '';
    return at + 1 + words;
  }

  /** Packs characters itself, which is faster than a native call. Returns -1 if a character needs two bytes. */
  #shortString(value: string, length: number, start: number): number {
    const words = this.words;
    let at = this.head(tag.LATIN1, length, start);
    let total = 0;
    for (let index = 0; index < length; index += 4) {
      const first = value.charCodeAt(index);
      const second = index + 1 < length ? value.charCodeAt(index + 1) : 0;
      const third = index + 2 < length ? value.charCodeAt(index + 2) : 0;
      const fourth = index + 3 < length ? value.charCodeAt(index + 3) : 0;
      total |= first | second | third | fourth;
      words[at++] = first | (second << 8) | (third << 16) | (fourth << 24);
    }
    return total > 0xff ? -1 : at;
  }

  /** Writes numbers without heads. Leaves the item after them in `item`, so that no getter is called twice. */
  protected numbers(list: readonly unknown[], first: number, from: number, length: number, start: number) {
    this.room(start, (length - from) * 2 + 2);
    const words = this.words;
    let index = from;
    let item: unknown = first;
    let at = start + 1;
    while (typeof item === 'number' && (item | 0) === item && (item !== 0 || 1 / item > 0)) {
      words[at++] = item;
      item = ++index < length ? list[index] : undefined;
    }
    if (index === from) at--;
    else this.head(tag.INTS, index - from, start);
    const middle = index;
    const head = at++;
    while (typeof item === 'number') {
      floats[0] = item;
      words[at] = floatWords[0] as number;
      words[at + 1] = floatWords[1] as number;
      at += 2;
      item = ++index < length ? list[index] : undefined;
    }
    if (index === middle) at--;
    else this.head(tag.FLOATS, index - middle, head);
    this.index = index;
    this.item = item;
    return at;
  }
}
