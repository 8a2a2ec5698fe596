/** Values of every kind that the codec has a way of its own for, and of sizes around each of its thresholds. */

const KiB = 1024;
const MiB = 1024 * KiB;

/**
 * Bytes: three in a word, words that are copied in a loop, a slot's 118 words, the encoder's first memory, buffers that are
 * lent, a block of the arena, halves of the two rings, all of the larger one.
 */
const SMALL_SIZES = [0, 3, 8, 48 * 4, 118 * 4, KiB, 4096 * 4];
const LARGE_SIZES = [64 * KiB, 128 * KiB, 512 * KiB, MiB];
const HUGE_SIZES = [4 * MiB, 8 * MiB];
/** Characters: read one by one, cached, TEXT from 25 to 512, blocks of texts, a slot, halves of the ring. */
const LENGTHS = [0, 1, 3, 4, 24, 25, 118 * 4, 512, 513, 1024, 4096];
const LARGE_LENGTHS = [64 * KiB, 256 * KiB, 512 * KiB, MiB];

const VIEWS = [
  ...[Uint8Array, Int8Array, Uint8ClampedArray, Uint16Array, Int16Array, Uint32Array, Int32Array],
  ...[Float32Array, Float64Array, BigUint64Array, BigInt64Array, DataView],
];
const NAMES = Array.from({ length: 40 }, (_, index) => `name${index.toString(36).repeat((index % 7) + 1)}`);
const ALPHABETS = ['abcdefghij', 'aäöüßÿ\u0000', 'aλж中\ud83d\ude00', '\ud800x\udfff'];
const SPECIAL = [
  0,
  -0,
  1,
  -1,
  0.5,
  Number.NaN,
  Infinity,
  -Infinity,
  2 ** 26 - 1,
  2 ** 26,
  -(2 ** 26),
  2 ** 53,
];

/** A little less than, as much as, or a little more than one of these. */
const around = (random, sizes, reach) => Math.max(0, random.of(sizes) + random.between(-reach, reach));

export function text(random, isLarge = false) {
  const length = isLarge ? around(random, LARGE_LENGTHS, 3) : around(random, LENGTHS, 2);
  const alphabet = random.of(ALPHABETS);
  let piece = '';
  for (let at = 0; at < Math.min(length, 64); at++) piece += alphabet[random.below(alphabet.length)];
  return piece.repeat(Math.ceil(length / 64)).slice(0, length);
}

/** A buffer of a size of one of three kinds. */
export function bytes(random, kind = 'small') {
  const sizes = { small: SMALL_SIZES, large: LARGE_SIZES, huge: HUGE_SIZES }[kind];
  const buffer = new ArrayBuffer(around(random, sizes, 9));
  const words = new Uint32Array(buffer, 0, buffer.byteLength >> 2);
  let word = random.bits();
  for (let at = 0; at < words.length; at++) {
    word = (Math.imul(word, 1664525) + 1013904223) >>> 0;
    words[at] = word;
  }
  new Uint8Array(buffer, words.length * 4).fill(word);
  return buffer;
}

/** A view of part of a buffer. */
export function view(random, kind) {
  const buffer = bytes(random, kind);
  const View = random.of(VIEWS);
  const size = View.BYTES_PER_ELEMENT ?? 1;
  const most = Math.floor(buffer.byteLength / size);
  const first = random.chance(0.7) ? 0 : random.below(most + 1);
  return new View(buffer, first * size, random.chance(0.7) ? most - first : random.below(most - first + 1));
}

/** Any value, of up to so many parts. */
export function nested(random, parts = 40, withErrors = true) {
  return new Nest(random, parts, withErrors).value(0);
}

class Nest {
  #random;
  #left;
  #withErrors;
  /** Objects that may be named again. */
  #known = [];

  constructor(random, parts, withErrors) {
    this.#random = random;
    this.#left = parts;
    this.#withErrors = withErrors;
  }

  value(depth) {
    const random = this.#random;
    this.#left--;
    if (depth > 6 || this.#left <= 0 || random.chance(depth === 0 ? 0.05 : 0.35)) return this.#leaf();
    if (this.#known.length > 0 && random.chance(0.08)) return random.of(this.#known);
    return this.#keep(this.#branch(depth));
  }

  #keep(object) {
    if (this.#random.chance(0.3)) this.#known.push(object);
    return object;
  }

  #leaf() {
    const random = this.#random;
    switch (random.below(9)) {
      case 0:
        return random.of([null, undefined, true, false]);
      case 1:
        return random.of(SPECIAL);
      case 2:
        return random.between(-1000, 1000);
      case 3:
        return random.unit() * 1e9;
      case 4:
        return BigInt(random.bits()) ** BigInt(random.below(5)) * (random.chance(0.5) ? 1n : -1n);
      case 5:
        return new Date(random.chance(0.1) ? Number.NaN : random.bits() * 1000);
      case 6:
        return new RegExp(`a{${random.below(9)}}`, random.of(['', 'g', 'iu']));
      case 7:
        return this.#keep(random.chance(0.5) ? view(random) : bytes(random));
      default:
        return text(random);
    }
  }

  #branch(depth) {
    const random = this.#random;
    const inner = () => this.value(depth + 1);
    const many = (most) => Array.from({ length: random.below(most) }, inner);
    switch (random.below(8)) {
      case 0:
        return new Map(many(6).map((value, index) => [index % 2 === 0 ? text(random) : value, inner()]));
      case 1:
        return new Set(many(6));
      case 2:
        if (!this.#withErrors) return many(3);
        return new RangeError(text(random), random.chance(0.5) ? { cause: inner() } : {});
      case 3:
        return this.#sparse(many(6));
      case 4:
        return this.#numbers();
      case 5:
        return many(8);
      default:
        return this.#object(many(8));
    }
  }

  /** With a hole, or itself inside. */
  #sparse(list) {
    if (this.#random.chance(0.5)) list.push(list);
    list.length += this.#random.below(3);
    return list;
  }

  #numbers() {
    const length = this.#random.of([47, 48, 49, 63, 64, 65, 115, 116, 117, 118, 119, 300]);
    return Array.from({ length }, (_, index) => index * (this.#random.chance(0.1) ? 0.5 : 1));
  }

  #object(values) {
    const random = this.#random;
    const object = {};
    for (const value of values) {
      const name = random.chance(0.9)
        ? random.of(NAMES)
        : random.of(['__proto__', '7', 'constructor', text(random)]);
      Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
    }
    return object;
  }
}

/** A value of any kind and size; most are small. */
export function value(random) {
  switch (
    random.weighted({ nested: 60, large: 4, text: 10, largeText: 2, view: 10, largeView: 3, hugeView: 0.2 })
  ) {
    case 'large':
      return nested(random, 2000);
    case 'text':
      return text(random);
    case 'largeText':
      return text(random, true);
    case 'view':
      return view(random);
    case 'largeView':
      return view(random, 'large');
    case 'hugeView':
      return view(random, 'huge');
    default:
      return nested(random);
  }
}

/** An array in an array in an array … around a number. */
export function deep(depth) {
  let inner = 7;
  for (let level = 0; level < depth; level++) inner = [inner];
  return inner;
}

export function depthOf(value) {
  let depth = 0;
  for (let inner = value; Array.isArray(inner); inner = inner[0]) depth++;
  return depth;
}
