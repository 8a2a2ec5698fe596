import assert from 'node:assert/strict';
import { test } from 'node:test';
import { move } from '@plimsoll/pool';
import fc from 'fast-check';
import { assertSameGraph } from './graph.js';
import { fixture, poolFor, until } from './support.js';

test('runs the default export, named exports, CommonJS and TypeScript files', async (t) => {
  const pool = poolFor(t);
  assert.equal(await pool.run({ a: 1, b: 2 }), 3);
  assert.equal(await pool.run({ a: 1, b: 2 }, { name: 'add' }), 3);
  assert.equal(await pool.run(1, { name: 'inWorker' }), true);
  const cjs = fixture('tasks.cjs');
  assert.equal(await pool.run({ a: 3, b: 2 }, { filename: cjs }), 6);
  assert.equal(await pool.run({ a: 3, b: 2 }, { filename: cjs.href, name: 'subtract' }), 1);
  const object = fixture('object.cjs');
  assert.equal(await pool.run(4, { filename: object, name: 'double' }), 8);
  assert.equal(await pool.run(4, { filename: object, name: 'promised' }), 12);
  if ((process.features as { typescript?: unknown }).typescript) {
    assert.equal(await pool.run(4, { filename: fixture('typed.ts') }), 5);
  }
});

test('whatever goes through a worker comes back as structuredClone gives it', async (t) => {
  const pool = poolFor(t);
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withBoxedValues: true,
    withSparseArray: true,
    withTypedArray: true,
    maxDepth: 4,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anything, { maxLength: 8 }), async (values) => {
      const results = await Promise.all(values.map((value) => pool.run(value, { name: 'echo' })));
      assertSameGraph(results, structuredClone(values.map((value) => structuredClone(value))));
    }),
    { numRuns: 200 },
  );
});

test('values of every size and every way of travelling', async (t) => {
  const pool = poolFor(t, { maxThreads: 2 });
  const values: unknown[] = [
    'x'.repeat(400),
    'x'.repeat(10_000),
    'y'.repeat(3_000_000),
    Array.from({ length: 1000 }, (_, index) => ({ index, text: `item ${index}`, half: index / 2 })),
    Array.from({ length: 200_000 }, (_, index) => index / 3),
    new Uint8Array(50_000).fill(1),
    { large: new Uint8Array(1_000_000).fill(2), beside: 'text' },
    new Error('a value, not a failure'),
    Object.assign([1, 2], { extra: true }),
    new URLSearchParams('a=1').toString(),
  ];
  for (let round = 0; round < 3; round++) {
    const results = await Promise.all(values.map((value) => pool.run(value, { name: 'echo' })));
    assertSameGraph(
      results,
      values.map((value) => structuredClone(value)),
    );
  }
  assert.deepEqual(await pool.run(values[7], { name: 'echoLater' }), values[7]);
});

test('transferList and move() transfer instead of copying', async (t) => {
  const pool = poolFor(t);
  const listed = new Uint8Array(100).fill(3);
  const result = await pool.run(listed, { name: 'echo', transferList: [listed.buffer] });
  assert.equal(listed.byteLength, 0);
  assert.deepEqual(result, new Uint8Array(100).fill(3));
  const moved = new Uint8Array(100).fill(4);
  assert.deepEqual(await pool.run(move(moved) as never, { name: 'echo' }), new Uint8Array(100).fill(4));
  assert.equal(moved.byteLength, 0);
});

test('tasks run in the order of submission, with and without signal', async (t) => {
  const pool = poolFor(t);
  const done: number[] = [];
  await pool.run(1, { name: 'echo' });
  const all = Array.from({ length: 3000 }, async (_, index) => {
    const options = index % 3 === 0 ? { signal: new AbortController().signal } : {};
    await pool.run(index, { name: 'record', ...options });
    done.push(index);
  });
  await Promise.all(all);
  const seen = (await pool.run(0, { name: 'recorded' })) as number[];
  assert.deepEqual(
    seen,
    Array.from({ length: 3000 }, (_, index) => index),
  );
  assert.deepEqual(done, seen);
});

test('higher priorities run first, equal ones in order', async (t) => {
  const pool = poolFor(t);
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const blocked = pool.run({ shared, bit: 0 }, { name: 'markAndWait' });
  await until(() => Atomics.load(shared, 0) === 1);
  const order: string[] = [];
  const run = async (label: string, priority?: number): Promise<void> => {
    await pool.run(label, { name: 'record', priority });
  };
  const runs = [run('a'), run('b', 0), run('c', 5), run('d', -1), run('e', 5), run('f', 9)];
  Atomics.store(shared, 0, 0);
  Atomics.notify(shared, 0);
  await Promise.all([blocked, ...runs]);
  order.push(...((await pool.run(0, { name: 'recorded' })) as string[]));
  assert.deepEqual(order, ['f', 'c', 'e', 'a', 'b', 'd']);
});

test('a task whose bytes are on their way stays where it is when the first priority comes', async (t) => {
  const pool = poolFor(t);
  const bytes = new Uint8Array(8).fill(7);
  const moved = pool.run(bytes, { name: 'echo', transferList: [bytes.buffer] });
  const first = pool.run(1, { name: 'echo', priority: 1 });
  assert.deepEqual(await moved, new Uint8Array(8).fill(7));
  assert.equal(await first, 1);
});

test('a hundred thousand tasks wait on the host without trouble', async (t) => {
  const pool = poolFor(t, { maxThreads: 2 });
  const all: Promise<unknown>[] = [];
  for (let index = 0; index < 100_000; index++) all.push(pool.run({ a: index, b: 1 }));
  const results = await Promise.all(all);
  assert.ok(results.every((result, index) => result === index + 1));
  assert.equal(pool.completed, 100_000);
});

test('nobody waits behind a long task while another worker idles', async (t) => {
  const pool = poolFor(t, { minThreads: 2, maxThreads: 2 });
  await until(() => pool.idleThreads === 2);
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const long = pool.run({ shared, bit: 0 }, { name: 'markAndWait' });
  let done = 0;
  const small = (async () => {
    for (; done < 100; done++) await pool.run({ a: done, b: 1 });
  })();
  try {
    await Promise.race([small, until(() => done === 100)]);
  } finally {
    Atomics.store(shared, 0, 0);
    Atomics.notify(shared, 0);
  }
  await long;
});

test('concurrentTasksPerWorker runs asynchronous tasks side by side', async (t) => {
  const pool = poolFor(t, { concurrentTasksPerWorker: 8 });
  const seen = (await Promise.all(
    Array.from({ length: 16 }, () => pool.run(20, { name: 'concurrent' })),
  )) as number[];
  assert.equal(Math.max(...seen), 8);
});

test('a task that may be killed shares its worker with no other', async (t) => {
  const pool = poolFor(t, { concurrentTasksPerWorker: 4 });
  const { signal } = new AbortController();
  const runs = Array.from({ length: 8 }, (_, index) =>
    pool.run(10, { name: 'concurrent', ...(index % 2 === 0 ? { signal } : {}) }),
  );
  const seen = (await Promise.all(runs)) as number[];
  for (let index = 0; index < 8; index += 2) assert.equal(seen[index], 1);
});

test('a task that needs a worker for itself counts as such: queue, limit, further workers', async (t) => {
  const pool = poolFor(t, { concurrentTasksPerWorker: 2, maxQueue: 1 });
  const { signal } = new AbortController();
  const alone = pool.run(30, { name: 'sleep', signal });
  assert.deepEqual([pool.queueSize, pool.needsDrain], [0, true]);
  const waiting = pool.run(1, { name: 'sleep' });
  assert.equal(pool.queueSize, 1);
  await assert.rejects(pool.run(2, { name: 'sleep' }), { code: 'PLIMSOLL_POOL_QUEUE_FULL' });
  await Promise.all([alone, waiting]);
  assert.deepEqual([pool.queueSize, pool.needsDrain], [0, false]);
  const growing = poolFor(t, { maxThreads: 2, concurrentTasksPerWorker: 2 });
  const plain = growing.run(30, { name: 'sleep' });
  const other = growing.run(1, { name: 'sleep', signal });
  assert.equal(growing.threads.length, 2, 'the second task would wait for the first');
  assert.equal(growing.queueSize, 0);
  await Promise.all([plain, other]);
});

test('workers together run at most 32,768 tasks: a further one waits', async (t) => {
  const most = 2 ** 15;
  const pool = poolFor(t, { minThreads: 2, maxThreads: 2, concurrentTasksPerWorker: most, maxQueue: 1 });
  const runs = Array.from({ length: most - 1 }, () => pool.run(1, { name: 'echo' }));
  assert.deepEqual([pool.queueSize, pool.needsDrain], [0, false]);
  for (const size of [0, 1]) {
    runs.push(pool.run(1, { name: 'echo' }));
    assert.deepEqual([pool.queueSize, pool.needsDrain], [size, true]);
  }
  await assert.rejects(pool.run(1), { code: 'PLIMSOLL_POOL_QUEUE_FULL' });
  await Promise.all(runs);
});

test('the event loop of an idle worker runs', async (t) => {
  const pool = poolFor(t);
  const shared = new Int32Array(new SharedArrayBuffer(4));
  await pool.run(shared, { name: 'tick' });
  await until(() => Atomics.load(shared, 0) > 10);
});

test('the process may end while a pool idles, and not before its tasks are done', async () => {
  const { execFile } = await import('node:child_process');
  const { promisify } = await import('node:util');
  const source = `
    import { Pool } from ${JSON.stringify(import.meta.resolve('@plimsoll/pool'))};
    const pool = new Pool({ filename: ${JSON.stringify(fixture('tasks.mjs').href)}, minThreads: 2 });
    pool.run(200, { name: 'sleep' }).then(() => console.log('done'));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source]);
  assert.equal(stdout, 'done\n');
});
