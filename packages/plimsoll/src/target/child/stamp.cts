/** A field on a foreign object: adding a symbol is cheaper than a WeakMap entry, which busy servers feel. */
function stamp<Value>(): {
  put: (object: object, value: Value) => void;
  get: (object: object) => Value | undefined;
} {
  const field = Symbol('plimsoll');
  type Stamped = { [field]?: Value };
  return {
    put(object, value) {
      (object as Stamped)[field] = value;
    },
    get: (object) => (object as Stamped)[field],
  };
}

export = stamp;
