import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Borrow, Decoder, memoryOf } from '../dist/shared/codec/decode.js';
import { Encoder } from '../dist/shared/codec/encode.js';
import { Makers } from '../dist/shared/codec/makers.js';
import { rawBuffer } from '../dist/shared/codec/tags.js';
import type { Lend } from '../dist/shared/codec/writer.js';
import { assertSameGraph } from './graph.js';

interface Codec {
  readonly encoder: Encoder;
  readonly decoder: Decoder;
  /** The keys that have got numbers. */
  readonly announced: (readonly string[])[];
}

function codec(lend?: Lend, borrow?: Borrow): Codec {
  const makers = new Makers();
  const announced: (readonly string[])[] = [];
  const encoder = new Encoder(16, lend, (number, names) => {
    makers.add(number, names);
    announced.push(names);
  });
  return { encoder, decoder: new Decoder(makers, borrow), announced };
}

/** Through the codec, or through structured clone when it leaves the value to that. */
function throughCodec({ encoder, decoder }: Codec, value: unknown): unknown {
  const encoded = encoder.encode(value);
  if (encoded === undefined) return structuredClone(value);
  const memory = memoryOf(new SharedArrayBuffer(encoded.length * 4));
  memory.words.set(encoded.words.subarray(0, encoded.length));
  return decoder.decode(memory, 0, encoded.length, encoded.encodingFlags, encoded.externals);
}

function assertLikeStructuredClone(value: unknown, own = codec()): void {
  const expected = structuredClone(value);
  for (let round = 0; round < 6; round++) assertSameGraph(throughCodec(own, value), expected);
}

/** Runs something in an environment that is put back afterwards. */
function withProperty(
  target: object,
  name: PropertyKey,
  descriptor: PropertyDescriptor,
  run: () => void,
): void {
  const before = Object.getOwnPropertyDescriptor(target, name);
  Object.defineProperty(target, name, { configurable: true, ...descriptor });
  try {
    run();
  } finally {
    if (before === undefined) Reflect.deleteProperty(target, name);
    else Object.defineProperty(target, name, before);
  }
}

const inside: Record<string, () => object> = {
  Map: () => new Map([[1, { a: 2 }]]),
  Set: () => new Set([1, 'two']),
  Date: () => new Date(7),
  RegExp: () => /a+/gi,
  Error: () => new TypeError('what'),
  Array: () => Object.assign(new Array(3), { 0: 1, 2: 3 }),
  Number: () => new Number(4),
  String: () => new String('text'),
  Boolean: () => new Boolean(true),
  BigInt: () => Object(5n),
  Uint8Array: () => new Uint8Array([1, 2]),
  'Uint8Array of nothing': () => new Uint8Array(),
  BigInt64Array: () => new BigInt64Array([1n]),
  DataView: () => new DataView(new ArrayBuffer(4), 1),
  ArrayBuffer: () => new Uint8Array([1, 2, 3]).buffer,
  Buffer: () => Buffer.from('text'),
};
const prototypes: [name: string, prototype: object | null][] = [
  ['none', null],
  ['that of objects', Object.prototype],
  ['that of arrays', Array.prototype],
  ['that of maps', Map.prototype],
  ['that of dates', Date.prototype],
  ['that of bytes', Uint8Array.prototype],
  ['that of errors', Error.prototype],
  ['one of its own', Object.create(Map.prototype)],
];

for (const [name, prototype] of prototypes) {
  test(`objects are copied for what they are inside, their prototype being ${name}`, () => {
    const own = codec();
    // So that objects with these keys have a number.
    for (let round = 0; round < 6; round++) throughCodec(own, [{ a: 1 }, {}]);
    for (const [kind, make] of Object.entries(inside)) {
      const bare = Object.setPrototypeOf(make(), prototype) as object;
      const keyed = Object.assign(Object.setPrototypeOf(make(), prototype) as object, {
        [`key of ${kind}`]: 1,
      });
      for (const value of [bare, keyed, [bare, { a: keyed }]]) assertLikeStructuredClone(value, own);
    }
    assertLikeStructuredClone(Reflect.construct(Map, [], Object));
    assert.ok(own.announced.length >= 2);
  });
}

test('an error, a date or the like looks like any object with the same keys, and is none', () => {
  const own = codec();
  for (let round = 0; round < 6; round++) throughCodec(own, { code: 1 });
  assert.equal(own.announced.length, 1);
  for (const kind of [
    'Error',
    'Date',
    'RegExp',
    'Number',
    'Boolean',
    'Array',
    'Uint8Array of nothing',
    'DataView',
  ]) {
    const made = (inside[kind] as () => object)();
    assertLikeStructuredClone(Object.assign(Object.setPrototypeOf(made, null) as object, { code: 1 }), own);
  }
});

test('what cannot be cloned is refused without its prototype, too', () => {
  const refused = [
    Promise.resolve(),
    new WeakMap(),
    new WeakSet(),
    (function* () {})(),
    (function () {
      // biome-ignore lint/complexity/noArguments: an arguments object is what is tested
      return arguments;
    })(),
  ];
  for (const prototype of [null, Object.prototype]) {
    for (const value of refused) {
      Object.setPrototypeOf(value, prototype);
      assert.throws(() => structuredClone(value), { name: 'DataCloneError' });
      assert.throws(() => throughCodec(codec(), value), { name: 'DataCloneError' });
    }
  }
});

test('properties that hide what an object is inside do not mislead', () => {
  const lie = (object: object, ...names: string[]): object => {
    for (const name of names) Object.defineProperty(object, name, { value: 1, configurable: true });
    return object;
  };
  assertLikeStructuredClone(lie(new Uint8Array(8), 'length', 'byteOffset', 'byteLength', 'buffer'));
  assertLikeStructuredClone(lie(new DataView(new ArrayBuffer(8), 4), 'byteOffset', 'byteLength', 'buffer'));
  assertLikeStructuredClone(lie(new ArrayBuffer(8), 'byteLength', 'resizable', 'detached'));
  assertLikeStructuredClone(lie(/a/g, 'flags', 'source'));
  assertLikeStructuredClone(lie(/a/g, 'ignoreCase'));
  assertLikeStructuredClone(lie(new Date(7), 'getTime', 'valueOf'));
  assertLikeStructuredClone(lie(new Map([[1, 2]]), 'size', 'entries', 'forEach'));
  assertLikeStructuredClone(lie(new Set([1]), 'size', 'values', 'forEach'));
  assertLikeStructuredClone({ [Symbol.toStringTag]: 'Map', a: 1 });
  const throwing = Object.defineProperty({ a: 1 }, Symbol.toStringTag, { get: () => assert.fail('called') });
  assertLikeStructuredClone(throwing);
});

test('nothing that every object inherits is called or kept from being set', () => {
  const names = ['inherited', 'toString', 'a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const many = Object.fromEntries(names.map((name) => [name, 1]));
  const few = { inherited: 1, toString: 2 };
  const values = [few, many, [few, few], [many, many], { few, many }];
  const own = codec();
  const setter = { set: () => assert.fail('called') };
  for (const value of values) {
    const expected = structuredClone(value);
    const check = (): void => {
      for (let round = 0; round < 6; round++) assertSameGraph(throughCodec(own, value), expected);
    };
    withProperty(Object.prototype, 'inherited', setter, check);
    withProperty(Object.prototype, 'inherited', { value: 0, writable: false }, check);
    withProperty(Object.prototype, 'toString', { value: () => 'mine', writable: false }, check);
  }
});

test('what a program has put in place of methods and classes is not used', () => {
  const value = [
    new Map([[1, new Set([2])]]),
    new Date(7),
    /a/g,
    new Uint8Array(100_000),
    new Array(100).fill(1),
  ];
  const expected = structuredClone(value);
  const own = codec();
  const fake = { value: () => assert.fail('called'), writable: true };
  const places: [target: object, name: PropertyKey][] = [
    [Map.prototype, 'set'],
    [Map.prototype, 'forEach'],
    [Map.prototype, Symbol.iterator],
    [Set.prototype, 'add'],
    [Set.prototype, 'forEach'],
    [Date.prototype, 'getTime'],
    [globalThis, 'Map'],
    [globalThis, 'Set'],
    [globalThis, 'Date'],
    [globalThis, 'RegExp'],
    [globalThis, 'ArrayBuffer'],
  ];
  for (const [target, name] of places) {
    let result: unknown;
    withProperty(target, name, fake, () => {
      result = throughCodec(own, value);
    });
    assertSameGraph(result, expected);
  }
});

test('an encoder that was called at the end of the stack goes on as before', () => {
  const own = codec();
  const shared = { a: 1 };
  const value = {
    deep: [[[[[[shared, shared]]]]]],
    text: 'a text of more than twenty-four characters',
    map: new Map([[1, shared]]),
  };
  const expected = structuredClone(value);
  let failures = 0;
  let attempts = 0;
  const dive = (): void => {
    try {
      dive();
    } catch {
      // The end. From here upwards there is ever more room.
    }
    if (attempts++ > 40) return;
    try {
      own.encoder.encode(value);
    } catch (error) {
      failures++;
      if (!(error instanceof RangeError)) throw error;
    }
  };
  // With arguments that take so much of the stack, so that it ends in the middle of each step.
  const shifted = (..._arguments: unknown[]): void => dive();
  for (let shift = 0; shift < 50; shift++) {
    attempts = 0;
    shifted(...new Array(shift));
    own.announced.length = 0;
    const key = `key ${shift}`;
    for (let round = 0; round < 5; round++) throughCodec(own, { [key]: round });
    assert.deepEqual(own.announced, [[key]], 'it takes itself to be busy');
  }
  assert.ok(failures > 0);
  assertSameGraph(throughCodec(own, value), expected);
});

test('a decoder that failed in the middle of a message reads the next one right', () => {
  let failing = true;
  const bytes = new Uint8Array(100_000).fill(3);
  const borrow = () => {
    if (failing) throw new RangeError('Array buffer allocation failed');
    return rawBuffer(bytes.buffer);
  };
  const own = codec(() => 0, borrow);
  const shared = { a: 1 };
  const value = {
    first: shared,
    bytes,
    text: 'a text of more than twenty-four characters',
    again: [shared, shared],
  };
  assert.throws(() => throughCodec(own, value), /allocation failed/);
  failing = false;
  assertLikeStructuredClone(value, own);
  assertLikeStructuredClone([shared, shared], own);
});

test('memory for a large message is not kept', () => {
  const { encoder } = codec();
  const large = encoder.encode(new Array(100).fill('é'.repeat(200_000)));
  assert.ok((large?.words.length ?? 0) > 2 ** 22);
  assert.ok((encoder.encode(1)?.words.length ?? 0) < 2 ** 22);
});
