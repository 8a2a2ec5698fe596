export interface Reader {
  read(): unknown;
  fill(target: object, names: readonly string[]): object;
}

/** A shape that an encoder has announced. */
export interface Maker {
  readonly names: readonly string[];
  readonly make: (reader: Reader) => object;
}

export class Makers {
  readonly #shapes: Maker[] = [];
  readonly #fetch: () => void;

  /** @param fetch reads further announcements; each is posted before its shape is used */
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

/** An object literal in generated code takes half of the time of a loop. Names enter the code only as JSON strings. */
function makerOf(names: readonly string[]): Maker['make'] {
  // Without brackets, `__proto__` would set the prototype.
  const keys = names.map((name) => (name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)));
  const members = keys.map((key) => `${key}: decoder.read()`);
  try {
    return new Function('decoder', `return { ${members.join(', ')} };`) as Maker['make'];
  } catch {
    // Node runs with --disallow-code-generation-from-strings.
    return (decoder) => decoder.fill({}, names);
  }
}
