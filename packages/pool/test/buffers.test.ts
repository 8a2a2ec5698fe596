import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poolFor } from './support.js';

/** Bytes that tell which buffer they belong to, and where in it. */
function bytesOf(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length);
  const words = new Uint32Array(bytes.buffer, 0, length >> 2);
  for (let index = 0; index < words.length; index++) words[index] = Math.imul(index + seed, 0x9e3779b1);
  return bytes;
}

const SIZES = [65_535, 65_536, 65_537, 1_000_001, 2 ** 20, 3_000_000, 2 ** 22, 2 ** 22 + 1, 9_000_000];

for (const concurrentTasksPerWorker of [1, 4]) {
  test(`large buffers of many sizes at once (${concurrentTasksPerWorker} per worker)`, async (t) => {
    const pool = poolFor(t, { maxThreads: 2, concurrentTasksPerWorker });
    for (let round = 0; round < 3; round++) {
      const tasks = SIZES.map((size, index) => ({
        bytes: bytesOf(size, round * 100 + index),
        views: [bytesOf(size, index).subarray(8), 'text', index],
      }));
      const results = await Promise.all(tasks.map((task) => pool.run(task, { name: 'echo' })));
      assert.deepEqual(results, tasks);
    }
  });
}

test('a task sees its own copy of a buffer, and so does whoever gets the result', async (t) => {
  const pool = poolFor(t);
  const bytes = bytesOf(200_000, 1);
  const run = pool.run(bytes, { name: 'echo' });
  const first = (await run) as Uint8Array;
  first.fill(0);
  const second = (await pool.run(bytes, { name: 'echo' })) as Uint8Array;
  assert.deepEqual(second, bytesOf(200_000, 1));
  assert.notEqual(first.buffer, second.buffer);
});

test('a value with a buffer that cannot be cloned takes nothing from those that can', async (t) => {
  const pool = poolFor(t);
  for (let turn = 0; turn < 30; turn++) {
    const bad = { bytes: bytesOf(2 ** 20, turn), bad: () => {} };
    await assert.rejects(pool.run(bad, { name: 'echo' }), /task\.bad/);
    await assert.rejects(pool.run(2 ** 20, { name: 'uncloneableBytes' }), /result\.bad/);
  }
  const good = bytesOf(2 ** 20, 7);
  assert.deepEqual(await pool.run(good, { name: 'echo' }), good);
});

test('a getter beside a buffer may run a task with a buffer', async (t) => {
  const pool = poolFor(t);
  let inner: Promise<unknown> | undefined;
  const outer = {
    bytes: bytesOf(100_000, 1),
    get later(): number {
      inner = pool.run(bytesOf(100_000, 2), { name: 'echo' });
      return 1;
    },
    more: bytesOf(100_000, 3),
  };
  const result = (await pool.run(outer, { name: 'echo' })) as typeof outer;
  assert.deepEqual(await inner, bytesOf(100_000, 2));
  assert.deepEqual(result.bytes, bytesOf(100_000, 1));
  assert.deepEqual(result.more, bytesOf(100_000, 3));
});
