import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type PoolOptions } from '@plimsoll/pool';
import { observe } from '@plimsoll/pool/observe';
import type { Core } from '../dist/host/core.js';
import { caught, fixture, newGate, until } from './support.js';

// What has hung, once, or has been wrong, each as it was found. `SOON` is far more than any of it takes, and far less than what
// it has taken.
const SOON = 60_000;
const LONG = 600_000;

function poolFor(t: TestContext, options: PoolOptions = {}): Pool {
  const pool = new Pool({ filename: fixture('findings.mjs'), minThreads: 1, maxThreads: 1, ...options });
  pool.on('error', () => {});
  t.after(() => pool.destroy());
  return pool;
}

/** What a promise gives, or 'hangs'. */
const orHangs = (promise: Promise<unknown>): Promise<unknown> =>
  Promise.race([promise, sleep(SOON, 'hangs', { ref: false })]);

async function isSoon(promise: Promise<unknown>): Promise<void> {
  assert.notEqual(await orHangs(promise.then(() => 'done')), 'hangs');
}

/** Reads on until the pool ends the stream. */
async function read(stream: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of stream);
  } catch {
    // As it was to be.
  }
}

const outstanding = (pool: Pool): number =>
  Number(/^plimsoll_pool_task_outstanding (.*)$/m.exec(observe(pool).prometheusMetrics())?.[1]);

test('B1: `break` out of map() after a priority takes back what waits, and costs nobody anything', async (t) => {
  const gate = newGate();
  const pool = poolFor(t, { workerData: gate.words });
  await pool.run(0, { priority: 1 });
  const items = Array.from({ length: 50 }, (_, item) => item);
  for await (const _ of pool.map(items, { name: 'noted', concurrency: 20 })) break;
  gate.open();
  await until(() => outstanding(pool) === 0);
  assert.deepEqual(await orHangs(Promise.all([pool.run(1), pool.run(2), pool.run(3)])), [1, 2, 3]);
  const noted = (await pool.run(0, { name: 'notes' })) as number;
  assert.ok(
    noted <= 2,
    `${noted} items have run: the first, the one that ran by then, and some that were taken back`,
  );
  await isSoon(pool.close());
});

test('B1: the same with more items under way than the table has room for', async (t) => {
  const pool = poolFor(t);
  const items = Array.from({ length: 4000 }, (_, item) => item);
  for await (const _ of pool.map(items, { name: 'noted', concurrency: 3000 })) break;
  await until(() => outstanding(pool) === 0);
  assert.equal(await orHangs(pool.run(1)), 1);
  await isSoon(pool.close());
});

test('B2: a slow stream takes no room from tasks with a priority, nor does a hot key', async (t) => {
  const pool = poolFor(t, { minThreads: 4, maxThreads: 4 });
  await pool.ready();
  await pool.run(0, { priority: 1 });
  void read(pool.stream(null, { name: 'slow' }));
  await sleep(300);
  assert.equal(await orHangs(pool.run(1, { priority: 9 })), 1);
  const hot = Array.from({ length: 16 }, () =>
    pool.run(LONG, { name: 'sleeps', key: 'hot' }).catch(() => {}),
  );
  assert.equal(await orHangs(pool.run(2, { priority: 9 })), 2);
  await pool.destroy();
  await Promise.all(hot);
});

test('B3: tasks whose last worker dies while the breaker is open are served after its pause', async (t) => {
  const workerData = new Int32Array(new SharedArrayBuffer(8));
  const pool = poolFor(t, {
    filename: fixture('second-start-fails.mjs'),
    workerData,
    maxThreads: 2,
    breaker: { failures: 1, pause: 2000 },
  });
  // The start has failed: now the other worker dies.
  pool.once('workerDestroy', () => Atomics.store(workerData, 1, 1));
  await pool.ready();
  const runs = [pool.run('die'), pool.run(1), pool.run(2)];
  const ends = (await orHangs(Promise.allSettled(runs))) as PromiseSettledResult<unknown>[];
  assert.deepEqual(
    ends.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  );
});

test('B3: a task that runs again after its worker died waits for the pause of the breaker', async (t) => {
  // Until a start fails while the task still waits for its turn.
  for (const backoff of [500, 2500, 12_500]) {
    const pool = poolFor(t, {
      filename: fixture('second-start-fails.mjs'),
      workerData: new Int32Array(new SharedArrayBuffer(8)),
      breaker: { failures: 1, pause: backoff * 1.6 },
      retry: { max: 3, backoff },
    });
    await pool.ready();
    const deaths: number[] = [];
    pool.on('workerDestroy', () => deaths.push(performance.now()));
    const end = await orHangs(pool.run('dieOnce').catch(String));
    const [died = 0, failed = Number.POSITIVE_INFINITY] = deaths;
    if (failed - died >= backoff - 100) continue;
    assert.equal(end, 'dieOnce');
    return;
  }
  assert.fail('no worker started within seconds');
});

test('B4: a stream that is aborted when it has just been opened is closed in its worker', async (t) => {
  const pool = poolFor(t, { filename: fixture('disposing.mjs'), closeTimeout: LONG });
  await pool.ready();
  const ends = new Int32Array(new SharedArrayBuffer(8));
  const { core } = pool as unknown as { core: Core };
  const controller = new AbortController();
  const first = caught(pool.stream(ends, { name: 'endless', signal: controller.signal }).next());
  // The worker opens it; the host does not look.
  for (const end = performance.now() + SOON; !core.anythingDone() && performance.now() < end; );
  controller.abort();
  assert.equal((await first).name, 'AbortError');
  await isSoon(pool.close());
  assert.deepEqual([...ends], [1, 1], 'finally and dispose() have run');
});

test('B5: a forced close ends a stream that nobody reads', async (t) => {
  const pool = poolFor(t, { filename: fixture('disposing.mjs'), closeTimeout: LONG });
  const ends = new Int32Array(new SharedArrayBuffer(8));
  const stream = pool.stream(ends, { name: 'endless' });
  await stream.next();
  await isSoon(pool.close({ force: true }));
  assert.deepEqual([...ends], [1, 1], 'finally and dispose() have run');
});

test('B6: a hot key starts no worker that cannot help', async (t) => {
  const pool = poolFor(t, { maxThreads: 8, idleTimeout: 0 });
  let starts = 0;
  pool.on('workerCreate', () => starts++);
  const runs = Array.from({ length: 40 }, () => pool.run(10, { name: 'sleeps', key: 'a' }));
  assert.equal(pool.queueSize, 39, 'they wait for their worker');
  await Promise.all(runs);
  assert.equal(starts, 1);
});

test('B6: another key has a worker of its own', async (t) => {
  const pool = poolFor(t, { maxThreads: 2 });
  const slow = pool.run(LONG, { name: 'sleeps', key: 'a' }).catch(() => {});
  assert.equal(await orHangs(pool.run(1, { key: 'b' })), 1);
  await pool.destroy();
  await slow;
});

test('B7: a busy stream lets other tasks run in between on its worker', async (t) => {
  const pool = poolFor(t);
  await pool.ready();
  void read(pool.stream(null, { name: 'busy' }));
  await sleep(50);
  // It takes one or two items; it has taken all of them, of which there is no end.
  assert.equal(await orHangs(pool.run(1)), 1);
});

test('B8: an input that cannot be opened is a rejection, and the stream is over', async (t) => {
  const pool = poolFor(t, { closeTimeout: LONG });
  const locked = new ReadableStream();
  locked.getReader();
  const stream = pool.stream(locked, { name: 'slow' });
  assert.match((await caught(stream.next())).message, /locked/);
  assert.deepEqual(await orHangs(stream.next()), { done: true, value: undefined });
  await isSoon(pool.close());
});

test('B9: a close may be forced later, and is told once', async (t) => {
  const pool = poolFor(t, { closeTimeout: LONG });
  let closes = 0;
  pool.on('close', () => closes++);
  const runs = Array.from({ length: 100 }, () => pool.run(500, { name: 'sleeps' }).catch(({ code }) => code));
  const closed = pool.close();
  await isSoon(pool.close({ force: true }));
  await closed;
  assert.equal((await Promise.all(runs)).filter((code) => code === 'PLIMSOLL_POOL_ABORTED').length, 99);
  assert.equal(closes, 1);
});
