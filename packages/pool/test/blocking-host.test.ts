import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MessageChannel } from 'node:worker_threads';
import { Pool, type PoolOptions } from '@plimsoll/pool';
import { fixture, newGate, poolFor, until } from './support.js';

/** Blocks this thread, as Piscina's own tests do, until tasks have added up to `count`. */
function blockUntil(shared: Int32Array, count: number): void {
  const end = performance.now() + 120_000;
  for (let seen = Atomics.load(shared, 0); seen < count; seen = Atomics.load(shared, 0)) {
    assert.ok(performance.now() < end, `only ${seen} of ${count} tasks began while the host was blocked`);
    Atomics.wait(shared, 0, seen, 1000);
  }
}

const counter = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));

const cases: Record<string, [options: PoolOptions, tasks: number]> = {
  'one starting worker': [{ minThreads: 1 }, 1],
  'a worker that the task itself has started': [{ minThreads: 0, maxThreads: 2 }, 2],
  'as many starting workers as tasks': [{ minThreads: 3, maxThreads: 3 }, 3],
  'as many tasks as starting workers run at once': [
    { minThreads: 2, maxThreads: 2, concurrentTasksPerWorker: 2 },
    4,
  ],
};

for (const [name, [options, tasks]] of Object.entries(cases)) {
  test(`the host may block until tasks with shared memory have begun: ${name}`, async (t) => {
    const shared = counter();
    const pool = poolFor(t, options);
    const runs = Array.from({ length: tasks }, () => pool.run(shared, { name: 'count' }));
    blockUntil(shared, tasks);
    assert.equal((await Promise.all(runs)).length, tasks);
  });
}

for (const kind of ['shared memory', 'numbers'])
  test(`the host may block until tasks with ${kind} have begun, the last one with a priority`, async (t) => {
    const options = { filename: fixture('stalls.mjs'), minThreads: 2, maxThreads: 2 };
    const pool = poolFor(t, options);
    await pool.ready();
    const shared = counter();
    await pool.broadcast(shared, { name: 'keep' });
    await until(() => pool.idleThreads === 2);
    const name = kind === 'numbers' ? 'countKept' : 'keepAndCount';
    const runs = [0, 1].map((priority) => pool.run(kind === 'numbers' ? 0 : shared, { name, priority }));
    blockUntil(shared, 2);
    await Promise.all(runs);
  });

test('the first tasks begin first, on as many workers as are kept', async (t) => {
  const pool = poolFor(t, { minThreads: 2, maxThreads: 2, concurrentTasksPerWorker: 2 });
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const runs = [0, 1, 2, 3].map((bit) => pool.run({ shared, bit }, { name: 'markAndWait' }));
  for (const marks of [0b0011, 0b1100]) {
    const end = performance.now() + 120_000;
    for (let seen = Atomics.load(shared, 0); seen !== marks; seen = Atomics.load(shared, 0)) {
      assert.equal(seen & ~marks, 0, 'a later task has begun first');
      assert.ok(performance.now() < end, `${seen} instead of ${marks}`);
      Atomics.wait(shared, 0, seen, 1000);
    }
    Atomics.store(shared, 0, 0);
    Atomics.notify(shared, 0);
  }
  await Promise.all(runs);
});

test('the host may block until a task with a transferred port has begun', async (t) => {
  const pool = poolFor(t);
  const shared = counter();
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const run = pool.run({ shared, port: port2 }, { name: 'countIn', transferList: [port2] });
  blockUntil(shared, 1);
  await run;
});

test('no task is given to a starting worker while a ready one idles', { timeout: 120_000 }, async (t) => {
  // The second worker starts for as long as the test takes.
  const pool = poolFor(t, {
    filename: fixture('gated.mjs'),
    workerData: { words: newGate().words, free: 1 },
    minThreads: 1,
    maxThreads: 2,
    idleTimeout: Number.POSITIVE_INFINITY,
  });
  await until(() => pool.idleThreads === 1);
  const ready = pool.threads[0]?.threadId;
  const shared = counter();
  // The second task starts a second worker; the third one is submitted while that worker starts and the first idles.
  const first = pool.run(shared, { name: 'count' });
  const second = pool.run(shared, { name: 'count' });
  await Promise.all([first, second]);
  assert.equal(await pool.run(shared, { name: 'threadOf' }), ready);
});

test('an aborted task with shared memory, and the next one in the same slot, while workers start', async () => {
  for (let round = 0; round < 10; round++) {
    const gate = newGate();
    const workerData = { words: gate.words, free: 0 };
    await using pool = new Pool({
      filename: fixture('gated.mjs'),
      workerData,
      minThreads: 2,
      maxThreads: 2,
    });
    const shared = counter();
    const controller = new AbortController();
    const aborted = pool.run(shared, { name: 'count', signal: controller.signal });
    controller.abort();
    const next = pool.run(shared, { name: 'count' });
    gate.open();
    await assert.rejects(aborted, { name: 'AbortError' });
    await next;
    assert.equal(Atomics.load(shared, 0), 1);
  }
});
