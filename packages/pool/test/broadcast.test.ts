import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type BroadcastResult, move, Pool, type PoolOptions } from '@plimsoll/pool';
import { caught, fixture, newGate, until } from './support.js';

async function ready(t: TestContext, threads: number, options: PoolOptions = {}): Promise<Pool> {
  const filename = fixture('members.mjs');
  const pool = new Pool({ filename, minThreads: threads, maxThreads: threads, ...options });
  t.after(() => pool.destroy());
  await pool.ready();
  return pool;
}

const threadsOf = (pool: Pool): number[] => pool.threads.map(({ threadId }) => threadId);
const valuesOf = (results: readonly BroadcastResult<unknown>[]): unknown[] =>
  results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason));
const codesOf = (results: readonly BroadcastResult<unknown>[]): unknown[] =>
  results.map((result) =>
    result.status === 'fulfilled' ? 'fulfilled' : (result.reason as { code?: string }).code,
  );

for (const concurrentTasksPerWorker of [1, 4]) {
  test(`a broadcast runs once in each worker, ${concurrentTasksPerWorker} at a time`, async (t) => {
    const pool = await ready(t, 3, { concurrentTasksPerWorker });
    for (let round = 1; round <= 100; round++) {
      const results = await pool.broadcast(1, { name: 'add' });
      assert.deepEqual(
        results.map(({ threadId }) => threadId),
        threadsOf(pool),
      );
      assert.deepEqual(
        valuesOf(results),
        threadsOf(pool).map((threadId) => ({ sum: round, threadId })),
      );
    }
  });
}

test('many broadcasts at once keep their order in each worker, and go among other tasks', async (t) => {
  const pool = await ready(t, 2);
  const values = Array.from({ length: 200 }, (_, index) => index);
  const others = values.map(() => pool.run(1, { name: 'thread' }));
  const all = values.map((value) => pool.broadcast(value, { name: 'note' }));
  await Promise.all([...all, ...others]);
  for (const notes of valuesOf(await pool.broadcast(0, { name: 'noted' }))) assert.deepEqual(notes, values);
  assert.equal(pool.queueSize, 0);
});

test('a broadcast waits for busy workers and for those that start', async (t) => {
  const pool = await ready(t, 2);
  const busy = pool.run(50, { name: 'block' });
  assert.equal((await pool.broadcast(1, { name: 'add' })).length, 2);
  await busy;
  const starting = new Pool({ filename: fixture('members.mjs'), minThreads: 3, maxThreads: 3 });
  t.after(() => starting.destroy());
  const runs = [1, 2, 3].map(() => starting.run(0, { name: 'thread' }));
  assert.equal(starting.threads.length, 3);
  assert.deepEqual(valuesOf(await starting.broadcast(0, { name: 'thread' })), threadsOf(starting));
  await Promise.all(runs);
});

test('what a task throws in each worker is its part, and without workers there are no parts', async (t) => {
  const pool = await ready(t, 2);
  const results = await pool.broadcast(0, { name: 'fail' });
  assert.deepEqual(
    valuesOf(results).map((error) => (error as Error).message),
    threadsOf(pool).map((threadId) => `in ${threadId}`),
  );
  const none = new Pool({ filename: fixture('members.mjs'), minThreads: 0, maxThreads: 2 });
  t.after(() => none.destroy());
  assert.deepEqual(await none.broadcast(0, { name: 'thread' }), []);
});

for (const [name, code] of [
  ['exitIn', 'PLIMSOLL_POOL_WORKER_EXITED'],
  ['crashIn', 'PLIMSOLL_POOL_WORKER_CRASHED'],
] as const) {
  test(`a worker that dies during it rejects its part alone: ${name}`, async (t) => {
    const pool = await ready(t, 3, { retry: { max: 3 } });
    const [, victim] = threadsOf(pool);
    const results = await pool.broadcast(victim, { name });
    assert.deepEqual(codesOf(results), ['fulfilled', code, 'fulfilled']);
    assert.equal((await pool.broadcast(0, { name: 'thread' })).length >= 2, true);
    await until(() => pool.threads.length === 3);
    await pool.ready();
    assert.deepEqual(codesOf(await pool.broadcast(0, { name: 'thread' })), Array(3).fill('fulfilled'));
  });
}

test('parts that wait in a worker that dies are rejected with its code, not run elsewhere', async (t) => {
  const pool = await ready(t, 2);
  const [victim] = threadsOf(pool);
  const busy = pool.run(20, { name: 'block', key: 1 });
  const killing = pool.broadcast(victim, { name: 'exitIn' });
  // More than its mailbox has room for.
  const following = Array.from({ length: 40 }, () => pool.broadcast(1, { name: 'add' }));
  await busy;
  assert.ok(codesOf(await killing).includes('PLIMSOLL_POOL_WORKER_EXITED'));
  for (const results of await Promise.all(following)) {
    assert.deepEqual(codesOf(results).sort(), ['PLIMSOLL_POOL_WORKER_EXITED', 'fulfilled']);
  }
  await pool.ready();
  const sums = valuesOf(await pool.broadcast(0, { name: 'add' })).map(
    (value) => (value as { sum: number }).sum,
  );
  assert.deepEqual(sums.sort(), [0, 40], 'the function is not to blame, and the new worker has run none');
});

test('an aborted broadcast rejects the parts that are not done, waiting or running', async (t) => {
  const pool = await ready(t, 3);
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const controller = new AbortController();
  const { signal } = controller;
  const running = pool.broadcast(shared, { name: 'blockForever', signal });
  const waiting = pool.broadcast(1, { name: 'add', signal });
  await until(() => Atomics.load(shared, 0) === 3);
  controller.abort();
  assert.deepEqual(codesOf(await running), Array(3).fill('PLIMSOLL_POOL_ABORTED'));
  assert.deepEqual(codesOf(await waiting), Array(3).fill('PLIMSOLL_POOL_ABORTED'));
  await pool.ready();
  assert.deepEqual(
    codesOf(await pool.broadcast(1, { name: 'add', signal: undefined })),
    Array(3).fill('fulfilled'),
  );
  assert.equal((await caught(pool.broadcast(1, { name: 'add', signal }))).code, 'PLIMSOLL_POOL_ABORTED');
  const late = await pool.broadcast(60_000, { name: 'sleep', timeout: 20 });
  assert.deepEqual(codesOf(late), Array(3).fill('PLIMSOLL_POOL_TIMEOUT'));
});

test('close() in the middle waits for a broadcast, a forced one rejects what waits, destroy() rejects all', async (t) => {
  const waits = await ready(t, 2);
  const done = waits.broadcast(30, { name: 'sleep' });
  await waits.close();
  assert.deepEqual(codesOf(await done), ['fulfilled', 'fulfilled']);
  assert.equal((await caught(waits.broadcast(1, { name: 'add' }))).code, 'PLIMSOLL_POOL_CLOSED');
  const forced = await ready(t, 1);
  const gate = newGate();
  const running = forced.run(gate.words, { name: 'hold' });
  await gate.begun();
  const parts = Array.from({ length: 40 }, () => forced.broadcast(1, { name: 'add' }));
  const closing = forced.close({ force: true });
  gate.open();
  await closing;
  await running;
  for (const results of await Promise.all(parts))
    assert.deepEqual(codesOf(results), ['PLIMSOLL_POOL_ABORTED']);
  const destroyed = await ready(t, 2);
  const lost = Array.from({ length: 40 }, () => destroyed.broadcast(60_000, { name: 'sleep' }));
  await destroyed.destroy();
  for (const results of await Promise.all(lost))
    assert.ok(codesOf(results).every((code) => code === 'PLIMSOLL_POOL_CLOSED'));
});

test('priorities do not lead a part astray', async (t) => {
  const pool = await ready(t, 2);
  const first = Array.from({ length: 30 }, (_, value) => pool.broadcast(value, { name: 'note' }));
  const urgent = pool.run(1, { name: 'thread', priority: 5 });
  const second = Array.from({ length: 30 }, (_, value) => pool.broadcast(value + 30, { name: 'note' }));
  await Promise.all([...first, urgent, ...second]);
  const expected = Array.from({ length: 60 }, (_, value) => value);
  for (const notes of valuesOf(await pool.broadcast(0, { name: 'noted' }))) assert.deepEqual(notes, expected);
});

test('a broadcast refuses options that it has not, and values that move', async (t) => {
  const pool = await ready(t, 1);
  for (const options of [
    7,
    { transferList: [] },
    { key: 1 },
    { priority: 1 },
    { name: 5 },
    { signal: 'no' },
  ]) {
    const error = await caught(pool.broadcast(1, options as never));
    assert.equal(error.code, 'PLIMSOLL_POOL_BAD_OPTION', JSON.stringify(options));
  }
  assert.equal((await caught(pool.broadcast(move(new Uint8Array(4))))).code, 'PLIMSOLL_POOL_BAD_OPTION');
  const [part] = await pool.broadcast({ fn: () => {} }, { name: 'add' });
  assert.ok(part?.status === 'rejected');
  assert.equal((part.reason as { code?: string }).code, 'PLIMSOLL_POOL_UNCLONEABLE');
});
