import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pool, type PoolEvents } from '@plimsoll/pool';
import { caught, fixture, poolFor, until } from './support.js';

test('capacity() resolves when a further task would not wait, onIdle() when none is under way', async (t) => {
  const pool = poolFor(t, { filename: fixture('findings.mjs'), name: 'sleeps' });
  await Promise.all([pool.capacity(), pool.onIdle()]);
  let under = 0;
  let most = 0;
  for (let task = 0; task < 20; task++) {
    await pool.capacity();
    most = Math.max(most, ++under);
    void pool.run(5).then(() => under--);
  }
  assert.equal(most, 1);
  await pool.onIdle();
  assert.equal(under, 0);
  const last = pool.run(50);
  const [room, idle] = [pool.capacity(), pool.onIdle()];
  await pool.close();
  await Promise.all([room, idle, last]);
  assert.equal((await caught(pool.capacity())).code, 'PLIMSOLL_POOL_CLOSED');
});

test('pause() begins no more tasks, resume() does; clear() rejects what waits', async (t) => {
  const pool = poolFor(t, {
    filename: fixture('findings.mjs'),
    name: 'noted',
    minThreads: 2,
    maxThreads: 2,
  });
  await pool.ready();
  const told = [1, 2].map(() => new Int32Array(new SharedArrayBuffer(8)));
  const first = told.map((words) => pool.run(words, { name: 'untilTold' }));
  await until(() => told.every((words) => Atomics.load(words, 0) === 1));
  const waiting = [pool.run(1), pool.run(2, { priority: 1 }), pool.run(3, { key: 'a' })];
  pool.pause();
  for (const words of told) Atomics.store(words, 1, 1);
  assert.deepEqual(await Promise.all(first), ['told', 'told']);
  const further = [pool.run(4), pool.run(5, { key: 'b' })];
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(pool.completed, 2);
  assert.equal(pool.queueSize, 3);
  const stream = pool.stream(3, { name: 'numbers' });
  pool.resume();
  assert.deepEqual(await Promise.all(waiting), [1, 2, 3]);
  assert.deepEqual(await Promise.all(further), [4, 5]);
  assert.equal((await stream.next()).value, 0);
  pool.pause();
  assert.equal((await stream.next()).value, 1, 'an open stream goes on');
  const late = [pool.run(6), pool.run(7, { key: 'a' }), pool.run(8, { priority: -1 })].map(caught);
  pool.clear();
  for (const error of await Promise.all(late)) assert.equal(error.code, 'PLIMSOLL_POOL_ABORTED');
  const left = pool.run(9);
  await stream.return?.();
  await pool.close();
  assert.equal(await left, 9, 'close() resumes');
});

test('close() has a timeout of its own; options cannot be changed; threads have a name', async (t) => {
  const pool = new Pool({ filename: fixture('findings.mjs'), name: 'sleeps', maxThreads: 1 });
  t.after(() => pool.destroy());
  assert.throws(() => Object.assign(pool.options, { maxThreads: 99 }), TypeError);
  assert.equal(pool.maxThreads, 1);
  void caught(pool.run(600_000));
  const before = performance.now();
  assert.equal((await caught(pool.close({ timeout: 50 }))).code, 'PLIMSOLL_POOL_CLOSE_TIMEOUT');
  assert.ok(performance.now() - before < 20_000);
});

test('listeners know what they get', async (t) => {
  const pool = poolFor(t);
  const threads: number[] = [];
  pool.on('workerCreate', (worker) => threads.push(worker.threadId));
  pool.once('drain', () => {});
  const events: (keyof PoolEvents)[] = ['workerCreate', 'workerDestroy', 'error'];
  for (const event of events) pool.on(event, () => {});
  await pool.run({ a: 1, b: 1 });
  await until(() => threads.length === 1);
});
