class Given {
  // What a constructor returns is what a class that extends it stamps.
  // biome-ignore lint/correctness/noConstructorReturn: the object that is given gets the field
  constructor(object: object) {
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
