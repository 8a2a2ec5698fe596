import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Pool, type PoolOptions } from '@plimsoll/pool';
import { caught, fixture, until } from './support.js';

/** A worker may take its time to start. */
const MINUTE = 60_000;

function recycled(t: TestContext, options: PoolOptions, workerData: object = {}) {
  const counts = new Int32Array(new SharedArrayBuffer(8));
  const filename = fixture('lifecycle.mjs');
  const pool = new Pool({
    ...{ filename, name: 'thread', minThreads: 1, maxThreads: 1 },
    ...{ workerData: { counts, ...workerData }, ...options },
  });
  t.after(() => pool.destroy());
  const order: string[] = [];
  pool.on('workerCreate', () => order.push('created'));
  pool.on('workerDestroy', () => order.push('destroyed'));
  return { pool, order, counts };
}

/** At no time were fewer workers ready than this. */
function fewest(order: readonly string[]): number {
  let ready = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const event of order) {
    ready += event === 'created' ? 1 : -1;
    if (ready > 0 || event === 'destroyed') least = Math.min(least, ready);
  }
  return least;
}

test('a worker is replaced after so many tasks, and its successor is ready before it ends', async (t) => {
  const { pool, order, counts } = recycled(t, { maxTasksPerWorker: 10 });
  const byThread = new Map<unknown, number>();
  const end = performance.now() + MINUTE;
  while (byThread.size < 4) {
    assert.ok(performance.now() < end, 'workers are replaced');
    const thread = await pool.run(0);
    byThread.set(thread, (byThread.get(thread) ?? 0) + 1);
  }
  await until(() => order.filter((event) => event === 'destroyed').length >= 3);
  const [first = 0, second = 0] = byThread.values();
  assert.ok(first >= 10 && second >= 10, `${first} and ${second} tasks`);
  assert.equal(fewest(order), 1, order.join());
  assert.ok(Atomics.load(counts, 1) >= 3, 'each has disposed');
  await until(() => pool.threads.length === 1);
});

test('no task is lost to recycling, with several workers and several tasks at a time', async (t) => {
  const { pool, order } = recycled(t, {
    ...{ maxTasksPerWorker: 25, minThreads: 2, maxThreads: 2 },
    ...{ concurrentTasksPerWorker: 3, name: 'size' },
  });
  let settled = 0;
  for (let round = 0; round < 40; round++) {
    const lengths = Array.from({ length: 50 }, (_, index) => 500 * index + 5);
    const found = await Promise.all(
      lengths.map((length) => {
        const bytes = new Uint8Array(length);
        if (length % 1000 === 5) return pool.run(bytes, { transferList: [bytes.buffer] });
        return pool.run(bytes);
      }),
    );
    assert.deepEqual(found, lengths);
    settled += found.length;
    await pool.run(2, { name: 'sleep' });
  }
  assert.equal(pool.completed, settled + 40);
  // Ends of tasks replace workers, one worker at a time: there may have been time for the first alone.
  const destroyed = (): number => order.filter((event) => event === 'destroyed').length;
  for (const end = performance.now() + MINUTE; destroyed() < 2; ) {
    assert.ok(performance.now() < end, 'workers are replaced');
    await pool.run(2, { name: 'sleep' });
  }
  assert.ok(fewest(order) >= 1, order.join());
});

test('a worker whose heap has grown too large is replaced', async (t) => {
  const { pool, order } = recycled(t, { maxHeapMb: 60, name: 'leak' });
  const before = await pool.run(0);
  for (let round = 0; round < 5; round++) assert.equal(typeof (await pool.run(20)), 'number');
  await until(() => order.includes('destroyed'));
  assert.equal(fewest(order), 1, order.join());
  assert.notEqual(await pool.run(0), before);
  const calm = recycled(t, { maxHeapMb: 2000, name: 'leak' });
  for (let round = 0; round < 20; round++) await calm.pool.run(1);
  assert.deepEqual(calm.order, ['created']);
});

test('when the successor cannot start, the old worker goes on', async (t) => {
  // The first setup succeeds, every further one fails.
  const { pool, counts } = recycled(t, { maxTasksPerWorker: 5 }, { setupTakes: 100 });
  const thread = await pool.run(0);
  Atomics.store(counts, 0, -1_000_000);
  for (let round = 0; round < 200; round++) assert.equal(await pool.run(0), thread);
  await until(() => Atomics.load(counts, 0) > -1_000_000);
  // Long enough for one that idles beyond minThreads to be stopped.
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (let round = 0; round < 20; round++) assert.equal(await pool.run(0), thread);
});

test('an old worker or a successor that dies in the middle, and close() then, lose nothing but what they ran', async (t) => {
  const { pool } = recycled(t, { maxTasksPerWorker: 3 }, { setupTakes: 30 });
  for (let round = 0; round < 5; round++) {
    for (let task = 0; task < 4; task++) await pool.run(0);
    // Its successor starts now.
    assert.equal((await caught(pool.run(0, { name: 'exit' }))).code, 'PLIMSOLL_POOL_WORKER_EXITED');
    assert.equal(typeof (await pool.run(0)), 'number');
  }
  for (let task = 0; task < 4; task++) await pool.run(0);
  const last = Array.from({ length: 10 }, () => pool.run(0));
  await pool.close();
  assert.equal((await Promise.all(last)).length, 10);
  assert.equal(pool.threads.length, 0);
});

test('no further worker is replaced while one that was keeps a stream', async (t) => {
  const filename = fixture('streams.mjs');
  const { pool, order } = recycled(t, { filename, maxTasksPerWorker: 1 });
  const stream = pool.stream(1000, { name: 'count', highWaterMark: 1 });
  await stream.next();
  await until(() => order.length === 2);
  // With a key it runs in the successor.
  for (let run = 0; run < 20; run++) {
    await pool.run(0, { key: 'k' });
    assert.equal(pool.threads.length, 2);
  }
  await stream.return?.();
  await until(() => order.length === 3);
  assert.equal(order[2], 'destroyed');
});
