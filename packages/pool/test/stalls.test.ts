import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import type { Pool, PoolOptions } from '@plimsoll/pool';
import Tinypool from '@plimsoll/pool/tinypool';
import { caught, fixture, newGate, poolFor, until } from './support.js';

// Tasks that idle workers could run, and tasks that are lost with a worker, where two features meet.

const LIMIT = { timeout: 120_000 };
const BYTES = 20_000;
const TWO: PoolOptions = { filename: fixture('stalls.mjs'), minThreads: 2, maxThreads: 2 };

interface Core {
  readonly workers: readonly { readonly mailCount: number }[];
  readonly blocked: ReadonlyMap<unknown, unknown>;
  readonly returning: ReadonlyMap<number, unknown>;
}
const coreOf = (pool: Pool): Core => (pool as unknown as { core: Core }).core;
const hasMail = (pool: Pool): boolean => coreOf(pool).workers.some(({ mailCount }) => mailCount > 0);

function transfer(pool: Pool | Tinypool, options = {}): Promise<unknown> {
  const buffer = new ArrayBuffer(BYTES);
  return pool.run(buffer, { name: 'length', transferList: [buffer], ...options });
}
const transfers = (pool: Pool | Tinypool, count: number, options = {}): Promise<unknown>[] =>
  Array.from({ length: count }, () => transfer(pool, options));

/** Its workers have ended short tasks, so that they get further ones ahead. */
async function quickPool(t: TestContext, options: PoolOptions = {}): Promise<Pool> {
  const pool = poolFor(t, { ...TWO, ...options });
  await pool.ready();
  for (let round = 0; round < 3; round++) await Promise.all(transfers(pool, 30));
  return pool;
}

for (const [kind, timeout] of [
  ['a signal', undefined],
  ['a timeout', 150],
] as const) {
  test(`a task that ${kind} ends takes no other task with it`, LIMIT, async (t) => {
    const pool = await quickPool(t);
    const gate = newGate();
    const controller = new AbortController();
    const options = timeout === undefined ? { signal: controller.signal } : { timeout };
    const ended = caught(pool.run(gate.words, { name: 'hold', ...options }));
    await gate.begun();
    const other = pool.run(600, { name: 'busy' });
    const runs = transfers(pool, 24);
    if (timeout === undefined) setTimeout(() => controller.abort(), 50);
    await ended;
    assert.deepEqual(await Promise.all(runs), Array(24).fill(BYTES));
    await other;
  });
}

for (const options of [
  { minThreads: 2 },
  { minThreads: 2, retry: { max: 1 } },
  { minThreads: 0, maxThreads: 1, concurrentTasksPerWorker: 4 },
])
  test(`an abort spares the tasks behind the aborted one: ${JSON.stringify(options)}`, LIMIT, async (t) => {
    const pool = poolFor(t, { ...TWO, ...options });
    const gate = newGate();
    const controller = new AbortController();
    const { signal } = controller;
    const ended = caught(pool.run(gate.words, { name: 'hold', key: 1, signal }));
    const plain = pool.run(1, { key: 1 });
    const runs = [...transfers(pool, 2), ...transfers(pool, 10, { key: 1 })];
    await gate.begun();
    controller.abort();
    await ended;
    assert.deepEqual(await Promise.all(runs), Array(12).fill(BYTES));
    assert.equal(await plain, 1);
  });

test('an abort spares what its worker was sent before, and would have run after it', LIMIT, async (t) => {
  for (const options of [{}, { key: 2 }]) {
    const pool = poolFor(t, { ...TWO, minThreads: 1, maxThreads: 1 });
    const [keyed, aborted] = [newGate(), newGate()];
    const first = pool.run(keyed.words, { name: 'hold', key: 1 });
    await keyed.begun();
    // After a task with a key it is the turn of those that wait for all, before the next one with a key.
    const second = pool.run(1, { key: 1 });
    const runs = transfers(pool, 3, options);
    const controller = new AbortController();
    const ended = caught(pool.run(aborted.words, { name: 'hold', signal: controller.signal }));
    keyed.open();
    await aborted.begun();
    controller.abort();
    await Promise.all([first, second, ended]);
    assert.deepEqual(await Promise.all(runs), Array(3).fill(BYTES));
  }
});

test('no task waits at a worker that has called the host before that knew of its start', LIMIT, async (t) => {
  for (const concurrentTasksPerWorker of [1, 2]) {
    const nest = async (): Promise<unknown> => (await Promise.all(transfers(pool, 5)))[0];
    const pool: Pool = poolFor(t, { ...TWO, concurrentTasksPerWorker, host: { nest }, hostTimeout: 30_000 });
    const begun = new Int32Array(new SharedArrayBuffer(4));
    const called = pool.run(begun, { name: 'beginsAndWaits' });
    // The host reads nothing that was posted until the call is there, too.
    Atomics.wait(begun, 0, 0);
    Atomics.wait(begun, 0, 1, 100);
    assert.equal(await called, BYTES);
  }
});

test('a pool that is made smaller while its workers start loses no task', LIMIT, async (t) => {
  const pool = poolFor(t, TWO);
  const runs = transfers(pool, 4);
  pool.resize({ minThreads: 1, maxThreads: 1 });
  assert.deepEqual(await Promise.all(runs), Array(4).fill(BYTES));
  await until(() => pool.threads.length === 1);
});

test('recycleWorkers() while a worker starts loses no task', LIMIT, async (t) => {
  const pool = new Tinypool({ filename: fixture('stalls.mjs').href, minThreads: 1, maxThreads: 1 });
  t.after(() => pool.destroy());
  const run = transfer(pool);
  await pool.recycleWorkers();
  assert.equal(await run, BYTES);
});

for (const order of ['by priority', 'while outcomes are slow to read'] as const) {
  test(
    `tasks that were posted ahead to one worker keep no other from its tasks: ${order}`,
    LIMIT,
    async (t) => {
      const pool = await quickPool(t);
      const gate = newGate();
      const all: Promise<unknown>[] = [];
      // Until some have been posted behind the long one: whether they are depends on when each ends.
      for (let attempt = 0; attempt < 20 && !hasMail(pool); attempt++) {
        gate.open();
        await Promise.all(all.splice(0));
        Atomics.store(gate.words, 0, 0);
        Atomics.store(gate.words, 1, 0);
        all.push(...transfers(pool, 10), pool.run(gate.words, { name: 'hold' }));
        all.push(...transfers(pool, 30));
        await gate.begun();
        await pool.run(0, { name: 'slowToRead' });
      }
      const runs = [pool.run(1, order === 'by priority' ? { priority: 1 } : {}), pool.run(2), pool.run(3)];
      assert.deepEqual(await Promise.all(runs), [1, 2, 3]);
      gate.open();
      await Promise.all(all);
    },
  );
}

for (const name of ['calls', 'callsAndWaits']) {
  test(`no task waits at the worker whose task waits for it: ${name}`, LIMIT, async (t) => {
    const rest: Promise<unknown>[] = [];
    const nest = (): Promise<unknown> => {
      const first = transfer(pool);
      rest.push(...transfers(pool, 20));
      return first;
    };
    const pool: Pool = await quickPool(t, { host: { nest }, hostTimeout: 60_000 });
    for (let round = 0; round < 5; round++) {
      const other = pool.run(100, { name: 'busy' });
      assert.equal(await pool.run(0, { name }), BYTES);
      await Promise.all([other, ...rest.splice(0)]);
    }
  });
}

/** Some have been posted ahead behind the first of the two. */
async function inPairs(pool: Pool, between: () => Promise<unknown>[], round: number): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  const all = transfers(pool, 10);
  const waiting = pool.run(port1, { name: 'waitsFor', transferList: [port1] });
  all.push(pool.run({ port: port2, text: `round ${round}` }, { name: 'says', transferList: [port2] }));
  all.push(...between());
  assert.equal(await waiting, `round ${round}`);
  await Promise.all(all);
}

test('a task that was posted ahead comes back from behind one that waits for it', LIMIT, async (t) => {
  const pool = await quickPool(t);
  for (let round = 0; round < 20; round++) await inPairs(pool, () => transfers(pool, 20), round);
});

test('it also comes back while a stream keeps another worker from idling', LIMIT, async (t) => {
  const pool = await quickPool(t);
  for (let round = 0; round < 20; round++) {
    let isOver = false;
    const streams: Promise<void>[] = [];
    const consume = async (): Promise<void> => {
      for await (const _item of pool.stream(0, { name: 'endless' })) if (isOver) break;
    };
    const between = (): Promise<unknown>[] => {
      const runs = transfers(pool, 20);
      streams.push(consume());
      return runs;
    };
    await inPairs(pool, between, round);
    isOver = true;
    await Promise.all(streams);
  }
});

test('tasks that are on their way back end with their pool, and with their worker', LIMIT, async (t) => {
  for (const end of ['destroy', 'terminate', 'clear'] as const) {
    const pool = await quickPool(t);
    const gate = newGate();
    const all: Promise<unknown>[] = [];
    // The worker is blocked, so it cannot post them back.
    for (let attempt = 0; attempt < 50 && coreOf(pool).returning.size === 0; attempt++) {
      gate.open();
      await Promise.all(all.splice(0));
      Atomics.store(gate.words, 0, 0);
      Atomics.store(gate.words, 1, 0);
      all.push(...transfers(pool, 10), pool.run(gate.words, { name: 'hold' }), ...transfers(pool, 30));
      await gate.begun();
      await sleep(30);
    }
    assert.ok(coreOf(pool).returning.size > 0);
    const ended = Promise.allSettled(all);
    if (end === 'destroy') await pool.destroy();
    else if (end === 'clear') pool.clear();
    else await Promise.all(pool.threads.map((thread) => thread.terminate()));
    gate.open();
    await ended;
    if (end !== 'destroy') assert.equal(await transfer(pool), BYTES);
  }
});

for (const [minThreads, maxThreads, concurrentTasksPerWorker] of [
  [1, 2, 2],
  [0, 2, 2],
  [1, 4, 3],
] as const) {
  test(`a worker that is blocked has no room: ${minThreads} to ${maxThreads} threads`, LIMIT, async (t) => {
    const threads = { minThreads, maxThreads, concurrentTasksPerWorker };
    const nest = (): Promise<unknown> => pool.run(0, { name: 'answer' });
    const pool: Pool = poolFor(t, { ...TWO, ...threads, host: { nest }, hostTimeout: 60_000 });
    assert.equal(await pool.run(0, { name: 'callsAndWaits' }), 'inner');
    assert.ok(pool.threads.length > 1);
  });
}

test(
  'a task while a Tinypool is being destroyed opens it anew, and what ran is rejected',
  LIMIT,
  async (t) => {
    const pool = new Tinypool({ filename: fixture('stalls.mjs').href, minThreads: 1, maxThreads: 1 });
    t.after(() => pool.destroy());
    assert.equal(await pool.run(1), 1);
    const running = caught(pool.run(0, { name: 'forEver' }));
    const destroyed = pool.destroy();
    const after = pool.run(5);
    assert.match((await running).message, /Terminating worker thread/);
    await destroyed;
    assert.equal(await after, 5);
  },
);

test('what Node warns of under --pending-deprecation is not called', LIMIT, async (t) => {
  const execArgv = ['--pending-deprecation', '--throw-deprecation'];
  const pool = poolFor(t, { ...TWO, execArgv });
  const errors: unknown[] = [];
  pool.on('error', (error) => errors.push(error));
  const values = Array.from({ length: 100 }, (_, index) => index);
  assert.deepEqual(await Promise.all(values.map((value) => pool.run(value))), values);
  await pool.close();
  assert.deepEqual(errors, []);
});

test('a task with a signal runs in the worker that runs nothing, wherever that is', LIMIT, async (t) => {
  const threads = { minThreads: 3, maxThreads: 3, concurrentTasksPerWorker: 2 };
  const pool = poolFor(t, { ...TWO, ...threads });
  await pool.ready();
  const gate = newGate();
  const others = [0, 2].map((place) => pool.threads[place]?.threadId);
  const all = pool.broadcast([gate.words, others], { name: 'awaits' });
  await until(() => pool.idleThreads === 1);
  const { signal } = new AbortController();
  for (let round = 0; round < 10; round++) {
    const late = sleep(20_000, 'late', { ref: false });
    assert.equal(await Promise.race([pool.run(round, { signal }), late]), round);
    await sleep(30);
  }
  gate.open();
  await all;
});

for (const name of ['stepsThatCall', 'stepsThatBlock'])
  for (const concurrentTasksPerWorker of [1, 2])
    test(
      `a worker is started for what a stream waits for: ${name}, ${concurrentTasksPerWorker}`,
      LIMIT,
      async (t) => {
        const nest = (): Promise<unknown> => pool.run(0, { name: 'answer' });
        const threads = { minThreads: 1, maxThreads: 2, concurrentTasksPerWorker };
        const pool: Pool = poolFor(t, { ...TWO, ...threads, host: { nest }, hostTimeout: 15_000 });
        await pool.ready();
        const items: unknown[] = [];
        for await (const item of pool.stream(3, { name })) items.push(item);
        assert.deepEqual(items, ['inner', 'inner', 'inner']);
      },
    );

test('tasks with a key that wait at a blocked worker take no room from others', LIMIT, async (t) => {
  const gate = newGate();
  const threads = { minThreads: 2, maxThreads: 2, concurrentTasksPerWorker: 4, maxQueue: 0 };
  const nest = async (): Promise<unknown> => Atomics.waitAsync(gate.words, 0, 0).value;
  const pool = poolFor(t, { ...TWO, ...threads, host: { nest }, hostTimeout: 60_000 });
  await pool.ready();
  const calling = pool.run(0, { name: 'callsAndWaits', key: 1 });
  await until(() => (pool as unknown as { core: Core }).core.blocked.size === 1);
  const waiting = [pool.run(1, { key: 1 }), pool.run(2, { key: 1 })];
  const ids = pool.threads.map(({ threadId }) => threadId);
  const beside = [0, 1, 2, 3].map(() => pool.run([gate.words, ids], { name: 'awaits' }));
  setTimeout(() => gate.open(), 100);
  await Promise.all([calling, ...waiting, ...beside]);
});

for (const name of ['calls', 'callsAndWaits'])
  test(
    `no task waits at the worker whose task waits for what others have submitted: ${name}`,
    LIMIT,
    async (t) => {
      let runs: Promise<unknown>[] = [];
      const nest = (): Promise<unknown> => Promise.all(runs).then(() => 'all');
      const pool: Pool = await quickPool(t, { host: { nest }, hostTimeout: 15_000 });
      for (let round = 0; round < 10; round++) {
        runs = transfers(pool, 10);
        const calling = pool.run(0, { name });
        runs.push(...transfers(pool, 30));
        assert.equal(await calling, 'all');
      }
    },
  );

test(
  'two pools whose workers wait for each other: the task that closes the circle is refused',
  LIMIT,
  async (t) => {
    let blocked = 0;
    const pools: Pool[] = [];
    const poolThatWaitsFor = (further: number): Pool =>
      poolFor(t, {
        filename: fixture('stalls.mjs'),
        maxThreads: 1,
        host: {
          nest: async () => {
            blocked++;
            await until(() => blocked === 2);
            return pools[further]?.run(0, { name: 'answer' }).catch(({ code }) => code);
          },
        },
      });
    pools.push(poolThatWaitsFor(1), poolThatWaitsFor(0));
    const ends = await Promise.all(pools.map((pool) => pool.run(0, { name: 'callsAndWaits' })));
    assert.deepEqual(ends.sort(), ['PLIMSOLL_POOL_DEADLOCK', 'inner']);
  },
);
