/** What makers take values from: a `Decoder`. */
export interface Reader {
  read(): unknown;
  /** Puts the next values into an object, under these names. */
  fill(target: object, names: readonly string[]): object;
}

/** A shape that an encoder has announced. */
export interface Maker {
  readonly names: readonly string[];
  /** Makes an object of it out of the values that the decoder reads next. */
  readonly make: (reader: Reader) => object;
}

/** The decoder's side: the shapes that one encoder has announced. */
export class Makers {
  readonly #shapes: Maker[] = [];
  readonly #fetch: () => void;

  /** `fetch` reads announcements that have not been read; an announcement is posted before it is used. */
  constructor(fetch: () => void = () => {}) {
    this.#fetch = fetch;
  }

  add(shape: number, names: readonly string[]): void {
    this.#shapes[shape] = { names, make: makerOf(names) };
  }

  of(shape: number): Maker {
    if (this.#shapes[shape] === undefined) this.#fetch();
    return this.#shapes[shape] as Maker;
  }
}

/**
 * A literal in generated code gives an object all its properties at once, where a loop over names looks each of them up:
 * half of the time that decoding takes. Nothing of a name enters the code but as a JSON string.
 */
function makerOf(names: readonly string[]): Maker['make'] {
  // Without the brackets `__proto__` would set the prototype.
  const keys = names.map((name) => (name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)));
  const members = keys.map((key) => `${key}: decoder.read()`);
  try {
    return new Function('decoder', `return { ${members.join(', ')} };`) as Maker['make'];
  } catch {
    // --disallow-code-generation-from-strings
    return (decoder) => decoder.fill({}, names);
  }
}
