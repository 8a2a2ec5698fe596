/**
 * A field on an object of the program. A symbol is cheaper to add than a private field or an entry in a WeakMap, which a server with
 * 100,000 requests a second feels.
 */
function stamp<Value>(): {
  put: (object: object, value: Value) => void;
  get: (object: object) => Value | undefined;
} {
  const field = Symbol('plimsoll');
  return {
    put(object, value) {
      (object as { [field]?: Value })[field] = value;
    },
    get: (object) => (object as { [field]?: Value })[field],
  };
}

export = stamp;
