import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Pool, type PoolOptions, WorkerError } from '@plimsoll/pool';
import { Piscina } from '@plimsoll/pool/piscina';
import { caught, fixture, until } from './support.js';

interface Living {
  pool: Pool;
  setups(): number;
  disposals(): number;
}

function living(t: TestContext, workerData: object = {}, options: PoolOptions = {}): Living {
  const counts = new Int32Array(new SharedArrayBuffer(8));
  const pool = new Pool({
    ...{ filename: fixture('lifecycle.mjs'), minThreads: 1, maxThreads: 1, name: 'stateOf' },
    ...{ workerData: { counts, ...workerData }, ...options },
  });
  t.after(() => pool.destroy());
  return { pool, setups: () => Atomics.load(counts, 0), disposals: () => Atomics.load(counts, 1) };
}

test('setup() is called once in each worker, and is done before its first task', async (t) => {
  const { pool, setups } = living(t, { setupTakes: 30 }, { minThreads: 2, maxThreads: 2 });
  const states = await Promise.all(Array.from({ length: 20 }, () => pool.run(5, { name: 'block' })));
  assert.deepEqual([...new Set(states)], ['set up']);
  await pool.ready();
  assert.equal(setups(), 2);
});

test('ready waits for setup() in as many workers as there must be', async (t) => {
  const { pool, setups } = living(t, { setupTakes: 20 }, { minThreads: 3, maxThreads: 3 });
  await Promise.all([pool.ready(), pool.ready()]);
  assert.equal(pool.idleThreads, 3);
  assert.equal(setups(), 3);
  await pool.ready();
});

test('ready is there at once without workers that must be, and not any more when the pool is closed', async (t) => {
  const { pool } = living(t, {}, { minThreads: 0 });
  await pool.ready();
  assert.equal(pool.threads.length, 0);
  await pool.close();
  assert.equal((await caught(pool.ready())).code, 'PLIMSOLL_POOL_CLOSED');
  const ended = living(t, { setupTakes: 60_000 });
  const ready = caught(ended.pool.ready());
  await ended.pool.destroy();
  assert.equal((await ready).code, 'PLIMSOLL_POOL_CLOSED');
});

test('a setup() that fails is a coded start failure for ready, and for tasks that wait', async (t) => {
  const { pool, setups } = living(t, { setupFails: -1 });
  const [ready, task] = await Promise.all([caught(pool.ready()), caught(pool.run(0))]);
  for (const error of [ready, task]) {
    assert.ok(error instanceof WorkerError);
    assert.equal(error.code, 'PLIMSOLL_POOL_START_FAILED');
    assert.match(error.message, /before it was ready.*: setup number 0$/);
    assert.equal((error.cause as Error).name, 'RangeError');
  }
  assert.equal(setups(), 1);
});

test('after a setup() that has failed another worker is started for the next who asks', async (t) => {
  const { pool, setups } = living(t, { setupFails: 1 });
  assert.equal((await caught(pool.run(0))).code, 'PLIMSOLL_POOL_START_FAILED');
  assert.equal(await pool.run(0), 'set up');
  await pool.ready();
  assert.equal(setups(), 2);
});

test('without anybody who waits a setup() that fails is an error event', async (t) => {
  const { pool } = living(t, { setupFails: -1 });
  const errors: { code?: string }[] = [];
  pool.on('error', (error) => errors.push(error as { code?: string }));
  await until(() => errors.length > 0);
  assert.equal(errors[0]?.code, 'PLIMSOLL_POOL_START_FAILED');
});

test('a worker file that swallows errors does not hide that its setup() has failed', async (t) => {
  const { pool } = living(t, { setupFails: -1, swallows: true });
  assert.equal((await caught(pool.run(0))).code, 'PLIMSOLL_POOL_START_FAILED');
});

test('another file is set up before its first task; one that fails rejects its tasks, and the worker stays', async (t) => {
  const counts = new Int32Array(new SharedArrayBuffer(8));
  const filename = fixture('lifecycle.mjs');
  const options = { minThreads: 1, maxThreads: 1, filename: fixture('tasks.mjs') };
  const good = new Pool({ ...options, workerData: { counts } });
  t.after(() => good.destroy());
  assert.equal(await good.run(0, { filename, name: 'stateOf' }), 'set up');
  assert.equal(await good.run(0, { filename, name: 'stateOf' }), 'set up');
  assert.equal(Atomics.load(counts, 0), 1);
  await good.close();
  assert.equal(Atomics.load(counts, 1), 1, 'it was disposed of');

  Atomics.store(counts, 0, 0);
  const bad = new Pool({ ...options, workerData: { counts, setupFails: -1 } });
  t.after(() => bad.destroy());
  const thread = await bad.run(0, { name: 'thread' });
  for (const name of ['stateOf', 'stateOf', 'thread']) {
    const error = await caught(bad.run(0, { filename, name }));
    assert.ok(error instanceof WorkerError);
    assert.equal(error.code, 'PLIMSOLL_POOL_START_FAILED');
    assert.equal(error.taskName, name);
    assert.match(error.message, /^setup\(\) of .*lifecycle\.mjs failed: setup number 0$/);
  }
  assert.equal(Atomics.load(counts, 0), 1, 'it was not tried again');
  assert.equal(await bad.run(0, { name: 'thread' }), thread);
});

test('close() lets each worker dispose, after its last task; destroy() does not', async (t) => {
  const closed = living(t, { disposeTakes: 20 }, { minThreads: 2, maxThreads: 2 });
  await closed.pool.ready();
  const states = [1, 2, 3, 4].map(() => closed.pool.run(10, { name: 'sleep' }));
  await closed.pool.close();
  assert.deepEqual(await Promise.all(states), Array(4).fill('set up'));
  assert.equal(closed.disposals(), 2);
  assert.equal(closed.pool.threads.length, 0);
  const destroyed = living(t);
  await destroyed.pool.ready();
  await destroyed.pool.destroy();
  assert.equal(destroyed.disposals(), 0);
});

test('a worker that is stopped for idling disposes', async (t) => {
  const { pool, disposals } = living(t, {}, { minThreads: 0, idleTimeout: 50 });
  assert.equal(await pool.run(0), 'set up');
  await until(() => pool.threads.length === 0);
  assert.equal(disposals(), 1);
  assert.equal(await pool.run(0), 'set up', 'another one is started');
});

test('a dispose() that fails is an error event, and the pool is closed', async (t) => {
  const { pool } = living(t, { disposeFails: true });
  await pool.ready();
  const errors: unknown[] = [];
  pool.on('error', (error) => errors.push(error));
  await pool.close();
  assert.deepEqual(
    errors.map((error) => (error as Error).message),
    ['of dispose'],
  );
  assert.equal(pool.threads.length, 0);
});

test('a dispose() without an end takes closeTimeout at most, and destroy() ends it at once', async (t) => {
  const slow = living(t, { disposeTakes: 600_000 }, { closeTimeout: 100 });
  await slow.pool.ready();
  assert.equal((await caught(slow.pool.close())).code, 'PLIMSOLL_POOL_CLOSE_TIMEOUT');
  assert.equal(slow.disposals(), 0);
  const ended = living(t, { disposeTakes: 600_000 });
  await ended.pool.ready();
  const closing = ended.pool.close();
  await new Promise((resolve) => setTimeout(resolve, 50));
  await ended.pool.destroy();
  await closing;
  assert.equal(ended.disposals(), 0);
});

test('the worker in the place of one that died or was killed is set up, too', async (t) => {
  const { pool, setups, disposals } = living(t);
  await caught(pool.run(0, { name: 'exit' }));
  assert.equal(await pool.run(0), 'set up');
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const controller = new AbortController();
  const killed = caught(pool.run(shared, { name: 'blockForever', signal: controller.signal }));
  await until(() => Atomics.load(shared, 0) === 1);
  controller.abort();
  await killed;
  assert.equal(await pool.run(0), 'set up');
  assert.equal(setups(), 3);
  await pool.close();
  assert.equal(disposals(), 1, 'the last one alone');
});

test('to Piscina setup and dispose are functions like others', async (t) => {
  const counts = new Int32Array(new SharedArrayBuffer(8));
  const filename = fixture('lifecycle.mjs').href;
  const piscina = new Piscina({ filename, name: 'stateOf', maxThreads: 1, workerData: { counts } });
  t.after(() => piscina.destroy());
  assert.equal(await piscina.run(0), 'new');
  await piscina.run(0, { name: 'setup' });
  assert.equal(await piscina.run(0), 'set up');
  await piscina.close();
  assert.deepEqual([...counts], [1, 0]);
});

test('a worker ends though its file has put something in the place of process and its exit()', async () => {
  const pool = new Pool({
    filename: fixture('no-exit.mjs'),
    minThreads: 1,
    maxThreads: 1,
    closeTimeout: 30_000,
  });
  assert.equal(await pool.run(1), 1);
  await pool.close();
});
