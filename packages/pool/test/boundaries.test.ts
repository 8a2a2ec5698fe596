import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Decoder, memoryOf } from '../dist/shared/codec/decode.js';
import { Encoder } from '../dist/shared/codec/encode.js';
import { Makers } from '../dist/shared/codec/makers.js';
import type { RawBuffer } from '../dist/shared/codec/tags.js';
import { assertSameGraph } from './graph.js';

// Values on both sides of each size from which on the codec goes another way.

/** As the two sides of a pool have it: memory for large buffers and texts, up to some size. */
function codec(limit = 2 ** 18, first = 0) {
  const makers = new Makers();
  const lent = memoryOf(new SharedArrayBuffer(2 ** 22));
  let next = 0;
  let loans = 0;
  const announced: (readonly string[])[] = [];
  const lend = (bytes: number, write: (memory: RawBuffer, at: number) => void): number => {
    if (bytes > limit) return -1;
    const at = next;
    next += bytes + 3;
    loans++;
    write(lent.bytes, at);
    return first + at;
  };
  const encoder = new Encoder(16, lend, (number, names) => {
    makers.add(number, names);
    announced.push(names);
  });
  const decoder = new Decoder(makers, (address, length) => {
    const at = address - first;
    return lent.bytes.subarray(at, at + length) as RawBuffer;
  });
  return {
    announced,
    loans: () => loans,
    /** Undefined when it is left to structured clone. */
    through(value: unknown): { value: unknown } | undefined {
      next = 0;
      const encoded = encoder.encode(value);
      if (encoded === undefined) return undefined;
      const { length, encodingFlags, externals } = encoded;
      // At an odd word, so that nothing can count on floats being where eight bytes begin.
      const shared = memoryOf(new SharedArrayBuffer((length + 1) * 4));
      shared.words.set(encoded.words.subarray(0, length), 1);
      return { value: decoder.decode(shared, 1, length, encodingFlags, externals) };
    },
  };
}

function assertLike(value: unknown, ends = codec()): void {
  const result = ends.through(value);
  assert.ok(result, 'left to structured clone');
  assertSameGraph(result.value, structuredClone(value));
}

/** Around numbers at which something changes. */
const around = (...sizes: number[]) =>
  fc.constantFrom(...sizes.flatMap((size) => [size - 1, size, size + 1])).filter((size) => size >= 0);
const number = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(-0, 0, Number.NaN, 2 ** 31, 2 ** 31 - 1, -(2 ** 31), -(2 ** 31) - 1),
);
const text = fc
  .tuple(around(1, 3, 4, 24, 25, 512), fc.constantFrom('a', 'é', '字', '\ud800'))
  .map(([length, end]) => 'x'.repeat(length) + end);
const shared = { shared: true };
const other = fc.oneof(text, fc.constantFrom(undefined, null, true, 5n, shared, [shared]), number);

/** Runs of one kind after another, some of which are holes. */
const runs = fc.array(
  fc.oneof(
    fc.tuple(fc.constant('number'), fc.array(number, { maxLength: 40 })),
    fc.tuple(fc.constant('integer'), fc.array(fc.integer(), { maxLength: 40 })),
    fc.tuple(fc.constant('hole'), fc.array(fc.constant(undefined), { maxLength: 3 })),
    fc.tuple(fc.constant('other'), fc.array(other, { maxLength: 20 })),
  ),
  { maxLength: 8 },
);

test('arrays of runs of numbers, texts, holes and whatever else', () => {
  const ends = codec();
  const property = fc.property(runs, around(32), fc.boolean(), (parts, length, isCut) => {
    const value: unknown[] = [];
    for (const [kind, items] of parts)
      for (const item of items) {
        if (kind === 'hole') value.length++;
        else value.push(item);
      }
    if (isCut) value.length = length;
    const hasHoles = Object.keys(value).length < value.length;
    if (hasHoles) assert.equal(ends.through({ value }), undefined);
    else assertLike({ value, after: [value, shared] }, ends);
  });
  fc.assert(property, { numRuns: 500 });
});

test('numbers alone, for each length up to a hundred', () => {
  for (let length = 0; length < 100; length++) {
    assertLike(Array.from({ length }, (_, index) => index - 2));
    assertLike(Array.from({ length }, (_, index) => index / 2));
    assertLike(Array.from({ length }, (_, index) => (index === length - 1 ? -0 : index)));
    assertLike(Array.from({ length }, (_, index) => (index === length - 1 ? 'end' : index)));
  }
});

test('texts alone, and another kind before, among and after them', () => {
  const ends = codec();
  for (const size of [3, 4, 5, 511, 512, 513]) {
    for (const odd of ['', 'x'.repeat(3), 'é'.repeat(600), '字'.repeat(40), 7, 0.5, undefined, { a: 1 }]) {
      for (const place of [0, 20, 32]) {
        const value: unknown[] = Array.from({ length: 33 }, (_, index) => `${index}`.padEnd(size, 'é'));
        assertLike(value, ends);
        value[place] = odd;
        assertLike([value, 'and a text after it', value], ends);
      }
    }
  }
});

test('a long array with properties beside its indices is left to structured clone', () => {
  for (const length of [31, 32, 1000]) {
    for (const make of [() => 1, () => 'text', () => ({})]) {
      const value = Array.from({ length }, make);
      assert.ok(codec().through(value));
      const beside: [PropertyKey, PropertyDescriptor][] = [
        ['more', { value: 1, enumerable: true }],
        ['-1', { value: 1, enumerable: true }],
        ['constructor', { value: Array, enumerable: true }],
      ];
      for (const [name, descriptor] of beside)
        assert.equal(codec().through(Object.defineProperty([...value], name, descriptor)), undefined);
      const throwing = { get: () => assert.fail('called'), configurable: true };
      assertLike(Object.defineProperty([...value], 'unseen', throwing));
      assertLike(Object.defineProperty([...value], Symbol.toStringTag, { value: 'more items' }));
    }
  }
});

test('sparse arrays are left to structured clone', () => {
  for (const length of [3, 33, 1000, 5000]) {
    const value = Object.assign(new Array(length), { 0: 1, 1: 2 });
    assert.equal(codec().through(value), undefined);
  }
});

test('a getter inside a run of numbers is called once', () => {
  for (const got of ['text', 1, 0.5]) {
    let calls = 0;
    const value: unknown[] = Array.from({ length: 50 }, (_, index) => index);
    const get = () => {
      calls++;
      return got;
    };
    Object.defineProperty(value, 20, { get, enumerable: true });
    const result = codec().through(value);
    assert.deepEqual((result as { value: unknown[] }).value[20], got);
    assert.equal(calls, 1);
  }
});

test('dictionaries on both sides of each number of keys, with new keys and the same again', () => {
  for (const count of [63, 64, 65, 127, 128, 129, 1019, 1020, 1021]) {
    const ends = codec();
    for (const isNew of [true, false]) {
      for (let round = 0; round < 7; round++) {
        const of = (index: number): string => (isNew ? `key ${round} ${index}` : `key ${index}`);
        const value = Object.fromEntries(Array.from({ length: count }, (_, index) => [of(index), index]));
        assertLike([value, { value, ['__proto__']: 1 }, { ...value }], ends);
        assertLike({ ...value, more: round }, ends);
      }
    }
    assert.equal(
      ends.announced.some((names) => names.length === count),
      count <= 1020,
      `${count} keys`,
    );
  }
});

test('wide objects with keys that every object inherits, or that are indices', () => {
  const ends = codec();
  for (let round = 0; round < 7; round++) {
    const value = JSON.parse(
      `{${Array.from({ length: 200 }, (_, index) => `"${index % 2 === 0 ? index : `key ${round}`}${index}": 1`)}}`,
    );
    const own = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "toString": 3}');
    const both = Object.assign(JSON.parse('{"__proto__": 1}'), value, { toString: 1, valueOf: own });
    assertLike([value, both, own], ends);
    assertLike({ again: value, and: [value] }, ends);
    assert.equal(Object.getPrototypeOf(ends.through(both)?.value), Object.prototype);
  }
});

test('so many wide shapes that some are forgotten', () => {
  const ends = codec();
  for (let round = 0; round < 400; round++) {
    const count = 65 + (round % 100);
    assertLike(
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${round % 100} ${index}`, 1])),
      ends,
    );
  }
});

test('objects with very many keys are left to structured clone', () => {
  const ofKeys = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, 1]));
  assertLike(ofKeys(2 ** 14 - 1));
  assert.equal(codec().through(ofKeys(2 ** 14 + 1)), undefined);
});

test('Maps and Sets of as many entries as make a long list', () => {
  for (const count of [15, 16, 17, 31, 32, 33]) {
    const keys = Array.from({ length: count }, (_, index) => `key ${index}`);
    assertLike(
      new Map<unknown, unknown>(keys.map((key, index) => [key, index % 3 === 0 ? keys : 'é'.repeat(index)])),
    );
    assertLike(new Set<unknown>([...keys, shared, '字'.repeat(30)]));
  }
});

test('texts and buffers of as many bytes as are lent, and of more than can be', () => {
  for (const size of [2 ** 16 - 1, 2 ** 16, 2 ** 16 + 1, 2 ** 18, 2 ** 18 + 1]) {
    const ends = codec();
    const wide = '字'.repeat(size / 2);
    assertLike(['a'.repeat(size), 'é'.repeat(size), `${'a'.repeat(size - 1)}字`, wide], ends);
    assertLike({ bytes: new Uint8Array(size).fill(7), [`${'k'.repeat(size)}`]: 'a'.repeat(size) }, ends);
    // Of the largest, the wide text alone fits.
    assert.equal(ends.loans() > 0, size >= 2 ** 16);
  }
});

test('what is lent is at any address: those of a ring pass 2^31', () => {
  const ends = codec(undefined, -(2 ** 31));
  assertLike({ bytes: new Uint8Array(2 ** 16).fill(7), text: 'a'.repeat(2 ** 16), last: [1, 'b'] }, ends);
  assert.equal(ends.loans(), 2);
});

test('objects that are named again, before and behind as many as make a set of them full', () => {
  for (const count of [15, 16, 17, 18, 4095, 4096, 4097, 8192, 8193, 13_000]) {
    const objects = Array.from({ length: count }, (_, index) => ({ index }));
    const again = [0, 1, 15, 16, 4094, 4095, 4096, 8191, 8192, count - 1].map((index) => objects[index]);
    assertLike([objects, again, { isNew: true }, again, objects]);
    assertLike([...objects.slice(0, -1), again, ...objects]);
  }
});

test('texts of several blocks, some of them beyond Latin-1', () => {
  const texts = fc.array(fc.tuple(fc.constantFrom('a', 'é', '字'), around(3, 24, 512)), { maxLength: 60 });
  fc.assert(
    fc.property(texts, fc.boolean(), (parts, isMixed) => {
      const list = parts.map(([text, size]) => (isMixed ? { text: text.repeat(size) } : text.repeat(size)));
      assertLike([list, { last: 'of a block'.repeat(3), map: new Map(parts) }]);
    }),
    { numRuns: 300 },
  );
});
