import fc from 'fast-check';

const text = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 80 });
const latin = fc.string({ maxLength: 80 });
export const leaf = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(-0, 2 ** 26, -(2 ** 26), 2 ** 26 - 1, 2 ** 31, -(2 ** 31), Number.NaN, undefined, null),
  fc.boolean(),
  text,
  latin,
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.date({ noInvalidDate: false }),
  fc.constantFrom(/a/g, /\u{1f600}/u, /x\/y/),
  fc.uint8Array(),
  fc.int16Array(),
  fc.float64Array(),
  fc.bigInt64Array(),
  fc.uint8ClampedArray(),
  fc.uint8Array().map((bytes) => new DataView(bytes.buffer, bytes.length >> 1)),
  fc.uint8Array().map((bytes) => bytes.subarray(bytes.length >> 1)),
  fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  fc.uint8Array({ minLength: 1 }).map((bytes) => bytes.buffer),
);

/** Containers of every kind whose edges are drawn at random, so that cycles and sharing are common. */
export const graphs = fc
  .tuple(
    fc.array(fc.constantFrom('object', 'array', 'map', 'set'), { minLength: 1, maxLength: 30 }),
    fc.array(fc.tuple(fc.nat(), fc.nat(), text), { maxLength: 90 }),
    fc.array(leaf, { minLength: 1, maxLength: 20 }),
  )
  .map(([kinds, edges, leaves]) => {
    const nodes: unknown[] = kinds.map((kind) =>
      kind === 'object' ? {} : kind === 'array' ? [] : kind === 'map' ? new Map() : new Set(),
    );
    const targets = [...nodes, ...leaves];
    for (const [from, to, key] of edges) {
      const node = nodes[from % nodes.length];
      const target = targets[to % targets.length];
      if (Array.isArray(node)) node.push(target);
      else if (node instanceof Map) node.set(to % 3 === 0 ? target : key, target);
      else if (node instanceof Set) node.add(target);
      else Object.defineProperty(node, key, { value: target, enumerable: true, configurable: true });
    }
    return nodes[0];
  });

const mixture = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
  key: fc.oneof(text, fc.constantFrom('__proto__', 'constructor', '0', '-1', '1.5')),
});

/** Whatever else there is, some of which only structured clone can copy. */
export const anything = fc.oneof({ arbitrary: mixture, weight: 8 }, fc.bigInt(-(2n ** 70n), 2n ** 70n));
