import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { Decoder, memoryOf } from '../dist/shared/codec/decode.js';
import { Encoder } from '../dist/shared/codec/encode.js';
import { Makers } from '../dist/shared/codec/makers.js';
import { assertSameGraph } from './graph.js';
import { fixture, poolFor, until } from './support.js';

/** Both ends of a codec, and the shapes that were announced from one to the other. */
function ends() {
  const announced: (readonly string[])[] = [];
  const unread: [number, readonly string[]][] = [];
  // As over a port: what was announced is read when it is needed.
  const makers = new Makers(() => {
    for (const [number, names] of unread.splice(0)) makers.add(number, names);
  });
  const encoder = new Encoder(16, undefined, (number, names) => {
    announced[number] = names;
    unread.push([number, names]);
  });
  const decoder = new Decoder(makers);
  const through = (value: unknown): unknown => {
    const encoded = encoder.encode(value);
    assert.ok(encoded);
    const memory = memoryOf(new SharedArrayBuffer(encoded.length * 4));
    memory.words.set(encoded.words.subarray(0, encoded.length));
    return decoder.decode(memory, 0, encoded.length, encoded.encodingFlags, encoded.externals);
  };
  return { announced, through };
}

const keys = fc.uniqueArray(
  fc.oneof(
    fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', '0', '17', '\'\\"`$x', '\ud800', '\u2028'),
    fc.string(),
  ),
  { maxLength: 6 },
);
const records = fc.array(
  fc.tuple(keys, fc.array(fc.anything({ maxDepth: 1 }), { minLength: 6, maxLength: 6 }), fc.nat({ max: 12 })),
  { maxLength: 12 },
);

test('objects of a few shapes, each met often, come back as structuredClone gives them', () => {
  fc.assert(
    fc.property(records, fc.boolean(), (rows, isShared) => {
      const { through } = ends();
      const values = rows.flatMap(([names, items, count]) =>
        Array.from({ length: count }, () => {
          const entries = names.map((name, index) => [name, plainOf(items[index])]);
          return Object.fromEntries(entries) as object;
        }),
      );
      const value = isShared ? [values, values[0], { nested: values }] : values;
      for (let again = 0; again < 3; again++) assertSameGraph(through(value), structuredClone(value));
    }),
  );
});

/** Of whatever it is, what this test is not about is left out. */
function plainOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? { ...value } : value;
}

test('a shape is announced once, before it is used, and dictionaries hardly ever are', () => {
  const { announced, through } = ends();
  for (let index = 0; index < 100; index++) through({ id: index, name: 'x' });
  assert.deepEqual(announced, [['id', 'name']]);
  for (let index = 0; index < 20_000; index++) through({ [`key ${index}`]: index });
  assert.equal(announced.length, 1);
  for (let index = 0; index < 100; index++) {
    assert.deepEqual(through({ id: index, later: true }), { id: index, later: true });
  }
  assert.deepEqual(announced, [
    ['id', 'name'],
    ['id', 'later'],
  ]);
});

test('more shapes than there are numbers, and more keys than a shape may have', () => {
  const { announced, through } = ends();
  for (let shape = 0; shape < 1500; shape++) {
    for (let again = 0; again < 5; again++) {
      const value = { [`first ${shape}`]: again, second: shape };
      assert.deepEqual(through(value), value);
    }
  }
  assert.equal(announced.length, 1024);
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key ${index}`, index]));
  for (let again = 0; again < 9; again++) assert.deepEqual(through(wide), wide);
  assert.equal(announced.length, 1024);
});

test('many long keys of an object that was never met', () => {
  const names = Array.from({ length: 60 }, (_, index) => `${'a long key'.repeat(4)} ${index}`);
  const value = Object.fromEntries(names.map((name) => [name, name]));
  assert.deepEqual(ends().through(value), value);
});

test('strings of every length that is treated in its own way, side by side', () => {
  const { through } = ends();
  const unit = fc.oneof(
    { weight: 30, arbitrary: fc.integer({ min: 32, max: 255 }) },
    { weight: 1, arbitrary: fc.nat({ max: 0xffff }) },
  );
  const text = fc
    .tuple(
      fc.constantFrom(0, 3, 4, 24, 25, 57, 255, 256, 257, 511, 512, 513, 2000),
      fc.array(unit, { maxLength: 40 }),
    )
    .map(([length, units]) => {
      const some = String.fromCharCode(...units) || 'x';
      return some.repeat(Math.ceil(length / some.length)).slice(0, length);
    });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
      const value = {
        texts,
        byText: Object.fromEntries(texts.map((key) => [key, key])),
        map: new Map([[texts, texts]]),
      };
      assertSameGraph(through(value), structuredClone(value));
    }),
    { numRuns: 300 },
  );
});

test('a worker that starts later knows the shapes of before', async (t) => {
  const pool = poolFor(t, { filename: fixture('tasks.mjs'), minThreads: 1, maxThreads: 2 });
  const value = { shape: 'known', to: ['the', 'first', { worker: true }] };
  for (let again = 0; again < 20; again++) assert.deepEqual(await pool.run(value, { name: 'echo' }), value);
  const both = Promise.all([
    pool.run(50, { name: 'block' }),
    ...Array.from({ length: 50 }, () => pool.run(value, { name: 'echo' })),
  ]);
  await until(() => pool.threads.length === 2);
  for (const result of (await both).slice(1)) assert.deepEqual(result, value);
});

test('where code from strings is not allowed, tasks and results come through all the same', async () => {
  const script = fileURLToPath(fixture('no-generated-code.mjs'));
  const options = ['--disallow-code-generation-from-strings', script, import.meta.resolve('@plimsoll/pool')];
  const { stdout } = await promisify(execFile)(process.execPath, options);
  assert.equal(stdout, 'not allowed\n');
});

test('a shape whose announcement failed is never used by its number', () => {
  let failures = 0;
  const encoder = new Encoder(16, undefined, () => {
    failures++;
    throw new Error('the port is gone');
  });
  const decoder = new Decoder(new Makers(() => {}));
  for (let round = 0; round < 10; round++) {
    const encoded = encoder.encode({ round, of: 'ten' });
    // Left to structured clone, like anything that went wrong.
    if (encoded === undefined) continue;
    const memory = memoryOf(new SharedArrayBuffer(encoded.length * 4));
    memory.words.set(encoded.words.subarray(0, encoded.length));
    assert.deepEqual(decoder.decode(memory, 0, encoded.length, encoded.encodingFlags), { round, of: 'ten' });
  }
  assert.ok(failures > 0 && failures < 10);
});
