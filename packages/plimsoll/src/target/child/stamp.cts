class Given {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: a class that extends this gives its field to what is returned
    return object;
  }
}

/**
 * A private field on an object of somebody else's: nobody else can see it, and it is found without a map.
 *
 * @returns how it is put there, once for an object, and how it is read.
 */
function stamp<Value>(): {
  put: (object: object, value: Value) => void;
  get: (object: object) => Value | undefined;
} {
  class Stamped extends Given {
    #value: Value;

    constructor(object: object, value: Value) {
      super(object);
      this.#value = value;
    }

    static get(object: object): Value | undefined {
      return #value in object ? (object as Stamped).#value : undefined;
    }
  }
  return { put: (object, value) => void new Stamped(object, value), get: Stamped.get };
}

export = stamp;
