import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { move, Pool, type PoolOptions } from '@plimsoll/pool';
import { observe } from '@plimsoll/pool/observe';
import type { PiscinaWorker } from '@plimsoll/pool/piscina';
import { TestPool } from '@plimsoll/pool/testing';
import type { Core } from '../dist/host/core.js';
import type { WorkerHandle } from '../dist/host/worker-handle.js';
import type { Message } from '../dist/shared/messages.js';
import { caught, fixture, piscinaFor, until } from './support.js';

const SOON = 60_000;
const LONG = 600_000;

function poolFor(t: TestContext, options: PoolOptions = {}): Pool {
  const pool = new Pool({ filename: fixture('findings.mjs'), minThreads: 1, maxThreads: 1, ...options });
  pool.on('error', () => {});
  t.after(() => pool.destroy());
  return pool;
}

const orHangs = (promise: Promise<unknown>): Promise<unknown> =>
  Promise.race([promise, sleep(SOON, 'hangs', { ref: false })]);

test('B10: more transfers than a mailbox has room for all arrive', async (t) => {
  const pool = poolFor(t, { concurrentTasksPerWorker: 2000 });
  const runs = Array.from({ length: 1100 }, () => {
    const buffer = new ArrayBuffer(20_000);
    return pool.run(buffer, { transferList: [buffer] });
  });
  assert.equal((await Promise.allSettled(runs)).filter(({ status }) => status === 'rejected').length, 0);
});

test('B11: a stream has the worker of its key', async (t) => {
  const pool = poolFor(t, { minThreads: 4, maxThreads: 4 });
  await pool.ready();
  for (let key = 0; key < 20; key++) {
    const thread = await pool.run(0, { name: 'thread', key });
    for await (const of of pool.stream(0, { name: 'threads', key })) assert.equal(of, thread);
  }
});

test('B13, F6: JSON.stringify of a proxy, and what loggers ask of it, calls nothing', async (t) => {
  const pool = poolFor(t);
  const api = pool.proxy();
  assert.equal(JSON.stringify({ api }), '{"api":{}}');
  for (const name of ['then', 'toJSON', 'constructor', 'asymmetricMatch', 'nodeType', '$$typeof'])
    assert.equal((api as Record<string, unknown>)[name], undefined);
  assert.equal(outstanding(pool), 0);
});

test('B14: a balancer is shown the same task each time that it is asked', async (t) => {
  const ids = new Set<number>();
  const pool = piscinaFor(t, {
    loadBalancer: (task, [worker]) => {
      ids.add(task.taskId);
      return worker?.currentUsage === 0 ? worker : null;
    },
  });
  await Promise.all([1, 2, 3, 4].map((task) => pool.run(task)));
  assert.equal(ids.size, 4);
});

test('B15: names that no task has are forgotten, by the pool and by its workers', async (t) => {
  const pool = poolFor(t, { concurrentTasksPerWorker: 2 });
  const api = pool.proxy() as unknown as Record<string, (value: unknown) => Promise<unknown>>;
  const echo = api.echo as (value: unknown) => Promise<unknown>;
  assert.equal(await echo(1), 1);
  const { core } = pool as unknown as { core: Core };
  const [worker] = core.workers as [WorkerHandle];
  const post = worker.post.bind(worker);
  const known = new Set<number>();
  t.mock.method(worker, 'post', (message: Message) => {
    if (message[0] === 'handler') known.add(message[1]);
    if (message[0] === 'forget') for (const id of message[1]) known.delete(id);
    post(message);
  });
  const begun = new Int32Array(new SharedArrayBuffer(8));
  const running = pool.run(begun, { name: 'untilTold' });
  await until(() => Atomics.load(begun, 0) === 1);
  const mapped = pool.map([1, 2], { concurrency: 1 });
  assert.equal((await mapped.next()).value, 1);
  for (let name = 0; name < 3000; name++)
    assert.equal((await caught(pool.run(0, { name: `n${name}` }))).code, 'PLIMSOLL_POOL_LOAD_FAILED');
  assert.ok(core.handlers.byId.size <= 1000, String(core.handlers.byId.size));
  assert.ok(known.size <= 1000, String(known.size));
  Atomics.store(begun, 1, 1);
  assert.equal(await running, 'told');
  assert.deepEqual([await echo(2), (await mapped.next()).value, await pool.run(3)], [2, 2, 3]);
  await core.workers[0]?.thread.terminate();
  assert.equal(await echo(4), 4);
});

test('B16: a worker that is gone is kept by nobody, though no task has its keys any more', async (t) => {
  const pool = poolFor(t);
  await pool.run(0, { key: 'once' });
  const gone = await (async () => {
    const [thread] = pool.threads;
    await thread?.terminate();
    return new WeakRef(thread as object);
  })();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (const end = performance.now() + SOON; gone.deref() !== undefined && performance.now() < end; ) {
    await pool.run(0);
    await sleep(5);
    collect();
  }
  assert.equal(gone.deref(), undefined);
});

test('B17: a payload that was sent ahead to a worker is not kept when its task is taken back', async (t) => {
  const pool = poolFor(t, { filename: fixture('slow-start.mjs') });
  const controller = new AbortController();
  const buffer = new ArrayBuffer(200e6);
  const run = caught(pool.run(buffer, { transferList: [buffer], signal: controller.signal }));
  controller.abort();
  assert.equal((await run).name, 'AbortError');
  await pool.ready();
  const kept = (): Promise<unknown> => pool.run(0, { name: 'buffers' });
  const end = performance.now() + SOON;
  while (((await kept()) as number) > 150e6 && performance.now() < end) await sleep(20);
  assert.ok(((await kept()) as number) < 150e6, 'the worker keeps what was sent ahead');
});

test('B18: to look at the threads of a pool starts none', async (t) => {
  const pool = poolFor(t, { minThreads: 2, maxThreads: 2 });
  assert.equal(pool.threads.length, 1);
  assert.equal(pool.threads.length, 1);
  await until(() => pool.threads.length === 2);
});

test('B19: utilization is no more than 1, however many tasks a worker runs at once', async (t) => {
  const pool = poolFor(t, { concurrentTasksPerWorker: 100 });
  await Promise.all(Array.from({ length: 100 }, () => pool.run(100, { name: 'sleeps' })));
  assert.ok(pool.utilization > 0 && pool.utilization <= 1, String(pool.utilization));
});

test('B20: a worker that failed to start is replaced while others live', async (t) => {
  const pool = poolFor(t, {
    filename: fixture('second-start-fails.mjs'),
    workerData: new Int32Array(new SharedArrayBuffer(4)),
    minThreads: 2,
    maxThreads: 2,
  });
  await until(() => pool.idleThreads === 2);
});

test('F1: more next() at once than items are made ahead all settle', async (t) => {
  const pool = poolFor(t);
  const stream = pool.stream(30, { name: 'numbers', highWaterMark: 1 });
  const asked = await orHangs(Promise.all(Array.from({ length: 35 }, () => stream.next())));
  assert.ok(Array.isArray(asked));
  assert.deepEqual(
    asked.map(({ value }) => value),
    [...Array(30).keys(), ...Array(5)],
  );
});

test('F2: an item of a source that the worker cannot read is told to the function', async (t) => {
  const pool = poolFor(t, { resourceLimits: { stackSizeMb: 0.5 } });
  let deep: unknown = 1;
  for (let level = 0; level < 3000; level++) deep = [deep];
  const source = async function* (): AsyncGenerator {
    for (let item = 0; item < 20; item++) yield deep;
  };
  const error = await orHangs(caught(pool.run(source(), { name: 'all' })));
  assert.equal((error as { code?: string }).code, 'PLIMSOLL_POOL_UNCLONEABLE');
});

test('F3: the part of a broadcast for a worker that resize() stops is not said to have failed to start', async (t) => {
  const pool = poolFor(t, { filename: fixture('slow-start.mjs'), minThreads: 0, maxThreads: 4 });
  const runs = Array.from({ length: 4 }, () => pool.run(0));
  const parts = pool.broadcast(1);
  pool.resize({ minThreads: 1, maxThreads: 1 });
  for (const part of await parts)
    if (part.status === 'rejected')
      assert.equal((part.reason as { code?: string }).code, 'PLIMSOLL_POOL_WORKER_STOPPED');
  assert.deepEqual(await Promise.all(runs), [0, 0, 0, 0]);
});

test('F4: nobody keeps the memory of a large value: a collection in both threads frees it', async (t) => {
  const pool = poolFor(t);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const before = process.memoryUsage().arrayBuffers;
  await (() => pool.run(new Uint8Array(160e6), { name: 'thread' }))();
  const end = performance.now() + SOON;
  let [inWorker, here] = [1e9, 1e9];
  while ((inWorker > 100e6 || here > 100e6) && performance.now() < end) {
    inWorker = (await pool.run(0, { name: 'collected' })) as number;
    collect();
    here = process.memoryUsage().arrayBuffers - before;
  }
  assert.ok(inWorker < 100e6 && here < 100e6, `${inWorker} bytes there, ${here} here`);
});

test('F5: in a test, too, a function that never answers meets its timeout', async () => {
  await using pool = new TestPool({
    filename: '/never.mjs',
    load: () => ({ default: () => new Promise(() => {}) }),
  });
  const error = await orHangs(caught(pool.run(1, { timeout: 30 })));
  assert.equal((error as { code?: string }).code, 'PLIMSOLL_POOL_TIMEOUT');
});

test('F7: a close that times out rejects, and says what was left', async (t) => {
  const pool = new Pool({ filename: fixture('findings.mjs'), maxThreads: 1, closeTimeout: 100 });
  t.after(() => pool.destroy());
  const run = caught(pool.run(LONG, { name: 'sleeps' }));
  const error = await caught(pool.close());
  assert.equal(error.code, 'PLIMSOLL_POOL_CLOSE_TIMEOUT');
  assert.match(error.message, /1 task/);
  assert.equal((await run).code, 'PLIMSOLL_POOL_CLOSED');
});

test('F9: a balancer that returns anything but a worker or null rejects the task', async (t) => {
  for (const answer of [Promise.resolve(null), 5, { id: 1 }]) {
    const pool = piscinaFor(t, { loadBalancer: (_task) => answer as unknown as PiscinaWorker });
    const error = await orHangs(caught(pool.run(1)));
    assert.equal((error as { code?: string }).code, 'PLIMSOLL_POOL_BAD_OPTION');
  }
});

test('F11: an iterator whose next() gives no object is told, as `for…of` does', async (t) => {
  const pool = poolFor(t);
  const stream = pool.stream(0, { name: 'badIterator' });
  assert.match((await caught(stream.next())).message, /not an object/);
  const source = { [Symbol.asyncIterator]: () => ({ next: () => 5 }) };
  assert.match((await caught(pool.run(source, { name: 'all' }))).message, /not an object/);
});

const outstanding = (pool: Pool): number =>
  Number(/^plimsoll_pool_task_outstanding (.*)$/m.exec(observe(pool).prometheusMetrics())?.[1]);

test('a Buffer that shares its memory with others is copied when it is to be moved', async (t) => {
  const pool = poolFor(t);
  const buffer = Buffer.from('hello');
  assert.ok(buffer.buffer.byteLength > buffer.length);
  assert.deepEqual(await pool.run(move(buffer)), new Uint8Array([...buffer]));
  assert.equal(
    await pool.proxy<{ movesBuffer(): Promise<Uint8Array> }>().movesBuffer().then(String),
    '104,105',
  );
  assert.equal(String(buffer), 'hello');
});
