import assert from 'node:assert/strict';
import { test } from 'node:test';
import { counter, failure, LONG, listOf, numbers, poolOf, told } from './stream-support.js';
import { caught, until } from './support.js';

test('every kind of iterable that a function returns is a `for await`', async (t) => {
  const pool = poolOf(t);
  const all = numbers(200);
  assert.deepEqual(await listOf(pool.stream(200)), all);
  assert.deepEqual(await listOf(pool.stream(20, { name: 'later' })), numbers(20));
  for (const name of ['list', 'promises', 'readable'])
    assert.deepEqual(await listOf(pool.stream(all, { name })), all, name);
  assert.deepEqual(await listOf(pool.stream(0)), []);
  assert.deepEqual(await listOf(pool.stream(all, { name: 'list', highWaterMark: 1 })), all);
  assert.deepEqual((await told(pool)).seen, ['end', 'finally', 'finally', 'end', 'finally']);
});

test('values of every size and kind come through; what is marked by move is transferred', async (t) => {
  const pool = poolOf(t);
  const values = [
    'x'.repeat(1e6),
    { a: [1, { b: new Map([[1, new Date(0)]]) }] },
    null,
    undefined,
    7n,
    new Uint8Array(1e5),
  ];
  assert.deepEqual(await listOf(pool.stream(values, { name: 'list' })), values);
  const buffers = (await listOf(pool.stream([1, 2e6, 3], { name: 'moved' }))) as ArrayBuffer[];
  assert.deepEqual(
    buffers.map(({ byteLength }) => byteLength),
    [1, 2e6, 3],
  );
  assert.deepEqual((await told(pool)).seen, [0, 0, 0]);
});

test('the worker makes only so many items that the loop has not got', async (t) => {
  const pool = poolOf(t);
  for (const highWaterMark of [1, 5]) {
    const made = counter();
    const items = pool.stream(made, { name: 'made', highWaterMark });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(made[0], 0, 'it began before its first turn');
    for (let got = 1; got <= 50; got++) {
      assert.equal((await items.next()).value, got - 1);
      assert.ok(Atomics.load(made, 0) <= got + highWaterMark, `${made[0]} made, ${got} got`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(Atomics.load(made, 0) <= 50 + highWaterMark);
    await items.return?.();
  }
});

test('between two items its worker is free, and a stream that nobody reads holds up nobody', async (t) => {
  const pool = poolOf(t);
  const items = pool.stream(1000);
  assert.equal((await items.next()).value, 0);
  const values = await Promise.all(numbers(50).map(() => pool.run(0, { name: 'thread' })));
  assert.equal(new Set(values).size, 1);
  assert.equal(pool.queueSize, 0);
  assert.deepEqual((await listOf(items)).length, 999);
  const many = numbers(40).map((index) => pool.stream(index + 20));
  const lists = await Promise.all(many.map(listOf));
  assert.deepEqual(
    lists.map(({ length }) => length),
    numbers(40).map((index) => index + 20),
  );
});

test('break closes the iterable: `finally` blocks have run when the loop is over', async (t) => {
  const pool = poolOf(t);
  for (const name of ['count', 'later', 'readable']) {
    const given = name === 'readable' ? numbers(1000) : 1000;
    for await (const item of pool.stream(given, { name })) if (item === 3) break;
    assert.deepEqual((await told(pool)).seen, [name === 'readable' ? 'cancelled' : 'finally'], name);
  }
  const error = await caught(
    (async () => {
      for await (const _ of pool.stream(0, { name: 'throwsInFinally' })) break;
    })(),
  );
  assert.equal(error.message, 'in finally');
  const thrown = await caught(
    (async () => {
      for await (const _ of pool.stream(9)) throw new Error('of the loop');
    })(),
  );
  assert.equal(thrown.message, 'of the loop');
  assert.equal((await told(pool)).seen.at(-1), 'finally');
});

for (const name of ['loops', 'waits']) {
  test(`break asks an item that is being made to end: ${name}`, async (t) => {
    const pool = poolOf(t);
    const { thread } = await told(pool);
    const begun = counter();
    for await (const item of pool.stream(begun, { name })) {
      assert.equal(item, 'first');
      await until(() => Atomics.load(begun, 0) === 1);
      break;
    }
    assert.deepEqual(await told(pool), { seen: [[name, true], 'finally'], thread });
  });
}

test('break ends an item that does not hear, after the grace', async (t) => {
  const pool = poolOf(t);
  const { thread } = await told(pool);
  const begun = counter();
  for await (const _ of pool.stream(begun, { name: 'deaf', grace: 50 })) {
    await until(() => Atomics.load(begun, 0) === 1);
    break;
  }
  assert.notEqual((await told(pool)).thread, thread);
  assert.equal(pool.threads.length, 1);
});

for (const [name, at] of [
  ['throws', 0],
  ['throws', 5],
  ['throws', 100],
  ['throwsLater', 5],
] as const) {
  test(`what a generator throws ends the loop behind the items before it: ${name} at ${at}`, async (t) => {
    const pool = poolOf(t);
    const items = pool.stream(at, { name });
    const [list, error] = await failure(items);
    assert.deepEqual(list, numbers(at));
    assert.ok(error instanceof RangeError);
    assert.equal(error.code, 'E_MIDDLE');
    assert.deepEqual(await items.next(), { done: true, value: undefined });
    await pool.close();
  });
}

test('an item that cannot be cloned ends the loop, and the iterable is closed', async (t) => {
  const pool = poolOf(t);
  const [list, error] = await failure(pool.stream(0, { name: 'odd' }));
  assert.deepEqual(list, [1]);
  assert.equal(error.code, 'PLIMSOLL_POOL_UNCLONEABLE');
  await pool.close();
  assert.equal(pool.threads.length, 0);
});

test('a function that fails, is missing, or returns nothing to iterate ends the loop at once', async (t) => {
  const pool = poolOf(t);
  assert.equal((await failure(pool.stream(0, { name: 'failsAtOnce' })))[1].message, 'at once');
  assert.equal((await failure(pool.stream(0, { name: 'nothing' })))[1].code, 'PLIMSOLL_POOL_NOT_ITERABLE');
  assert.equal((await failure(pool.stream(0, { name: 'missing' })))[1].code, 'PLIMSOLL_POOL_LOAD_FAILED');
  assert.equal((await failure(pool.stream(() => 1)))[1].code, 'PLIMSOLL_POOL_UNCLONEABLE');
  await pool.close();
  assert.equal((await failure(pool.stream(0)))[1].code, 'PLIMSOLL_POOL_CLOSED');
});

test('a stream that was never begun costs nothing', async (t) => {
  const pool = poolOf(t, { minThreads: 0 });
  const items = pool.stream(5);
  assert.deepEqual(await items.return?.(), { done: true, value: undefined });
  assert.equal((await items.next()).done, true);
  pool.stream(5);
  await pool.close();
  assert.equal(pool.completed, 0);
});

test('streams share a worker: each code sees its own signal, and only that', async (t) => {
  const pool = poolOf(t, { concurrentTasksPerWorker: 8 });
  const controller = new AbortController();
  const streams = ['a', 'b', 'c'].map((name) => pool.stream(name, { name: 'contexts', highWaterMark: 2 }));
  for (const stream of streams) await stream.next();
  const begun = counter();
  const { signal } = controller;
  const own = pool.stream(begun, { name: 'waits', signal, grace: LONG });
  await own.next();
  controller.abort();
  for (let turn = 0; turn < 10; turn++)
    for (const [index, stream] of streams.entries())
      assert.deepEqual((await stream.next()).value, ['abc'[index], false]);
  for (const stream of streams) await stream.return?.();
});

test('more streams than a mailbox has room for, with priorities and plain tasks beside them', async (t) => {
  const pool = poolOf(t, { minThreads: 2, maxThreads: 2 });
  await until(() => pool.idleThreads === 2);
  const streams = numbers(30).map(() => pool.stream(100, { highWaterMark: 8 }));
  const lists = streams.map(listOf);
  const tasks = numbers(200).map((index) => pool.run(0, { name: 'thread', priority: index % 3 }));
  assert.equal((await Promise.all(tasks)).length, 200);
  for (const list of await Promise.all(lists)) assert.deepEqual(list, numbers(100));
  await pool.close();
});

test('a first priority orders what waits, but not what only one worker can run', async (t) => {
  const pool = poolOf(t, { minThreads: 2, maxThreads: 2 });
  await until(() => pool.idleThreads === 2);
  const streams = numbers(4).map(() => pool.stream(300, { highWaterMark: 2 }));
  for (const stream of streams) assert.equal((await stream.next()).value, 0);
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const held = [1, 2].map(() => pool.run(gate, { name: 'hold' }));
  await until(() => Atomics.load(gate, 1) === 2);
  const lists = streams.map(listOf);
  const first = pool.run(0, { name: 'thread', priority: 1 });
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  for (const list of await Promise.all(lists)) assert.equal(list.length, 299);
  await Promise.all([...held, first]);
});

test('items of a stream are no reason to start workers, and fill no queue', async (t) => {
  const pool = poolOf(t, { maxThreads: 4, maxQueue: 0 });
  const items = pool.stream(200, { highWaterMark: 64 });
  for (let got = 0; got < 50; got++) await items.next();
  assert.equal(pool.threads.length, 1);
  assert.equal(pool.needsDrain, false);
  await items.return?.();
});

test('bad options throw', (t) => {
  const pool = poolOf(t);
  const bad = {
    highWaterMark: 0,
    timeout: -1,
    grace: 'x',
    signal: 1,
    name: 5,
    transferList: 1,
    priority: 0.5,
  };
  for (const [name, value] of Object.entries(bad))
    assert.throws(() => pool.stream(1, { [name]: value }), {
      code: 'PLIMSOLL_POOL_BAD_OPTION',
      message: new RegExp(`^options\\.${name} must be`),
    });
});
