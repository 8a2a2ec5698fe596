import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { observe } from '@plimsoll/pool/observe';
import { TestPool } from '@plimsoll/pool/testing';
import { receiveContext } from '@plimsoll/pool/worker';
import { caught } from './support.js';

const filename = '/of/the/test/worker.js';

/** A module for each worker that notes what is called. */
function living(notes: string[], setup?: (threadId: number) => unknown) {
  return (_file: string, threadId: number) => ({
    setup: async () => {
      await setup?.(threadId);
      notes.push(`setup ${threadId}`);
    },
    dispose: () => void notes.push(`dispose ${threadId}`),
    default: (value: unknown) => {
      notes.push(`call ${threadId}`);
      return value;
    },
  });
}

test('setup() before the first task of each worker, dispose() before its end', async () => {
  const notes: string[] = [];
  const pool = new TestPool({ filename, load: living(notes), minThreads: 2, maxThreads: 2 });
  await pool.ready();
  assert.deepEqual(notes.splice(0), ['setup 1', 'setup 2']);
  const parts = await pool.broadcast(7);
  assert.deepEqual(
    parts.map(({ threadId, status }) => [threadId, status]),
    [
      [1, 'fulfilled'],
      [2, 'fulfilled'],
    ],
  );
  assert.deepEqual(notes.splice(0), ['call 1', 'call 2']);
  pool.resize({ minThreads: 1, maxThreads: 1 });
  await pool.advance(0);
  assert.equal(pool.threads.length, 1);
  assert.equal(await pool.run(1), 1);
  await pool.close();
  assert.deepEqual(notes.filter((note) => note.startsWith('dispose')).sort(), ['dispose 1', 'dispose 2']);
});

test("a task meets its timeout while the pool's file, or another one, never gets ready", async (t) => {
  const never = (): Promise<never> => new Promise(() => {});
  const load = (file: string) => ({
    setup: () => (file === '/of/the/test/stuck.js' ? never() : undefined),
    default: (value: unknown) => value,
  });
  const stuck = new TestPool({ filename: '/of/the/test/stuck.js', load, minThreads: 1 });
  t.after(() => stuck.destroy());
  assert.equal((await caught(stuck.run(1, { timeout: 10 }))).code, 'PLIMSOLL_POOL_TIMEOUT');
  await stuck.close();
  const pool = new TestPool({ filename, load, minThreads: 1, maxThreads: 1 });
  t.after(() => pool.destroy());
  const error = await caught(pool.run(1, { filename: '/of/the/test/stuck.js', timeout: 10 }));
  assert.equal(error.code, 'PLIMSOLL_POOL_TIMEOUT');
  assert.equal(await pool.run(2), 2);
});

test('a setup() that fails, and a worker that dies instead of the second setup()', async () => {
  let isBroken = true;
  const setup = () => {
    if (isBroken) throw new RangeError('no database');
  };
  const notes: string[] = [];
  const pool = new TestPool({ filename, load: living(notes, setup), minThreads: 1, maxThreads: 1 });
  pool.on('error', () => {});
  const error = await caught(pool.run(1));
  assert.equal(error.code, 'PLIMSOLL_POOL_START_FAILED');
  assert.ok(error.cause instanceof RangeError);
  isBroken = false;
  const fault = pool.inject({ kind: 'start' });
  assert.equal((await caught(pool.run(2))).code, 'PLIMSOLL_POOL_START_FAILED');
  assert.equal(fault.hits, 1);
  assert.equal(await pool.run(3), 3);
  await pool.destroy();
});

test('workers are recycled after so many tasks', async () => {
  const notes: string[] = [];
  const load = living(notes);
  const pool = new TestPool({ filename, load, minThreads: 1, maxThreads: 1, maxTasksPerWorker: 2 });
  for (let value = 0; value < 5; value++) {
    assert.equal(await pool.run(value), value);
    await pool.advance(0);
  }
  await pool.close();
  const callers = notes.filter((note) => note.startsWith('call'));
  assert.deepEqual(callers, ['call 1', 'call 1', 'call 2', 'call 2', 'call 3']);
  assert.deepEqual(notes.filter((note) => note.startsWith('dispose')).length, 3);
});

test('stores travel with a task, and others of the test do not', async () => {
  const [sent, other] = [new AsyncLocalStorage(), new AsyncLocalStorage()];
  receiveContext({ sent });
  const load = () => ({ default: async () => [sent.getStore(), other.getStore()] });
  const pool = new TestPool({ filename, load, context: { sent } });
  const got = await sent.run('a request', () => other.run('secret', () => pool.run(0)));
  assert.deepEqual(got, ['a request', undefined]);
  await pool.destroy();
});

test('observe() knows the tasks', async () => {
  const load = () => ({ default: (value: unknown) => value });
  const pool = new TestPool({ filename, load, explain: true, minThreads: 1, maxThreads: 1 });
  observe(pool);
  for (let value = 0; value < 3; value++) await pool.run(value);
  assert.match(observe(pool).prometheusMetrics(), /plimsoll/);
  assert.ok(Array.isArray(observe(pool).explain().advice));
  await pool.close();
});

test('close() waits no longer than its timeout for a dispose(), or for the reader of a stream', async () => {
  const load = () => ({ default: () => [1, 2], dispose: () => new Promise(() => {}) });
  const options = { filename, load, minThreads: 1, maxThreads: 1, closeTimeout: 2000 };
  const stuck = new TestPool(options);
  await stuck.run(1);
  assert.match((await caught(stuck.close())).message, /dispose\(\) of a worker did not end in time/);
  assert.equal(stuck.duration, 2000);
  const pool = new TestPool(options);
  await pool.stream(1, { highWaterMark: 1 }).next();
  assert.match((await caught(pool.close())).message, /0 tasks and 1 streams left/);
  assert.equal(pool.duration, 2000);
});
