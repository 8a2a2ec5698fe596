/** 32 bits of everything that makes a value what it is, for both sides: values, order, and which objects are the same. */
export function checksum(value) {
  const sum = new Sum();
  sum.add(value);
  return sum.result;
}

const TAGS = new Map(
  [
    'undefined',
    'null',
    'boolean',
    'number',
    'bigint',
    'string',
    'again',
    'hole',
    'array',
    'object',
    'view',
    'buffer',
  ]
    .concat(['Map', 'Set', 'Date', 'RegExp', 'Error'])
    .map((name, index) => [name, index + 1]),
);
const float = new Float64Array(1);
const halves = new Uint32Array(float.buffer);

class Sum {
  result = 0x811c9dc5;
  /** Objects by the order in which they were met. */
  #known = new Map();

  add(value) {
    if (typeof value === 'object' && value !== null) {
      this.#object(value);
      return;
    }
    this.#tag(value === null ? 'null' : typeof value);
    if (typeof value === 'number') this.#number(value);
    else if (typeof value === 'string') this.#text(value);
    else if (typeof value === 'bigint') this.#text(value.toString(36));
    else if (typeof value === 'boolean') this.#mix(value ? 1 : 0);
    else if (value !== undefined && value !== null) throw new TypeError(`no checksum for a ${typeof value}`);
  }

  #object(value) {
    const number = this.#known.get(value);
    if (number !== undefined) {
      this.#tag('again');
      this.#mix(number);
      return;
    }
    this.#known.set(value, this.#known.size);
    if (Array.isArray(value)) this.#array(value);
    else if (value instanceof Map) this.#list('Map', [...value].flat());
    else if (value instanceof Set) this.#list('Set', [...value]);
    else if (value instanceof Date) this.#list('Date', [value.getTime()]);
    else if (value instanceof RegExp) this.#list('RegExp', [value.source, value.flags]);
    else if (value instanceof Error) this.#list('Error', [value.name, value.message, value.cause]);
    else if (ArrayBuffer.isView(value)) this.#view(value);
    else if (value instanceof ArrayBuffer) this.#bytes(value);
    else this.#properties('object', value);
  }

  #array(value) {
    this.#tag('array');
    this.#mix(value.length);
    for (let index = 0; index < value.length; index++) {
      if (Object.hasOwn(value, index)) this.add(value[index]);
      else this.#tag('hole');
    }
  }

  #properties(tag, value) {
    const keys = Object.keys(value);
    this.#tag(tag);
    this.#mix(keys.length);
    for (const key of keys) {
      this.#text(key);
      this.add(value[key]);
    }
  }

  #list(tag, values) {
    this.#tag(tag);
    this.#mix(values.length);
    for (const value of values) this.add(value);
  }

  #view(value) {
    this.#list('view', [value.constructor.name, value.byteOffset, value.byteLength, value.buffer]);
  }

  #bytes(buffer) {
    this.#tag('buffer');
    this.#mix(buffer.byteLength);
    const words = buffer.byteLength >> 2;
    let hash = this.result;
    for (const word of new Uint32Array(buffer, 0, words)) hash = step(hash, word);
    for (const byte of new Uint8Array(buffer, words * 4)) hash = step(hash, byte);
    this.result = hash;
  }

  #text(text) {
    this.#mix(text.length);
    let hash = this.result;
    for (let at = 0; at < text.length; at++) hash = step(hash, text.charCodeAt(at));
    this.result = hash;
  }

  /** Also tells -0 from 0; all NaNs are one. */
  #number(value) {
    float[0] = value;
    this.#mix(halves[0]);
    this.#mix(halves[1]);
  }

  #tag(name) {
    this.#mix(TAGS.get(name));
  }

  #mix(word) {
    this.result = step(this.result, word);
  }
}

const step = (hash, word) => {
  const mixed = Math.imul(hash ^ word, 0x01000193);
  return (mixed ^ (mixed >>> 15)) >>> 0;
};
