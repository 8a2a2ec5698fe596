import assert from 'node:assert/strict';
import { test } from 'node:test';
import { markAsUntransferable } from 'node:worker_threads';
import { move } from '@plimsoll/pool';
import fc from 'fast-check';
import { assertSameGraph } from './graph.js';
import { caught, fixture, poolFor } from './support.js';

/** Up to so many bytes of buffers are copied, and the caller's are detached when the function has ended. */
const MOST = 2 ** 14;
const runs = Number(process.env.PLIMSOLL_RUNS ?? 1);
const filename = fixture('moves-back.mjs');

const KINDS = {
  buffer: (buffer: ArrayBuffer) => buffer,
  bytes: (buffer: ArrayBuffer) => new Uint8Array(buffer),
  'part of the bytes': (buffer: ArrayBuffer) => new Uint8Array(buffer, buffer.byteLength >> 1),
  'the buffer of Node': (buffer: ArrayBuffer) => Buffer.from(buffer),
  words: (buffer: ArrayBuffer) => new Uint16Array(buffer, 0, buffer.byteLength >> 1),
  view: (buffer: ArrayBuffer) => new DataView(buffer, buffer.byteLength >> 2),
  nothing: () => 'no buffer',
};
const size = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constantFrom(0, MOST - 1, MOST, MOST + 1));
const layout = fc.record({
  sizes: fc.array(fc.record({ bytes: size, grows: fc.boolean() }), { minLength: 1, maxLength: 3 }),
  parts: fc.array(fc.tuple(fc.nat(2), fc.constantFrom(...(Object.keys(KINDS) as (keyof typeof KINDS)[]))), {
    maxLength: 5,
  }),
});

/** Always the same value for the same layout. */
function made({ sizes, parts }: typeof layout extends fc.Arbitrary<infer Layout> ? Layout : never) {
  const buffers = sizes.map(({ bytes, grows }, index) => {
    const buffer = new (ArrayBuffer as new (length: number, options?: object) => ArrayBuffer)(
      bytes,
      grows ? { maxByteLength: bytes + 100 } : undefined,
    );
    new Uint8Array(buffer).fill(index + 1);
    return buffer;
  });
  const value = parts.map(([index, kind]) => KINDS[kind](buffers[index % buffers.length] as ArrayBuffer));
  return { value, buffers };
}

test('buffers of every size that are moved, in and out, arrive as structuredClone moves them', async (t) => {
  const pool = poolFor(t, { filename });
  const whole = fc.asyncProperty(layout, async (given) => {
    const { value, buffers } = made(given);
    const right = made(given);
    const task = { value, buffers };
    const result = await pool.run(task, { name: 'back', transferList: buffers });
    assertSameGraph(result, structuredClone(right.value, { transfer: right.buffers }));
    const none = buffers.map(() => 0);
    assert.deepEqual(
      buffers.map((buffer) => buffer.byteLength),
      none,
    );
    assert.deepEqual(await pool.run(undefined, { name: 'left' }), none);
  });
  await fc.assert(whole, { numRuns: 200 * runs });
});

test('a small buffer is gone when its function has ended, and only then', async (t) => {
  const pool = poolFor(t, { filename, maxThreads: 2 });
  const sizeAfter = async (name: string): Promise<[unknown, number]> => {
    const bytes = new Uint8Array(100);
    const error = await caught(pool.run(move(bytes), { name }));
    return [error.code ?? error.name, bytes.byteLength];
  };
  assert.deepEqual(await sizeAfter('fails'), ['RangeError', 0]);
  // These errors say nothing of transferred objects: the caller has them.
  assert.deepEqual(await sizeAfter('missing'), ['PLIMSOLL_POOL_LOAD_FAILED', 100]);
  assert.deepEqual(await sizeAfter('dies'), ['PLIMSOLL_POOL_WORKER_EXITED', 100]);
});

test('a task with a small buffer runs again when its worker has died', async (t) => {
  const calls = new Int32Array(new SharedArrayBuffer(4));
  const pool = poolFor(t, { filename, retry: { max: 1 }, workerData: calls });
  const bytes = new Uint8Array(100);
  assert.equal(await pool.run(move(bytes), { name: 'diesOnce' }), 100);
  assert.equal(calls[0], 2);
  assert.equal(bytes.byteLength, 0);
});

test('small buffers that cannot be transferred are refused as large ones are', async (t) => {
  const pool = poolFor(t, { filename });
  for (const bytes of [100, MOST + 1]) {
    const refused = async (transferList: ArrayBuffer[]): Promise<string> =>
      (await caught(pool.run({ value: 1, buffers: [] }, { name: 'back', transferList }))).code as string;
    const buffer = new ArrayBuffer(bytes);
    assert.equal(await refused([buffer, buffer]), 'PLIMSOLL_POOL_UNCLONEABLE');
    const fixed = new ArrayBuffer(bytes);
    markAsUntransferable(fixed);
    const [major] = process.versions.node.split('.').map(Number);
    if ((major as number) > 20) assert.equal(await refused([fixed]), 'PLIMSOLL_POOL_UNCLONEABLE');
    assert.equal(fixed.byteLength, bytes);
  }
});

test('a small buffer that is gone meanwhile, or says so, holds up no task', async (t) => {
  const pool = poolFor(t, { filename });
  const run = (buffer: ArrayBuffer): Promise<unknown> =>
    pool.run({ value: [1], buffers: [] }, { name: 'back', transferList: [buffer] });
  const lies = Object.defineProperty(new ArrayBuffer(100), 'byteLength', {
    get: () => {
      throw new RangeError('a getter of the caller');
    },
  });
  assert.deepEqual(await run(lies), [1]);
  const taken = new ArrayBuffer(100);
  const result = run(taken);
  structuredClone(taken, { transfer: [taken] });
  assert.deepEqual(await result, [1]);
});
