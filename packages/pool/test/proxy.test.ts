import assert from 'node:assert/strict';
import { test } from 'node:test';
import { move, Pool, TimeoutError } from '@plimsoll/pool';
import { caught, fixture, poolFor, until } from './support.js';

interface Api {
  resize(image: string, width: number, height?: number): string;
  later(...items: unknown[]): Promise<unknown[]>;
  count(...items: unknown[]): number;
  sizeOf(buffer: ArrayBuffer, factor: number): number;
  fail(message: string, code: string): never;
  blockForever(started: Int32Array): never;
  hold(gate: Int32Array): string;
  catchThis(): boolean;
  thread(): number;
  missing(): void;
  default(one: number, other: number): number;
}

const filename = fixture('api.mjs');

test('a proxy calls functions with all their arguments', async (t) => {
  const api = poolFor(t, { filename }).proxy<Api>();
  assert.equal(await api.resize('a', 200), 'a 200 200');
  assert.equal(await api.resize('a', 200, 100), 'a 200 100');
  const items = [undefined, null, { a: [1] }, new Map([[1, 2]])];
  assert.deepEqual(await api.later(...items), items);
  assert.equal(await api.count(), 0);
  assert.equal(await api.count(undefined), 1);
  assert.equal(await api.default(4, 6), 10);
  assert.equal(await api.catchThis(), true);
});

test('the same function is a task and a member', async (t) => {
  const pool = poolFor(t, { filename });
  const api = pool.proxy<Api>();
  const both = await Promise.all([api.count([1, 2], 3), pool.run([1, 2], { name: 'count' })]);
  assert.deepEqual(both, [2, 1]);
});

test('a proxy can be awaited, returned and inspected; symbols and `then` are no functions of it', async (t) => {
  const api = poolFor(t, { filename }).proxy<Api>();
  assert.equal(await (async () => api)(), api);
  assert.equal((api as { then?: unknown }).then, undefined);
  assert.equal((api as { [Symbol.iterator]?: unknown })[Symbol.iterator], undefined);
  assert.equal(api.resize, api.resize);
  assert.deepEqual(Object.keys(api), []);
  assert.throws(() => Object.assign(api, { resize: 1 }), TypeError);
});

test('a name that is not exported rejects, and so does an export that is no function', async (t) => {
  const api = poolFor(t, { filename }).proxy<Api & { limit(): void }>();
  for (const call of [api.missing, api.limit]) {
    const error = await caught(call());
    assert.equal(error.code, 'PLIMSOLL_POOL_LOAD_FAILED');
    assert.match(error.message, /as '(missing|limit)', only .*'resize'/);
  }
  assert.equal(await api.count(1), 1);
});

test('what a function throws arrives, and names the argument that cannot be cloned', async (t) => {
  const api = poolFor(t, { filename }).proxy<Api>();
  const error = await caught(api.fail('no', 'E_NO'));
  assert.ok(error instanceof RangeError);
  assert.equal(error.code, 'E_NO');
  const uncloneable = await caught(api.later(1, { callback: () => 1 }));
  assert.equal(uncloneable.code, 'PLIMSOLL_POOL_UNCLONEABLE');
  assert.equal(uncloneable.path, 'task[1].callback');
});

test('an argument that is marked by move is transferred', async (t) => {
  const api = poolFor(t, { filename }).proxy<Api>();
  const [moved, copied] = [new ArrayBuffer(8), new ArrayBuffer(4)];
  assert.deepEqual(await Promise.all([api.sizeOf(move(moved), 2), api.sizeOf(copied, 3)]), [16, 12]);
  assert.deepEqual([moved.byteLength, copied.byteLength], [0, 4]);
});

test('options of a proxy hold for each of its calls', async (t) => {
  const pool = poolFor(t, { filename: null });
  assert.equal((await caught(pool.proxy<Api>().count())).code, 'PLIMSOLL_POOL_NO_FILENAME');
  const api = pool.proxy<Api>({ filename });
  assert.equal(await api.count(1, 2), 2);
  const started = new Int32Array(new SharedArrayBuffer(4));
  const late = await caught(pool.proxy<Api>({ filename, timeout: 300 }).blockForever(started));
  assert.ok(late instanceof TimeoutError);
  assert.match(late.message, /'blockForever'/);
  const controller = new AbortController();
  const before = Atomics.load(started, 0);
  const aborted = caught(pool.proxy<Api>({ filename, signal: controller.signal }).blockForever(started));
  await until(() => Atomics.load(started, 0) > before);
  controller.abort('enough');
  assert.equal((await aborted).cause, 'enough');
  assert.equal(await api.count(1), 1);
});

test('priorities of proxies decide which call runs first', async (t) => {
  const pool = poolFor(t, { filename });
  const order: string[] = [];
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const held = pool.proxy<Api>().hold(gate);
  await until(() => pool.idleThreads === 0 && pool.threads.length === 1);
  const call = (name: string, priority: number) =>
    pool
      .proxy<Api>({ priority })
      .later(name)
      .then(() => order.push(name));
  const calls = [call('low', 0), call('high', 5)];
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  await Promise.all([held, ...calls]);
  assert.deepEqual(order, ['high', 'low']);
});

test('a proxy of a pool that is closed rejects; bad options throw', async (t) => {
  const pool = new Pool<Api>({ filename, maxThreads: 1 });
  t.after(() => pool.destroy());
  const api = pool.proxy();
  await pool.close();
  assert.equal((await caught(api.count())).code, 'PLIMSOLL_POOL_CLOSED');
  const bad = { name: 'a', transferList: [], timeout: -1, signal: 1, filename: 7, priority: 0.5 };
  for (const [name, value] of Object.entries(bad)) {
    assert.throws(
      () => pool.proxy({ [name]: value }),
      (error: Error & { code: string }) =>
        error.code === 'PLIMSOLL_POOL_BAD_OPTION' && error.message.startsWith(`options.${name} must be`),
      name,
    );
  }
  assert.throws(() => pool.proxy(null as never), { code: 'PLIMSOLL_POOL_BAD_OPTION' });
});
