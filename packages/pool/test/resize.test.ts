import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Pool, type PoolOptions } from '@plimsoll/pool';
import { caught, fixture, poolFor, until } from './support.js';

const bits = (shared: Int32Array): number => Atomics.load(shared, 0).toString(2).replaceAll('0', '').length;
const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

test('a pool that was made larger runs more at a time', async (t) => {
  const pool = poolFor(t, { minThreads: 1, maxThreads: 1 });
  await pool.ready();
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const runs = [0, 1, 2].map((bit) => pool.run({ shared, bit }, { name: 'markAndWait' }));
  await until(() => bits(shared) === 1);
  pool.resize({ minThreads: 2, maxThreads: 3 });
  await until(() => bits(shared) === 3);
  Atomics.store(shared, 0, 0);
  Atomics.notify(shared, 0);
  await Promise.all(runs);
  assert.deepEqual([pool.minThreads, pool.maxThreads], [2, 3]);
});

test('minThreads alone raises maxThreads with it, and maxThreads alone lowers minThreads', async (t) => {
  const pool = poolFor(t, { minThreads: 1, maxThreads: 2 });
  pool.resize({ minThreads: 4 });
  assert.deepEqual([pool.minThreads, pool.maxThreads], [4, 4]);
  await pool.ready();
  assert.equal(pool.threads.length, 4);
  pool.resize({ maxThreads: 2 });
  assert.deepEqual([pool.minThreads, pool.maxThreads], [2, 2]);
  await until(() => pool.threads.length === 2);
  pool.resize({});
  assert.deepEqual([pool.minThreads, pool.maxThreads], [2, 2]);
});

const KINDS: Record<string, PoolOptions> = {
  'one task at a time': {},
  'several tasks at a time': { concurrentTasksPerWorker: 4 },
};

for (const [kind, options] of Object.entries(KINDS)) {
  test(`a pool that is made smaller while it is busy loses no task: ${kind}`, async (t) => {
    const pool = poolFor(t, { minThreads: 4, maxThreads: 4, ...options });
    await pool.ready();
    const sleeps = range(40).map((ms) => pool.run(ms % 7, { name: 'sleep' }));
    const blocks = range(20).map(() => pool.run(2, { name: 'block' }));
    const moved = range(20).map((length) => {
      const bytes = new Uint8Array(1500 * length + 1);
      return pool.run(bytes, { name: 'size', transferList: [bytes.buffer] });
    });
    pool.resize({ minThreads: 1, maxThreads: 1 });
    assert.deepEqual(
      await Promise.all(moved),
      range(20).map((length) => 1500 * length + 1),
    );
    await Promise.all([...sleeps, ...blocks]);
    await until(() => pool.threads.length === 1);
    const thread = await pool.run(0, { name: 'thread' });
    assert.equal(await pool.run(0, { name: 'thread' }), thread);
  });

  test(`tasks that come while the size changes all the time end once, and right: ${kind}`, async (t) => {
    const pool = poolFor(t, { minThreads: 1, maxThreads: 4, ...options });
    const found: unknown[] = [];
    for (let round = 0; round < 60; round++) {
      pool.resize({ minThreads: 0, maxThreads: 1 + (round % 4) });
      const values = range(50).map((value) => round * 50 + value);
      found.push(
        ...(await Promise.all(
          values.map((value) => pool.run(value, { name: value % 3 ? 'echo' : 'echoLater' })),
        )),
      );
    }
    assert.deepEqual(found, range(3000));
    assert.equal(pool.completed, 3000);
    pool.resize({ maxThreads: 1 });
    await until(() => pool.threads.length <= 1);
  });
}

test('a worker that retires takes nothing more that others can take', async (t) => {
  const pool = poolFor(t, { minThreads: 2, maxThreads: 2 });
  await pool.ready();
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const held = [0, 1].map((bit) => pool.run({ shared, bit }, { name: 'markAndWait' }));
  await until(() => bits(shared) === 2);
  const runs = range(200).map(() => pool.run(2, { name: 'block' }));
  // Before either of them can take one of these.
  pool.resize({ minThreads: 1, maxThreads: 1 });
  Atomics.store(shared, 0, 0);
  Atomics.notify(shared, 0);
  await Promise.all(held);
  const threads = await Promise.all(runs);
  const byFirst = threads.filter((thread) => thread === threads[0]).length;
  const byOther = threads.length - byFirst;
  assert.ok(Math.min(byFirst, byOther) < 50, `one ran ${byFirst}, the other ${byOther}`);
});

test('a worker that retires while others wait leaves nobody asleep', async (t) => {
  const counts = new Int32Array(new SharedArrayBuffer(8));
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const pool = new Pool({
    ...{ filename: fixture('lifecycle.mjs'), name: 'thread', minThreads: 2, maxThreads: 2 },
    ...{ workerData: { counts, disposeGate: gate }, closeTimeout: 600_000 },
  });
  t.after(() => {
    Atomics.store(gate, 0, 1);
    return pool.destroy();
  });
  await pool.ready();
  const threads = new Set(pool.threads.map(({ threadId }) => threadId));
  const slow = pool.run(30, { name: 'block' });
  pool.resize({ minThreads: 1, maxThreads: 1 });
  await slow;
  let runs = 0;
  const all = (async () => {
    for (; runs < 200; runs++) assert.ok(threads.has((await pool.run(0)) as number));
  })();
  // None waits for the other worker, which disposes all the time.
  await Promise.race([all, until(() => runs === 200)]);
  assert.equal(Atomics.load(counts, 1), 0);
});

test('a task of a worker that retires can be aborted, and its worker dies with it', async (t) => {
  const pool = poolFor(t, { minThreads: 2, maxThreads: 2 });
  await pool.ready();
  const shared = [0, 1].map(() => new Int32Array(new SharedArrayBuffer(4)));
  const controller = new AbortController();
  const { signal } = controller;
  const runs = shared.map((one) => caught(pool.run(one, { name: 'blockForever', signal })));
  await until(() => shared.every((one) => Atomics.load(one, 0) === 1));
  pool.resize({ minThreads: 1, maxThreads: 1 });
  controller.abort();
  for (const error of await Promise.all(runs)) assert.equal(error.code, 'PLIMSOLL_POOL_ABORTED');
  assert.equal(await pool.run(1, { name: 'echo' }), 1);
  await until(() => pool.threads.length === 1);
});

test('a worker that dies while it retires rejects its task, and close() in the middle waits for all', async (t) => {
  const pool = poolFor(t, { minThreads: 3, maxThreads: 3 });
  await pool.ready();
  const running = range(3).map(() => pool.run(50, { name: 'sleep' }));
  const dying = caught(pool.run(3, { name: 'exit' }));
  const waiting = range(10).map((value) => pool.run(value, { name: 'echo' }));
  pool.resize({ minThreads: 1, maxThreads: 1 });
  const closed = pool.close();
  assert.equal((await dying).code, 'PLIMSOLL_POOL_WORKER_EXITED');
  assert.deepEqual(await Promise.all(waiting), range(10));
  await Promise.all(running);
  await closed;
  assert.equal(pool.threads.length, 0);
});

for (const [what, options, kind] of [
  ['no object', 7, TypeError],
  ['a text', { maxThreads: '2' }, TypeError],
  ['a fraction', { minThreads: 1.5 }, RangeError],
  ['none at most', { maxThreads: 0 }, RangeError],
  ['more than there is room for', { maxThreads: 1024 }, RangeError],
  ['a contradiction', { minThreads: 3, maxThreads: 2 }, RangeError],
] as const) {
  test(`resize() refuses ${what}, and changes nothing`, async (t: TestContext) => {
    const pool = poolFor(t, { minThreads: 1, maxThreads: 1 });
    assert.throws(
      () => pool.resize(options as never),
      (error) => error instanceof kind && (error as { code?: string }).code === 'PLIMSOLL_POOL_BAD_OPTION',
    );
    assert.deepEqual([pool.minThreads, pool.maxThreads], [1, 1]);
  });
}

test('resize() of a closed pool is a coded error', async (t) => {
  const pool = poolFor(t);
  await pool.close();
  assert.throws(() => pool.resize({ maxThreads: 2 }), { code: 'PLIMSOLL_POOL_CLOSED' });
});

test('a worker that keeps streams ends them before it retires', async (t) => {
  const pool = new Pool({ filename: fixture('members.mjs'), minThreads: 2, maxThreads: 2 });
  t.after(() => pool.destroy());
  await pool.ready();
  const streams = [0, 1].map(() => pool.stream(200, { name: 'count' }));
  const firsts = await Promise.all(streams.map((stream) => stream[Symbol.asyncIterator]().next()));
  assert.deepEqual(
    firsts.map(({ value }) => value),
    [0, 0],
  );
  pool.resize({ minThreads: 1, maxThreads: 1 });
  const others = range(50).map((value) => pool.run(value, { name: 'echo' }));
  const rest = await Promise.all(
    streams.map(async (stream) => {
      const items: unknown[] = [];
      for await (const item of stream) items.push(item);
      return items;
    }),
  );
  for (const items of rest) assert.deepEqual(items, range(200).slice(1));
  assert.deepEqual(await Promise.all(others), range(50));
  await until(() => pool.threads.length === 1);
});

test('a worker that is one too many leaves when all that waited for it was cleared', async (t) => {
  const pool = poolFor(t, { minThreads: 2, maxThreads: 2 });
  await pool.ready();
  pool.pause();
  const parts = pool.broadcast(1, { name: 'echo' });
  pool.resize({ minThreads: 1, maxThreads: 1 });
  pool.clear();
  await parts;
  await until(() => pool.threads.length === 1);
});

test('a worker that still starts is stopped only while it could take no task', async (t) => {
  const pool = poolFor(t, { minThreads: 1, maxThreads: 2 });
  await pool.ready();
  pool.resize({ minThreads: 2 });
  pool.resize({ minThreads: 1, maxThreads: 1 });
  assert.equal(pool.threads.length, 1);
  pool.resize({ maxThreads: 2 });
  const runs = [1, 2].map((value) => pool.run(value, { name: 'echo' }));
  pool.resize({ maxThreads: 1 });
  assert.equal(pool.threads.length, 2);
  assert.deepEqual(await Promise.all(runs), [1, 2]);
  await until(() => pool.threads.length === 1);
});
