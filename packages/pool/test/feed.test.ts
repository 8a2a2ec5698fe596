import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { type TestContext, test } from 'node:test';
import { AbortError, move, type Pool, type PoolOptions } from '@plimsoll/pool';
import { caught, fixture, poolFor, until } from './support.js';

const LONG = 60_000;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

function poolOf(t: TestContext, options: PoolOptions = {}): Pool {
  const pool = poolFor(t, { filename: fixture('feeds.mjs'), ...options });
  pool.on('error', () => {});
  return pool;
}

/** An async iterable that notes how many items it has given, and whether it was closed. */
class Noted {
  given = 0;
  closed = 0;
  readonly limit: number;

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.limit = limit;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<number> {
    try {
      while (this.given < this.limit) yield this.given++;
    } finally {
      this.closed++;
    }
  }
}

const readable = (items: readonly unknown[]): ReadableStream =>
  new ReadableStream({
    start(controller) {
      for (const item of items) controller.enqueue(item);
      controller.close();
    },
  });

async function listOf(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const list: unknown[] = [];
  for await (const item of items) list.push(item);
  return list;
}

test('an async iterable is a task: with options and without, as a whole and as a ReadableStream', async (t) => {
  const pool = poolOf(t);
  const all = numbers(100);
  const noted = new Noted(100);
  assert.deepEqual(await pool.run(noted), all);
  assert.equal(noted.closed, 1);
  assert.deepEqual(await pool.run(new Noted(100), { name: 'listOf' }), all);
  assert.deepEqual(await pool.run(Readable.from(all)), all);
  assert.deepEqual(await pool.run(readable(all)), all);
  assert.deepEqual(await pool.run(new Noted(0)), []);
  const kinds = await Promise.all(
    [new Noted(1), readable([1])].map((items) => pool.run(items, { name: 'kindOf' })),
  );
  assert.deepEqual(kinds, [
    [false, 'function'],
    [true, 'function'],
  ]);
  const chunks = readable([new Uint8Array(1000), new Uint8Array(24)]);
  assert.equal(await pool.run(chunks, { name: 'textOf' }), 1024);
});

test('a proxy takes several of them, between other arguments', async (t) => {
  const api = poolOf(t).proxy<{
    zip(one: AsyncIterable<unknown>, other: AsyncIterable<unknown>, glue: string): Promise<string[]>;
    first(items: AsyncIterable<unknown>, count: number): Promise<unknown[]>;
  }>();
  const [one, other] = [new Noted(3), new Noted()];
  assert.deepEqual(await api.zip(one, other, '-'), ['0-0', '1-1', '2-2']);
  assert.deepEqual([one.closed, other.closed], [1, 1]);
  assert.deepEqual(await api.first(readable(['a', 'b', 'c']), 2), ['a', 'b']);
});

test('items come only as they are asked for, a few ahead; who breaks closes the source', async (t) => {
  const pool = poolOf(t);
  const source = new Noted();
  assert.deepEqual(await pool.run(source, { name: 'first' }), [0]);
  await until(() => source.closed === 1);
  assert.ok(source.given <= 34, `${source.given} items were taken for one`);
  const ignored = new Noted();
  assert.equal(await pool.run(ignored, { name: 'ignores' }), 'ignored');
  assert.equal(ignored.given, 0);
  let cancelled = false;
  const stream = new ReadableStream({
    pull: (controller) => controller.enqueue(1),
    cancel: () => {
      cancelled = true;
    },
  });
  assert.deepEqual(await pool.run(stream, { name: 'first' }), [1]);
  await until(() => cancelled);
});

test('who leaves while an item is awaited waits for none, and the source is closed', async (t) => {
  const pool = poolOf(t);
  let closed = 0;
  const silent = {
    next: () => new Promise<never>(() => {}),
    async return() {
      closed++;
      return { done: true as const, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
  for (const [index, source] of [silent, ReadableStream.from(silent)].entries()) {
    assert.deepEqual(await pool.run(source, { name: 'leaves' }), { done: true, value: undefined });
    await until(() => closed === index + 1);
  }
});

test('several turns may be asked for at once', async (t) => {
  assert.deepEqual(await poolOf(t).run(new Noted(3), { name: 'turns' }), [0, 1, 2, 'done', 'done']);
});

test('what the source throws, and an item that cannot be cloned, reach the function', async (t) => {
  const pool = poolOf(t);
  async function* broken(): AsyncGenerator<number> {
    yield 1;
    throw Object.assign(new RangeError('source'), { code: 'E_SOURCE' });
  }
  assert.deepEqual(await pool.run(broken(), { name: 'caughtIn' }), ['RangeError', 'source', 'E_SOURCE']);
  assert.ok((await caught(pool.run(broken()))) instanceof RangeError);
  let closed = 0;
  async function* odd(): AsyncGenerator<unknown> {
    try {
      yield { a: [() => 1] };
    } finally {
      closed++;
    }
  }
  const seen = (await pool.run(odd(), { name: 'caughtIn' })) as string[];
  assert.equal(seen[2], 'PLIMSOLL_POOL_UNCLONEABLE');
  assert.match(seen[1] ?? '', /^item\.a\[0\] cannot be copied/);
  await until(() => closed === 1);
  const refuses = {
    [Symbol.asyncIterator]() {
      throw new RangeError('no iterator');
    },
  };
  assert.equal((await caught(pool.run(refuses))).message, 'no iterator');
});

test('items that are marked by move are transferred, and a stream in a transferList as ever', async (t) => {
  const pool = poolOf(t);
  const buffers = [1, 2, 3].map((size) => new ArrayBuffer(size));
  async function* items(): AsyncGenerator<ArrayBuffer> {
    for (const buffer of buffers) yield move(buffer);
  }
  const arrived = (await pool.run(items())) as ArrayBuffer[];
  assert.deepEqual(
    arrived.map(({ byteLength }) => byteLength),
    [1, 2, 3],
  );
  assert.ok(buffers.every(({ byteLength }) => byteLength === 0));
  const stream = readable([1, 2]);
  assert.deepEqual(await pool.run(stream, { transferList: [stream as never] }), [1, 2]);
  assert.deepEqual(await pool.run(move(readable([3]))), [3]);
});

test('the source is closed when the worker dies, the task is aborted or refused, or the pool destroyed', async (t) => {
  const pool = poolOf(t);
  const died = new Noted();
  const error = await caught(pool.run(died, { name: 'dies', retry: { max: 3 } }));
  assert.equal(error.code, 'PLIMSOLL_POOL_NOT_RETRYABLE');
  await until(() => died.closed === 1);
  const aborted = new Noted();
  const controller = new AbortController();
  const run = caught(pool.run(aborted, { name: 'slow', signal: controller.signal }));
  await until(() => aborted.given > 3);
  controller.abort();
  assert.ok((await run) instanceof AbortError);
  await until(() => aborted.closed === 1);
  const asked = new Noted();
  const gentle = new AbortController();
  const waits = caught(pool.run(asked, { name: 'waits', signal: gentle.signal, grace: LONG }));
  await until(() => asked.given > 0);
  gentle.abort();
  assert.ok((await waits) instanceof AbortError);
  await until(() => asked.closed === 1);
  const destroyed = new Noted();
  const lost = caught(pool.run(destroyed, { name: 'slow' }));
  await until(() => destroyed.given > 3);
  await pool.destroy();
  assert.equal((await lost).code, 'PLIMSOLL_POOL_CLOSED');
  await until(() => destroyed.closed === 1);
  const refused = new Noted();
  assert.equal((await caught(pool.run(refused))).code, 'PLIMSOLL_POOL_CLOSED');
  assert.equal(refused.given, 0);
});

test('a stream of a stream: back-pressure goes all the way', async (t) => {
  const pool = poolOf(t);
  const source = new Noted();
  const items = pool.stream(source, { name: 'doubled', highWaterMark: 2 });
  for (let got = 0; got < 100; got++) assert.equal((await items.next()).value, got * 2);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(source.given <= 100 + 2 + 34, `${source.given} items were taken`);
  await items.return?.();
  await until(() => source.closed === 1);
  assert.deepEqual(
    await listOf(pool.stream(new Noted(50), { name: 'doubled' })),
    numbers(50).map((item) => item * 2),
  );
  const unread = new Noted();
  pool.stream(unread, { name: 'doubled' });
  await pool.close();
  assert.equal(unread.given, 0);
});

test('no port is left open', async (t) => {
  const pool = poolOf(t);
  await pool.run(new Noted(3));
  const open = new Set<number>();
  let made = 0;
  const hook = createHook({
    init(id, type) {
      if (type !== 'MESSAGEPORT') return;
      open.add(id);
      made++;
    },
    destroy: (id) => void open.delete(id),
  }).enable();
  t.after(() => hook.disable());
  await Promise.all(numbers(20).map(() => pool.run(new Noted(5))));
  await listOf(pool.stream(new Noted(5), { name: 'doubled' }));
  for await (const _ of pool.stream(new Noted(), { name: 'doubled' })) break;
  assert.ok(made >= 22);
  await until(() => open.size === 0);
});
