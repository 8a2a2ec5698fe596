import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { AbortError, move, type Pool, type PoolOptions, TimeoutError } from '@plimsoll/pool';
import { caught, fixture, poolFor, until } from './support.js';

const LONG = 60_000;
const poolOf = (t: TestContext, options: PoolOptions = {}): Pool =>
  poolFor(t, { name: 'echo', maxThreads: 2, ...options });
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

async function listOf(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const list: unknown[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** A source that notes how many items it has given, and whether it was closed. */
class Noted {
  given = 0;
  closed = 0;
  readonly limit: number;

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.limit = limit;
  }

  *[Symbol.iterator](): Generator<number> {
    try {
      while (this.given < this.limit) yield this.given++;
    } finally {
      this.closed++;
    }
  }
}

test('results come in the order of the items, of every kind of iterable', async (t) => {
  const pool = poolOf(t);
  const list = numbers(500);
  async function* later(): AsyncGenerator<number> {
    for (const item of list) {
      if (item % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
      yield item;
    }
  }
  const stream = new ReadableStream<number>({
    start(controller) {
      for (const item of list) controller.enqueue(item);
      controller.close();
    },
  });
  for (const items of [list, new Set(list), later(), stream, Readable.from(list)])
    assert.deepEqual(await listOf(pool.map(items as Iterable<number>, { concurrency: 7 })), list);
  assert.deepEqual(await listOf(pool.map([])), []);
  assert.deepEqual(await listOf(pool.map('text')), ['t', 'e', 'x', 't']);
});

test('an iterator ends as in a loop: by any true `done`, or by what is not a result', async (t) => {
  const pool = poolOf(t);
  const results: unknown[] = [{ value: 1 }, { done: 0, value: 2 }, { done: 1 }];
  const iterable = (list: unknown[]) => ({
    [Symbol.asyncIterator]: () => ({ next: async () => list.shift() }) as AsyncIterator<number>,
  });
  assert.deepEqual(await listOf(pool.map(iterable([...results]))), [1, 2]);
  const feeds = { filename: fixture('feeds.mjs'), name: 'listOf' };
  assert.deepEqual(await pool.run(iterable([...results]), feeds), [1, 2]);
  const looseEnd = { filename: fixture('streams.mjs'), name: 'looseEnd' };
  assert.deepEqual(await listOf(pool.stream(2, looseEnd)), [0, 1]);
  for (const loop of [listOf(pool.map(iterable([5]))), pool.run(iterable([5]), feeds)])
    assert.match((await caught(loop)).message, /^Iterator result 5 is not an object$/);
});

test('without an order results come as soon as they are there', async (t) => {
  const pool = poolOf(t, { name: 'sleep', minThreads: 2 });
  await until(() => pool.idleThreads === 2);
  const gates = [new Int32Array(new SharedArrayBuffer(4)), new Int32Array(new SharedArrayBuffer(4))];
  Atomics.store(gates[1] as Int32Array, 0, 1);
  const filename = fixture('api.mjs');
  const options = { filename, name: 'hold', concurrency: 2 };
  const results = pool.map(gates, { ...options, ordered: false });
  assert.deepEqual(await results.next(), { done: false, value: 'not-equal' });
  Atomics.store(gates[0] as Int32Array, 0, 1);
  Atomics.notify(gates[0] as Int32Array, 0);
  assert.equal((await results.next()).done, false);
  assert.equal((await results.next()).done, true);
});

for (const ordered of [true, false]) {
  test(`never more items are in memory than \`concurrency\` (${ordered ? 'ordered' : 'unordered'})`, async (t) => {
    const pool = poolOf(t);
    const source = new Noted(300);
    let taken = 0;
    const kept: unknown[] = [];
    for await (const item of pool.map(source, { concurrency: 5, ordered })) {
      kept.push(item);
      taken++;
      assert.ok(source.given - taken <= 5, `${source.given - taken} items in memory`);
      if (taken % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.deepEqual(
      kept.sort((one, other) => Number(one) - Number(other)),
      numbers(300),
    );
    assert.equal(source.closed, 1);
  });
}

test('nothing begins before the first turn; a consumer that stops leaves nothing that close() waits for', async (t) => {
  const pool = poolOf(t);
  const source = new Noted();
  const results = pool.map(source, { concurrency: 4 });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(source.given, 0);
  await results.next();
  await until(() => pool.completed === source.given);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const given: number = source.given as number;
  // One of them the loop has got.
  assert.ok(given === 4 || given === 5, `${given} items were taken`);
  await pool.close();
  assert.equal(pool.threads.length, 0);
  for (let item = 1; item < given; item++) assert.equal((await results.next()).value, item);
  assert.equal((await caught(results.next())).code, 'PLIMSOLL_POOL_CLOSED');
  assert.deepEqual(await results.next(), { done: true, value: undefined });
  assert.equal(source.closed, 1);
});

test('break takes back what waits, and closes the source', async (t) => {
  const pool = poolOf(t, { filename: fixture('api.mjs'), maxThreads: 1 });
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const source = new Noted();
  function* items(): Generator<Int32Array> {
    const open = new Int32Array(new SharedArrayBuffer(4));
    Atomics.store(open, 0, 1);
    yield open;
    for (const _ of source) yield gate;
  }
  for await (const result of pool.map(items(), { name: 'hold', concurrency: 20 })) {
    assert.equal(result, 'not-equal');
    break;
  }
  assert.equal(source.closed, 1);
  await until(() => pool.queueSize === 0);
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  await pool.run('', { name: 'thread' });
  assert.ok(pool.completed <= 22);
});

test('as of any loop: break waits for the end of the source and throws what that throws, but a failure counts first', async (t) => {
  const pool = poolFor(t);
  const ended: string[] = [];
  const source = (how: 'throw' | 'reject' | 'end') => ({
    [Symbol.iterator]: () => ({
      next: () => ({ done: false, value: { a: 1, b: 1 } }),
      return() {
        if (how === 'throw') throw new RangeError('thrown by return()');
        if (how === 'reject') return Promise.reject(new RangeError('rejected by return()')) as never;
        return sleep(5).then(() => ended.push('source')) as never;
      },
    }),
  });
  const leave = async (items: Iterable<unknown>, name = 'add'): Promise<void> => {
    for await (const _ of pool.map(items as never, { name })) break;
    ended.push('loop');
  };
  await assert.rejects(leave(source('throw')), /^RangeError: thrown by return/);
  await assert.rejects(leave(source('reject')), /^RangeError: rejected by return/);
  await leave(source('end'));
  assert.deepEqual(ended, ['source', 'loop']);
  await assert.rejects(leave(source('throw'), 'returnFunction'), { code: 'PLIMSOLL_POOL_UNCLONEABLE' });
  // It has been asked for an item that may never come, and would answer that before `return()`.
  const silent = {
    [Symbol.asyncIterator]: () => {
      let asked = 0;
      return {
        next: () => (asked++ === 0 ? { done: false, value: { a: 1, b: 1 } } : new Promise(() => {})),
        return: () => new Promise(() => {}),
      };
    },
  };
  await leave(silent as never);
});

test('the first failure ends the loop with its reason, after what came before it', async (t) => {
  const pool = poolOf(t);
  const source = new Noted();
  const seen: unknown[] = [];
  function* items(): Generator<unknown> {
    for (const item of source) yield item === 10 ? () => 1 : item;
  }
  const failure = caught(
    (async () => {
      for await (const item of pool.map(items(), { concurrency: 4 })) seen.push(item);
    })(),
  );
  assert.equal((await failure).code, 'PLIMSOLL_POOL_UNCLONEABLE');
  assert.deepEqual(seen, numbers(10));
  assert.equal(source.closed, 1);
  const thrown = pool.map([1, 2], { name: 'fail' });
  assert.ok((await caught(thrown.next())) instanceof TypeError);
  assert.equal((await thrown.next()).done, true);
  const died = pool.map([0, 9], { name: 'exit', concurrency: 1 });
  assert.equal((await caught(died.next())).code, 'PLIMSOLL_POOL_WORKER_EXITED');
});

test('a source that throws, or gives something odd, ends the loop', async (t) => {
  const pool = poolOf(t);
  const broken = (at: number) =>
    (function* () {
      for (let item = 0; item < at; item++) yield item;
      throw new RangeError('source');
    })();
  const seen: unknown[] = [];
  const failure = await caught(
    (async () => {
      for await (const item of pool.map(broken(3), { concurrency: 8 })) seen.push(item);
    })(),
  );
  assert.equal(failure.message, 'source');
  assert.deepEqual(seen, [0, 1, 2]);
  async function* later(): AsyncGenerator<number> {
    yield 1;
    throw new RangeError('later');
  }
  assert.equal((await caught(listOf(pool.map(later())))).message, 'later');
  const odd = { [Symbol.iterator]: () => ({ next: () => undefined }) };
  assert.ok((await caught(listOf(pool.map(odd as never)))) instanceof TypeError);
  const slow = { [Symbol.asyncIterator]: () => ({ next: async () => undefined }) };
  assert.ok((await caught(listOf(pool.map(slow as never)))) instanceof TypeError);
});

test('a signal ends the loop: what waits is removed, what runs is stopped', async (t) => {
  const pool = poolOf(t, { maxThreads: 1 });
  const controller = new AbortController();
  const source = new Noted();
  const begun = new Int32Array(new SharedArrayBuffer(4));
  function* items(): Generator<Int32Array> {
    for (const _ of source) yield begun;
  }
  const { signal } = controller;
  const results = pool.map(items(), { name: 'blockForever', concurrency: 6, signal });
  const next = caught(results.next());
  await until(() => Atomics.load(begun, 0) === 1);
  controller.abort('enough');
  const error = await next;
  assert.ok(error instanceof AbortError);
  assert.equal(error.cause, 'enough');
  assert.equal((await results.next()).done, true);
  assert.equal(source.closed, 1);
  assert.equal(await pool.run(1), 1);
  assert.equal(Atomics.load(begun, 0), 1);
  const late = pool.map([1], { signal });
  assert.equal((await caught(late.next())).cause, 'enough');
  assert.equal(await pool.run(2), 2);
});

test('a timeout is each item’s own; break asks what runs, with grace', async (t) => {
  const pool = poolOf(t, { maxThreads: 1 });
  const late = pool.map([undefined], { name: 'blockForever', timeout: 200 });
  assert.ok((await caught(late.next())) instanceof TimeoutError);
  const filename = fixture('patient.mjs');
  const told = async () =>
    (await pool.run(0, { filename, name: 'told' })) as { seen: unknown[]; thread: number };
  const { thread } = await told();
  const begun = new Int32Array(new SharedArrayBuffer(4));
  const results = pool.map([begun, begun], { filename, name: 'loop', timeout: LONG, grace: LONG });
  const next = results.next();
  await until(() => Atomics.load(begun, 0) === 1);
  await results.return?.();
  assert.deepEqual(await next, { done: true, value: undefined });
  const after = await told();
  assert.equal(after.thread, thread);
  assert.deepEqual(after.seen.length, 1);
});

test('what ends after the loop is no result any more', async (t) => {
  const pool = poolOf(t, { filename: fixture('api.mjs'), minThreads: 2 });
  const gates = [1, 2, 3].map(() => new Int32Array(new SharedArrayBuffer(4)));
  for (const ordered of [true, false]) {
    for (const gate of gates) Atomics.store(gate, 0, 0);
    const results = pool.map(gates, { name: 'hold', concurrency: 3, ordered });
    const next = results.next();
    await until(() => pool.idleThreads === 0);
    const before = pool.completed;
    await results.return?.();
    assert.equal((await next).done, true);
    for (const gate of gates) {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
    }
    await until(() => pool.completed === before + 3 || pool.idleThreads === 2);
    assert.equal((await results.next()).done, true);
  }
});

test('several turns may be asked for at once', async (t) => {
  const pool = poolOf(t);
  const results = pool.map(numbers(5), { concurrency: 2 });
  const turns = await Promise.all(numbers(7).map(() => results.next()));
  assert.deepEqual(
    turns.map(({ value }) => value),
    [...numbers(5), undefined, undefined],
  );
});

test('items that are marked by move are transferred', async (t) => {
  const pool = poolOf(t);
  const buffers = numbers(4).map((size) => new ArrayBuffer(size));
  const items = buffers.map((buffer) => move(buffer));
  const results = (await listOf(pool.map(items))) as ArrayBuffer[];
  assert.deepEqual(
    results.map(({ byteLength }) => byteLength),
    [0, 1, 2, 3],
  );
  assert.ok(buffers.every(({ byteLength }) => byteLength === 0));
});

test('destroy() in the middle ends the loop with a code; a limited queue is not overrun', async (t) => {
  const pool = poolOf(t, { maxQueue: 1, maxThreads: 1 });
  assert.deepEqual(await listOf(pool.map(numbers(50))), numbers(50));
  const over = await caught(listOf(pool.map(numbers(50), { name: 'sleep', concurrency: 10 })));
  assert.equal(over.code, 'PLIMSOLL_POOL_QUEUE_FULL');
  const results = pool.map([LONG, LONG], { name: 'sleep', concurrency: 1 });
  const next = caught(results.next());
  await pool.destroy();
  assert.equal((await next).code, 'PLIMSOLL_POOL_CLOSED');
});

test('by default a limited queue is not overrun by items that take a whole worker, or that have a key', async (t) => {
  const pool = poolOf(t, { maxQueue: 0, concurrentTasksPerWorker: 4 });
  for (const options of [{ timeout: LONG }, { signal: new AbortController().signal }, { key: 1 }])
    assert.deepEqual(await listOf(pool.map(numbers(50), options)), numbers(50));
});

test('bad options and items throw', (t) => {
  const pool = poolOf(t);
  for (const concurrency of [0, 1.5, '4', Number.POSITIVE_INFINITY])
    assert.throws(() => pool.map([], { concurrency: concurrency as number }), {
      code: 'PLIMSOLL_POOL_BAD_OPTION',
      message: /^options\.concurrency must be/,
    });
  for (const items of [null, 7, {}, undefined])
    assert.throws(() => pool.map(items as never), {
      code: 'PLIMSOLL_POOL_BAD_OPTION',
      message: /^items must be an iterable or an async iterable, not/,
    });
  assert.throws(() => pool.map([], { ordered: 1 as never }), { message: /^options\.ordered/ });
  assert.throws(() => pool.map([], { transferList: [] } as never), {
    message: /^options\.transferList must be left out: mark with move\(\) what an item transfers/,
  });
});
