import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AbortError, TimeoutError, WorkerError } from '@plimsoll/pool';
import { counter, failure, firstSeen, LONG, listOf, numbers, poolOf, told } from './stream-support.js';
import { caught, until } from './support.js';

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
  // Keys spread them over both workers.
  const streams = numbers(12).map((key) => pool.stream(500, { highWaterMark: 2, key }));
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
  const controller = new AbortController();
  const aborted = caught(pool.run(begun, { name: 'blockForever', signal: controller.signal }));
  await until(() => Atomics.load(begun, 0) === 1);
  controller.abort();
  assert.ok((await aborted) instanceof AbortError);
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
  // The worker may open it before it hears of the abort. Without grace it would be stopped then, with what it has seen.
  const waiting = pool.stream(5, { signal, priority: -1, grace: LONG });
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
  // Long enough for the first items, on a machine that does nothing else.
  for (let timeout = 300, items = 0; items === 0; timeout *= 3) {
    const [list, error] = await failure(pool.stream(1e9, { name: 'later', timeout, grace: LONG }));
    assert.ok(error instanceof TimeoutError);
    items = list.length;
    if (items > 0) assert.deepEqual(await firstSeen(pool), ['finally']);
  }
});

for (const how of ['signal', 'timeout'] as const) {
  test(`break waits no longer for an item that does not end than the ${how} lets it`, async (t) => {
    const pool = poolOf(t, { maxThreads: 1 });
    await pool.ready();
    const begun = counter();
    const controller = new AbortController();
    const limit = how === 'signal' ? { signal: controller.signal } : { timeout: 500 };
    const items = pool.stream(begun, { name: 'deaf', ...limit });
    assert.equal((await items.next()).value, 'first');
    await until(() => Atomics.load(begun, 0) === 1);
    let hasEnded = false;
    void items.return?.().then(() => {
      hasEnded = true;
    });
    controller.abort();
    await until(() => hasEnded);
    assert.deepEqual(await listOf(pool.stream(5)), numbers(5));
  });
}

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
  const made = counter();
  const unread = stopped.stream(made, { name: 'made', highWaterMark: 3 });
  await unread.next();
  await until(() => Atomics.load(made, 0) === 3);
  // The host hears of it behind those items.
  await told(stopped);
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
