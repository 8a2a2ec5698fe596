import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Decoder, memoryOf } from '../dist/shared/codec/decode.js';
import { Encoder } from '../dist/shared/codec/encode.js';
import { Makers } from '../dist/shared/codec/makers.js';
import { anything, graphs, leaf } from './arbitraries.js';
import { assertSameGraph } from './graph.js';

const makers = new Makers();
const encoder = new Encoder(16, undefined, (number, names) => makers.add(number, names));
const decoder = new Decoder(makers);

/** Through the codec and back; `undefined` when the value is left to structured clone. */
function roundTrip(value: unknown): { value: unknown } | undefined {
  const encoded = encoder.encode(value);
  if (encoded === undefined) return undefined;
  const shared = memoryOf(new SharedArrayBuffer((encoded.length + 3) * 4));
  shared.words.set(encoded.words.subarray(0, encoded.length), 3);
  const result = decoder.decode(shared, 3, encoded.length, encoded.encodingFlags, encoded.externals);
  shared.words.fill(-1);
  return { value: result };
}

function assertLikeStructuredClone(value: unknown, mustKnow = true): void {
  const result = roundTrip(value);
  if (result === undefined) assert.ok(!mustKnow, 'the codec left a value that it should know');
  else assertSameGraph(result.value, structuredClone(value));
}

test('any leaf comes back as structuredClone gives it', () => {
  fc.assert(fc.property(leaf, (value) => assertLikeStructuredClone(value)));
});

test('graphs with cycles and shared references come back as structuredClone gives them', () => {
  fc.assert(
    fc.property(graphs, (value) => assertLikeStructuredClone(value)),
    { numRuns: 500 },
  );
});

test('anything else comes back as structuredClone gives it, or is left to it', () => {
  fc.assert(
    fc.property(anything, (value) => assertLikeStructuredClone(value, false)),
    { numRuns: 1000 },
  );
});

test('large strings and buffers', () => {
  for (const length of [24, 25, 26, 27, 28, 100_000]) {
    assertLikeStructuredClone('a'.repeat(length));
    assertLikeStructuredClone(`${'a'.repeat(length)}é`);
    assertLikeStructuredClone(`${'a'.repeat(length)}\ud800`);
    assertLikeStructuredClone(new Uint8Array(length).fill(7));
    assertLikeStructuredClone({ [`${'k'.repeat(length)}`]: 1 });
  }
});

test('several views share their buffer, before and after', () => {
  const bytes = new Uint8Array(100);
  assertLikeStructuredClone([bytes, new DataView(bytes.buffer, 8), bytes.subarray(4, 8), bytes.buffer]);
  const large = new Uint8Array(200_000).fill(3);
  assertLikeStructuredClone({ a: large, b: large.subarray(10), c: large.buffer });
});

test('arrays with holes or other properties are left to structured clone', () => {
  const holes: unknown[] = Object.assign(new Array(6), { 0: 1, 2: 3, 3: undefined });
  assert.equal(roundTrip(holes), undefined);
  assert.equal(roundTrip(new Array(70)), undefined);
  const extra = Object.assign([1, 2], { extra: 1 });
  assertLikeStructuredClone(extra, false);
  assert.equal(roundTrip(extra), undefined);
  const holeAndExtra = Object.assign(new Array(3), { 0: 1, 2: 3, index: 1 });
  assert.equal(roundTrip(holeAndExtra), undefined);
});

test('a property called __proto__ stays a property', () => {
  const value = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}');
  assertLikeStructuredClone(value);
  const result = roundTrip(value)?.value as Record<string, unknown>;
  assert.equal(Object.getPrototypeOf(result), Object.prototype);
  assert.equal(result.polluted, undefined);
});

test('what only structured clone can copy is left to it, and what it would refuse is refused', () => {
  class Point {
    x = 1;
  }
  const left: unknown[] = [
    new Point(),
    new Error('no'),
    2n ** 64n,
    Object.assign(new Array(3), { 0: 1, 2: 3 }),
    Object.assign(new Array(70), { 69: undefined }),
    new SharedArrayBuffer(8),
    new Number(1),
    Object.create(Map.prototype),
    Object.setPrototypeOf(new Uint8Array(3), Int8Array.prototype),
    (function args(..._rest: unknown[]) {
      // biome-ignore lint/complexity/noArguments: an arguments object is what is tested
      return arguments;
    })(1),
  ];
  for (const value of left) {
    assert.equal(roundTrip(value), undefined);
    assert.equal(roundTrip({ deep: [value] }), undefined);
  }
  for (const value of [new Proxy({}, {}), () => 1, Symbol('s'), new WeakMap(), Promise.resolve(1)]) {
    assert.throws(() => roundTrip(value), { name: 'DataCloneError' });
    assert.throws(() => roundTrip({ deep: [value] }), { name: 'DataCloneError' });
  }
  assertLikeStructuredClone({ works: 'afterwards' });
});

test('very deep values are left to structured clone', () => {
  let value: unknown = 0;
  for (let depth = 0; depth < 1000; depth++) value = [value];
  assert.equal(roundTrip(value), undefined);
  assertLikeStructuredClone([[[[0]]]]);
});

test('what a getter throws is thrown, and a getter may encode', () => {
  const failing = {
    get a(): number {
      throw new RangeError('from the getter');
    },
  };
  assert.throws(() => roundTrip(failing), /from the getter/);
  const nesting = {
    get inner(): unknown {
      return roundTrip({ x: [1, 2] })?.value;
    },
    after: 'yes',
  };
  assert.deepEqual(roundTrip(nesting)?.value, { inner: { x: [1, 2] }, after: 'yes' });
});

test('an enumerable property on every object is not taken for one of the value', () => {
  Object.defineProperty(Object.prototype, 'polluted', { value: 1, enumerable: true, configurable: true });
  try {
    assert.equal(roundTrip({ a: 1 }), undefined);
  } finally {
    Reflect.deleteProperty(Object.prototype, 'polluted');
  }
  assertLikeStructuredClone({ a: 1 });
});

test('an object that a getter changes while it is read is read like structured clone does', () => {
  const growing = (): unknown => {
    const object: Record<string, unknown> = {
      get first() {
        object.later = 1;
        return 1;
      },
    };
    return object;
  };
  const shrinking = (): unknown => {
    const object: Record<string, unknown> = {
      get first() {
        delete object.last;
        return 1;
      },
      last: 2,
    };
    return object;
  };
  // The later ones are expected to look like the first ones.
  for (let round = 0; round < 6; round++)
    for (const make of [growing, shrinking])
      assert.deepEqual(roundTrip(make())?.value, structuredClone(make()));
  assertLikeStructuredClone({ works: 'afterwards' });
});

test('objects that begin like those before them, and end otherwise', () => {
  const long = { a: 1, b: { c: 'x' }, d: [2] };
  for (const other of [{ a: 1 }, { a: 1, b: 2, e: 3 }, { b: 1, a: 2 }, { ...long, f: long }, {}])
    for (let round = 0; round < 6; round++)
      assertLikeStructuredClone([long, long, other, { ...long }, other]);
  const own = JSON.parse(
    '{"a": 1, "__proto__": {"b": 2}, "c": "a key of more than twenty-four characters: "}',
  );
  own['a key of more than twenty-four characters'] = 'and a text of more than twenty-four characters';
  for (let round = 0; round < 6; round++) assertLikeStructuredClone([long, own]);
});

test('objects repeated often, far apart and among thousands', () => {
  const shared = Array.from({ length: 3000 }, (_, index) => ({ index }));
  assertLikeStructuredClone([shared, [...shared].reverse(), shared[0], { again: shared }]);
});
