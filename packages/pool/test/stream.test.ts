import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AbortError, type Pool, type PoolOptions, TimeoutError, WorkerError } from '@plimsoll/pool';
import { caught, fixture, poolFor, until } from './support.js';

const LONG = 60_000;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const counter = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));

function poolOf(t: TestContext, options: PoolOptions = {}): Pool {
  const pool = poolFor(t, { filename: fixture('streams.mjs'), ...options });
  pool.on('error', () => {});
  return pool;
}

interface Told {
  readonly seen: unknown[];
  readonly thread: number;
}
const told = async (pool: Pool): Promise<Told> => (await pool.run(0, { name: 'told' })) as Told;

/** What the functions note first, which may be after their loops are over. */
async function firstSeen(pool: Pool): Promise<unknown[]> {
  for (;;) {
    const { seen } = await told(pool);
    if (seen.length > 0) return seen;
  }
}

async function listOf(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const list: unknown[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** What came before a loop failed, and with what it did. */
async function failure(items: AsyncIterable<unknown>): Promise<[unknown[], Error & { code?: string }]> {
  const list: unknown[] = [];
  try {
    for await (const item of items) list.push(item);
  } catch (error) {
    return [list, error as Error];
  }
  return assert.fail('the loop ended well');
}

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

for (const [how, code] of [
  ['exit', 'PLIMSOLL_POOL_WORKER_EXITED'],
  ['crash', 'PLIMSOLL_POOL_WORKER_CRASHED'],
] as const) {
  test(`the death of a worker in the middle ends the loop with its code: ${how}`, async (t) => {
    const pool = poolOf(t, { retry: { max: 3 } });
    const [list, error] = await failure(pool.stream({ at: 7, how }, { name: 'dies' }));
    assert.deepEqual(list, numbers(7));
    assert.ok(error instanceof WorkerError);
    assert.equal(error.code, code);
    assert.equal(error.taskName, 'dies');
    assert.deepEqual(await listOf(pool.stream(5)), numbers(5));
    await pool.close();
  });
}

test('the death of a worker by another task ends its idle streams, those of other workers go on', async (t) => {
  const pool = poolOf(t, { minThreads: 2, maxThreads: 2, idleTimeout: Number.POSITIVE_INFINITY });
  await until(() => pool.idleThreads === 2);
  const streams = numbers(12).map(() => pool.stream(500, { highWaterMark: 2 }));
  for (const stream of streams) assert.equal((await stream.next()).value, 0);
  assert.equal((await caught(pool.run(0, { name: 'die' }))).code, 'PLIMSOLL_POOL_WORKER_EXITED');
  const results = await Promise.allSettled(streams.map(listOf));
  const died = results.filter(({ status }) => status === 'rejected');
  assert.ok(died.length > 0);
  for (const result of results) {
    if (result.status === 'fulfilled') assert.equal(result.value.length, 499);
    else assert.equal(result.reason.code, 'PLIMSOLL_POOL_WORKER_EXITED');
  }
  await pool.close();
});

test('items that waited for a worker that dies are lost with it, though nothing of the stream ran', async (t) => {
  const pool = poolOf(t);
  const items = pool.stream(500, { highWaterMark: 1 });
  assert.equal((await items.next()).value, 0);
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const dead = caught(pool.run(gate, { name: 'dieLater' }));
  await until(() => Atomics.load(gate, 1) === 1);
  const next = caught(items.next());
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  assert.equal((await dead).code, 'PLIMSOLL_POOL_WORKER_EXITED');
  assert.equal((await next).code, 'PLIMSOLL_POOL_WORKER_EXITED');
  assert.equal((await items.next()).done, true);
  await pool.close();
});

test('a stream whose worker is stopped for another task ends with a code of its own', async (t) => {
  const pool = poolOf(t);
  const items = pool.stream(500, { highWaterMark: 1 });
  await items.next();
  const begun = counter();
  const late = caught(pool.run(begun, { name: 'blockForever', timeout: 1000 }));
  await until(() => Atomics.load(begun, 0) === 1);
  assert.ok((await late) instanceof TimeoutError);
  const [, error] = await failure(items);
  assert.equal(error.code, 'PLIMSOLL_POOL_WORKER_STOPPED');
  await pool.close();
});

test('a signal ends the stream, also one that waits to begin, and closes the iterable', async (t) => {
  const pool = poolOf(t);
  const controller = new AbortController();
  const { signal } = controller;
  const begun = counter();
  const items = pool.stream(begun, { name: 'waits', signal, grace: LONG });
  assert.equal((await items.next()).value, 'first');
  const waiting = pool.stream(5, { signal, priority: -1 });
  const next = [caught(items.next()), caught(waiting.next())];
  await until(() => Atomics.load(begun, 0) === 1);
  controller.abort('enough');
  for (const error of await Promise.all(next)) {
    assert.ok(error instanceof AbortError);
    assert.equal(error.cause, 'enough');
  }
  assert.equal((await items.next()).done, true);
  // Other tasks may come before the end of a stream that nobody waits for.
  const seen: unknown[] = [];
  while (seen.length < 2) seen.push(...(await told(pool)).seen);
  assert.deepEqual(seen.slice(0, 2), [['waits', true], 'finally']);
  assert.equal((await caught(pool.stream(1, { signal }).next())).cause, 'enough');
  await pool.close();
});

test('without grace a signal stops the worker that makes an item; a timeout is that of the whole stream', async (t) => {
  const pool = poolOf(t);
  const { thread } = await told(pool);
  const controller = new AbortController();
  const begun = counter();
  const items = pool.stream(begun, { name: 'deaf', signal: controller.signal });
  await items.next();
  const next = caught(items.next());
  await until(() => Atomics.load(begun, 0) === 1);
  controller.abort();
  assert.ok((await next) instanceof AbortError);
  assert.notEqual((await told(pool)).thread, thread);
  const [list, error] = await failure(pool.stream(1e9, { name: 'later', timeout: 1000, grace: LONG }));
  assert.ok(error instanceof TimeoutError);
  assert.ok(list.length > 0);
  assert.deepEqual(await firstSeen(pool), ['finally']);
});

test('break while the stream opens closes it all the same', async (t) => {
  const pool = poolOf(t);
  const begun = counter();
  const items = pool.stream(begun, { name: 'slowToOpen' });
  const next = items.next();
  await until(() => Atomics.load(begun, 0) === 1);
  const returned = items.return?.();
  assert.deepEqual(await next, { done: true, value: undefined });
  assert.deepEqual(await returned, { done: true, value: undefined });
  assert.deepEqual((await told(pool)).seen, ['returned']);
  await pool.close();
  assert.equal(pool.threads.length, 0);
});

test('a signal while the stream opens closes it all the same, and nothing is kept', async (t) => {
  const pool = poolOf(t, { minThreads: 0, idleTimeout: 50 });
  const begun = counter();
  const controller = new AbortController();
  const items = pool.stream(begun, { name: 'slowToOpen', signal: controller.signal, grace: LONG });
  const next = caught(items.next());
  await until(() => Atomics.load(begun, 0) === 1);
  controller.abort();
  assert.ok((await next) instanceof AbortError);
  assert.deepEqual(await firstSeen(pool), ['returned']);
  // A worker that kept anything would not be retired.
  await until(() => pool.threads.length === 0);
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

test('a worker that keeps a stream is not retired, and is when the stream is over', async (t) => {
  const pool = poolOf(t, { minThreads: 0, idleTimeout: 50 });
  const items = pool.stream(100, { highWaterMark: 1 });
  assert.equal((await items.next()).value, 0);
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(pool.threads.length, 1);
  assert.equal((await listOf(items)).length, 99);
  await until(() => pool.threads.length === 0);
});

test('close() waits for streams that are read; for one that is not it waits closeTimeout, and leaks nothing', async (t) => {
  const pool = poolOf(t);
  const items = pool.stream(200, { highWaterMark: 3 });
  await items.next();
  const closed = pool.close();
  assert.equal((await listOf(items)).length, 199);
  await closed;
  const stopped = poolOf(t, { closeTimeout: 200 });
  const unread = stopped.stream(200, { highWaterMark: 3 });
  await unread.next();
  assert.equal((await caught(stopped.close())).code, 'PLIMSOLL_POOL_CLOSE_TIMEOUT');
  assert.equal(stopped.threads.length, 0);
  const [list, error] = await failure(unread);
  assert.equal(error.code, 'PLIMSOLL_POOL_CLOSED');
  assert.deepEqual(list, [1, 2]);
  const forced = poolOf(t);
  const other = forced.stream(200);
  await other.next();
  await forced.close({ force: true });
  assert.equal((await failure(other))[1].code, 'PLIMSOLL_POOL_ABORTED');
});

test('destroy() in the middle ends every stream with a code, whatever it does', async (t) => {
  const pool = poolOf(t, { minThreads: 2, maxThreads: 2 });
  const begun = counter();
  const streams = [
    pool.stream(begun, { name: 'deaf' }),
    pool.stream(1e9, { name: 'later' }),
    pool.stream(1e9),
    pool.stream(begun, { name: 'slowToOpen' }),
  ];
  const loops = streams.map((stream) => failure(stream));
  await until(() => Atomics.load(begun, 0) >= 1);
  await pool.destroy();
  for (const [, error] of await Promise.all(loops)) assert.equal(error.code, 'PLIMSOLL_POOL_CLOSED');
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
