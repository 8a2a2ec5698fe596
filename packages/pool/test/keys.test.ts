import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Pool, type PoolOptions } from '@plimsoll/pool';
import { caught, fixture, newGate, until } from './support.js';

async function ready(t: TestContext, threads: number, options: PoolOptions = {}): Promise<Pool> {
  const filename = fixture('members.mjs');
  const pool = new Pool({ filename, minThreads: threads, maxThreads: threads, name: 'thread', ...options });
  t.after(() => pool.destroy());
  await pool.ready();
  return pool;
}

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

for (const options of [{}, { concurrentTasksPerWorker: 3 }]) {
  test(`tasks of a key run in one worker, whatever else runs (${JSON.stringify(options)})`, async (t) => {
    const pool = await ready(t, 3, options);
    const threads = new Map<string, Set<unknown>>();
    const others = range(300).map(() => pool.run(0));
    await Promise.all(
      range(600).map(async (index) => {
        const key = `user ${index % 20}`;
        const found = threads.get(key) ?? new Set();
        threads.set(key, found.add(await pool.run(0, { key })));
      }),
    );
    await Promise.all(others);
    for (const [key, found] of threads) assert.equal(found.size, 1, `${key} ran in ${found.size} workers`);
    const used = new Set([...threads.values()].flatMap((found) => [...found]));
    assert.equal(used.size, 3, 'the keys are spread over the workers');
  });
}

test('tasks of a key run in their order, more of them than a mailbox has room for', async (t) => {
  const pool = await ready(t, 2);
  await Promise.all(range(500).map((value) => pool.run(value, { name: 'note', key: 'k' })));
  assert.deepEqual(await pool.run(0, { name: 'noted', key: 'k' }), range(500));
});

test('a value that submits tasks of its key while it is read loses none of them', async (t) => {
  const pool = await ready(t, 1);
  const key = 'k';
  const inner: Promise<unknown>[] = [];
  const value = {
    get read() {
      for (let task = 0; inner.length < 20; task++) inner.push(pool.run(task, { name: 'note', key }));
      return true;
    },
  };
  // A mailbox has room for 16: the value is read when the last task of the lane gets its place there.
  const outer = range(15).map((task) => pool.run(task, { name: 'note', key }));
  outer.push(pool.run(value, { name: 'note', key }));
  await Promise.all(outer);
  assert.equal((await Promise.all(inner)).length, 20);
});

test('a key waits for its worker, and others do not wait for it', async (t) => {
  const pool = await ready(t, 2);
  const gate = newGate();
  const busy = pool.run(gate.words, { name: 'hold', key: 'a' });
  const order: string[] = [];
  const waiting = pool.run(0, { key: 'a' }).then(() => order.push('a'));
  await pool.run(0).then(() => order.push('free'));
  gate.open();
  await Promise.all([busy, waiting]);
  assert.deepEqual(order, ['free', 'a']);
});

test('a text and a number are different keys; 0 and the empty text are keys', async (t) => {
  const pool = await ready(t, 4);
  for (const key of [0, '', -1.5, 'a', Number.POSITIVE_INFINITY]) {
    const thread = await pool.run(0, { key });
    for (let time = 0; time < 5; time++) assert.equal(await pool.run(0, { key }), thread);
  }
  const pairs = range(12).map(
    async (key) => (await pool.run(0, { key })) === (await pool.run(0, { key: `${key}` })),
  );
  assert.ok((await Promise.all(pairs)).includes(false), 'some of twelve pairs are apart');
});

test('when the worker of a key dies its tasks go on in one other, except the one that it ran', async (t) => {
  const pool = await ready(t, 2);
  const thread = await pool.run(0, { key: 'k' });
  const killed = caught(pool.run(thread, { name: 'exitIn', key: 'k' }));
  const following = range(60).map((value) => pool.run(value, { name: 'note', key: 'k' }));
  assert.equal((await killed).code, 'PLIMSOLL_POOL_WORKER_EXITED');
  const threads = new Set(await Promise.all(following));
  assert.equal(threads.size, 1);
  assert.ok(!threads.has(thread));
  assert.deepEqual(await pool.run(0, { name: 'noted', key: 'k' }), range(60), 'in their order');
});

test('abort of a task of a key, waiting or running, and a retry leave the others of it where they belong', async (t) => {
  const pool = await ready(t, 2);
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const controller = new AbortController();
  const running = caught(pool.run(shared, { name: 'blockForever', key: 'k', signal: controller.signal }));
  const late = caught(pool.run(1, { name: 'note', key: 'k', timeout: 20 }));
  const following = range(50).map((value) => pool.run(value, { name: 'note', key: 'k' }));
  await until(() => Atomics.load(shared, 0) === 1);
  assert.equal((await late).code, 'PLIMSOLL_POOL_TIMEOUT');
  controller.abort();
  assert.equal((await running).code, 'PLIMSOLL_POOL_ABORTED');
  const threads = new Set(await Promise.all(following));
  assert.equal(threads.size, 1);
  const [thread] = threads;
  const again = await pool.run(thread, { name: 'exitIn', key: 'k', retry: { max: 1 } });
  assert.notEqual(again, thread, 'it ran again in another worker');
  assert.equal(await pool.run(0, { key: 'k' }), again);
});

test('without a worker a key starts one; objects that move go with it', async (t) => {
  const filename = fixture('members.mjs');
  const pool = new Pool({ filename, minThreads: 0, maxThreads: 2, name: 'size' });
  t.after(() => pool.destroy());
  const results = await Promise.all(
    range(30).map((length) => {
      const bytes = new Uint8Array(900 * length + 1);
      return pool.run(bytes, { key: 'k', transferList: [bytes.buffer] });
    }),
  );
  assert.deepEqual(
    results.map((result) => (result as { length: number }).length),
    range(30).map((length) => 900 * length + 1),
  );
  assert.equal(new Set(results.map((result) => (result as { threadId: number }).threadId)).size, 1);
});

test('tasks of keys that wait are rejected with the rest: no worker can start, close({ force }), destroy()', async (t) => {
  const counts = new Int32Array(new SharedArrayBuffer(8));
  const broken = new Pool({
    ...{ filename: fixture('lifecycle.mjs'), minThreads: 0, maxThreads: 1 },
    workerData: { counts, setupFails: -1 },
  });
  t.after(() => broken.destroy());
  const errors = await Promise.all(range(30).map((key) => caught(broken.run(0, { name: 'stateOf', key }))));
  assert.ok(errors.every(({ code }) => code === 'PLIMSOLL_POOL_START_FAILED'));
  const forced = await ready(t, 1);
  const gate = newGate();
  const running = forced.run(gate.words, { name: 'hold' });
  await gate.begun();
  const waiting = range(40).map(() => caught(forced.run(0, { key: 'k' })));
  const closing = forced.close({ force: true });
  gate.open();
  await closing;
  await running;
  for (const error of await Promise.all(waiting)) assert.equal(error.code, 'PLIMSOLL_POOL_ABORTED');
  const destroyed = await ready(t, 1);
  const lost = range(40).map(() => caught(destroyed.run(60_000, { name: 'sleep', key: 'k' })));
  await destroyed.destroy();
  for (const error of await Promise.all(lost)) assert.equal(error.code, 'PLIMSOLL_POOL_CLOSED');
});

test('a pool that is made smaller, and one that recycles, moves keys and loses none of their tasks', async (t) => {
  const pool = await ready(t, 3, { maxTasksPerWorker: 40 });
  const runs: Promise<unknown>[] = [];
  for (let round = 0; round < 30; round++) {
    if (round % 10 === 5) pool.resize({ minThreads: 1, maxThreads: 1 });
    if (round % 10 === 9) pool.resize({ minThreads: 3, maxThreads: 3 });
    for (const key of range(8)) runs.push(pool.run({ value: round, ms: 1 }, { name: 'noteLater', key }));
    await pool.run(1, { name: 'sleep' });
  }
  assert.equal((await Promise.all(runs)).length, 240);
  assert.equal(pool.queueSize, 0);
});

test('all tasks of a key leave a worker that is replaced, in their order', async (t) => {
  const pool = await ready(t, 1, { maxTasksPerWorker: 5 });
  for (const _ of range(5)) await pool.run(0, { key: 'k' });
  const gate = newGate();
  const running = pool.run(gate.words, { name: 'hold', key: 'k' });
  const order: number[] = [];
  const following = range(40).map((value) => pool.run(0, { key: 'k' }).then(() => order.push(value)));
  await gate.begun();
  await following.at(-1);
  assert.deepEqual(order, range(40));
  gate.open();
  await running;
});

test('calls of a proxy may have a key', async (t) => {
  const pool = await ready(t, 3);
  const api = pool.proxy<{ thread: () => number }>({ key: 7 });
  const threads = new Set(await Promise.all(range(20).map(() => api.thread())));
  assert.equal(threads.size, 1);
});

for (const key of [null, true, {}, [], Symbol('s'), 1n, Number.NaN, () => 1]) {
  test(`a key of the wrong kind is a coded error: ${String(typeof key)} ${typeof key === 'symbol' ? '' : key}`, async (t) => {
    const pool = await ready(t, 1);
    const error = await caught(pool.run(0, { key: key as never }));
    assert.equal(error.code, 'PLIMSOLL_POOL_BAD_OPTION');
    assert.match(error.message, /^options\.key must be a string or a number, not /);
    assert.equal(typeof (await pool.run(0)), 'number');
  });
}
