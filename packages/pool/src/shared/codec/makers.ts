/** What makers take values from: a `Decoder`. */
export interface Reader {
  read(): unknown;
  /** Puts the next values into an object, under these names. */
  fill(target: object, names: readonly string[]): object;
}

/** Makes an object of one shape out of the values that the decoder reads next. */
export type Maker = (reader: Reader) => object;

/** The decoder's side: the shapes that one encoder has announced. */
export class Makers {
  readonly #names: (readonly string[])[] = [];
  readonly #makers: Maker[] = [];
  readonly #fetch: () => void;

  /** `fetch` reads announcements that have not been read; an announcement is posted before it is used. */
  constructor(fetch: () => void = () => {}) {
    this.#fetch = fetch;
  }

  add(shape: number, names: readonly string[]): void {
    this.#names[shape] = names;
    this.#makers[shape] = makerOf(names);
  }

  maker(shape: number): Maker {
    return this.#makers[shape] ?? this.#fetched(this.#makers, shape);
  }

  namesOf(shape: number): readonly string[] {
    return this.#names[shape] ?? this.#fetched(this.#names, shape);
  }

  #fetched<Item>(from: Item[], shape: number): Item {
    this.#fetch();
    return from[shape] as Item;
  }
}

/**
 * A literal in generated code gives an object all its properties at once, where a loop over names looks each of them up:
 * half of the time that decoding takes. Nothing of a name enters the code but as a JSON string.
 */
function makerOf(names: readonly string[]): Maker {
  const members = names.map((name) => {
    const quoted = JSON.stringify(name);
    // Without the brackets it would set the prototype.
    return `${name === '__proto__' ? `[${quoted}]` : quoted}: decoder.read()`;
  });
  try {
    return new Function('decoder', `return { ${members.join(', ')} };`) as Maker;
  } catch {
    // --disallow-code-generation-from-strings
    return (decoder) => decoder.fill({}, names);
  }
}
