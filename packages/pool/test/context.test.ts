import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { move, Pool, type PoolOptions } from '@plimsoll/pool';
import { ArrayTaskQueue, type PiscinaTask } from '@plimsoll/pool/piscina';
import { receiveContext } from '@plimsoll/pool/worker';
import { caught, fixture, newGate, piscinaFor, until } from './support.js';

const user = new AsyncLocalStorage<unknown>();
const request = new AsyncLocalStorage<unknown>();

interface Context {
  after(fn: () => Promise<void>): void;
}

function pooled(context: Context, options: PoolOptions = {}): Pool {
  const filename = fixture('context.mjs');
  const pool = new Pool({ filename, minThreads: 1, maxThreads: 1, context: { user, request }, ...options });
  context.after(() => pool.destroy());
  return pool;
}

test('stores are those of the caller in the worker, before and after an await', async (t) => {
  const pool = pooled(t);
  const store = { id: 7, roles: new Set(['admin']), since: new Date(0) };
  for (const name of ['stores', 'storesLater']) {
    const found = await user.run(store, () => request.run('r1', () => pool.run(0, { name })));
    assert.deepEqual(found, [store, 'r1']);
    assert.deepEqual(await user.run('only', () => pool.run(0, { name })), ['only', undefined]);
    assert.deepEqual(await pool.run(0, { name }), [undefined, undefined], 'nothing is left of earlier tasks');
  }
});

test('falsy stores travel, the undefined one does not', async (t) => {
  const pool = pooled(t);
  for (const store of [0, '', false, null, Number.NaN]) {
    const found = await user.run(store, () => pool.run(0, { name: 'stores' }));
    assert.deepEqual(found, [store, undefined]);
  }
});

test('tasks at a time in one worker see a store each', async (t) => {
  const pool = pooled(t, { concurrentTasksPerWorker: 8 });
  const ids = Array.from({ length: 50 }, (_, id) => id);
  const found = await Promise.all(
    ids.map((id) => user.run(id, () => pool.run((id * 7) % 20, { name: 'storesAfter' }))),
  );
  assert.deepEqual(
    found,
    ids.map((id) => [id, undefined]),
  );
});

test('stores travel with options, moved values, values that are cloned, and calls of a proxy', async (t) => {
  const pool = pooled(t);
  const api = pool.proxy<{ withTasks: (...tasks: unknown[]) => unknown }>();
  await user.run('u', async () => {
    const signal = new AbortController().signal;
    const withSignal = await pool.run(1, { name: 'withTask', signal, priority: 2 });
    assert.deepEqual(withSignal, { task: 1, stores: ['u', undefined] });
    const bytes = new Uint8Array(9);
    assert.deepEqual(await pool.run(move(bytes), { name: 'withTask' }), {
      task: new Uint8Array(9),
      stores: ['u', undefined],
    });
    assert.equal(bytes.length, 0, 'it was transferred');
    const cloned = await pool.run(/x/g, { name: 'withTask' });
    assert.deepEqual(cloned, { task: /x/g, stores: ['u', undefined] });
    const large = await pool.run('x'.repeat(2 ** 20), { name: 'stores' });
    assert.deepEqual(large, ['u', undefined]);
    assert.deepEqual(await api.withTasks(1, 'two'), { tasks: [1, 'two'], stores: ['u', undefined] });
  });
});

test('after the end of a task the store is the caller’s, however it ends', async (t) => {
  const pool = pooled(t);
  const ids = Array.from({ length: 30 }, (_, id) => id);
  await Promise.all(
    ids.map((id) =>
      user.run(id, async () => {
        await pool.run(id % 5, { name: 'storesAfter' });
        assert.equal(user.getStore(), id);
        assert.equal((await caught(pool.run(0, { name: 'fail' }))).message, `of ${id}`);
        assert.equal(user.getStore(), id);
        await pool.run(0, { name: 'stores' }).then(() => assert.equal(user.getStore(), id));
        await pool.run(0, { name: 'fail' }).catch(() => assert.equal(user.getStore(), id));
        await pool.run(0, { name: 'stores' }).finally(() => assert.equal(user.getStore(), id));
      }),
    ),
  );
});

test('without the option the store after a task is the caller’s as well', async (t) => {
  const pool = new Pool({ filename: fixture('context.mjs'), minThreads: 1, maxThreads: 1 });
  t.after(() => pool.destroy());
  await Promise.all(
    [1, 2, 3].map((id) =>
      user.run(id, async () => {
        assert.deepEqual(await pool.run(0, { name: 'storesLater' }), [undefined, undefined]);
        assert.equal(user.getStore(), id);
        await caught(pool.run(0, { name: 'fail' }));
        assert.equal(user.getStore(), id);
      }),
    ),
  );
});

test('a store that cannot be cloned is a coded error that names it, and leaks nothing', async (t) => {
  const pool = pooled(t);
  const bad = { deep: [{ socket: () => {} }] };
  // More than there are slots: each of them would be lost if one were.
  for (let time = 0; time < 1500; time++) {
    const error = await user.run(bad, () => caught(pool.run(0, { name: 'stores' })));
    assert.equal(error.code, 'PLIMSOLL_POOL_UNCLONEABLE');
    assert.equal(error.path, 'context.user.deep[0].socket');
    assert.match(error.message, /^context\.user\.deep\[0\]\.socket cannot be copied .*: it is a function$/);
  }
  assert.equal(pool.queueSize, 0);
  assert.deepEqual(await user.run('good', () => pool.run(0, { name: 'stores' })), ['good', undefined]);
});

test('a task, an argument or a result that cannot be cloned is named as ever', async (t) => {
  const pool = pooled(t);
  await user.run('u', async () => {
    const task = await caught(pool.run({ inner: { fn: () => {} } }, { name: 'stores' }));
    assert.equal(task.path, 'task.inner.fn');
    assert.equal((await caught(pool.run(() => {}, { name: 'stores' }))).path, 'task');
    assert.equal((await caught(pool.run(0, { name: 'returnFunction' }))).path, 'result');
    const api = pool.proxy<{ withTasks: (...tasks: unknown[]) => unknown }>();
    assert.equal((await caught(Promise.resolve(api.withTasks(1, () => {})))).path, 'task[1]');
  });
});

test('what a getter of a store throws is the error of the task', async (t) => {
  const pool = pooled(t);
  const store = {
    get bad(): never {
      throw new RangeError('from the getter');
    },
  };
  const error = await user.run(store, () => caught(pool.run(0, { name: 'stores' })));
  assert.equal(error.message, 'from the getter');
  assert.deepEqual(await pool.run(0, { name: 'stores' }), [undefined, undefined]);
});

test('a worker that dies, an abort and a forced close reject in the store of the caller', async (t) => {
  const pool = pooled(t);
  await user.run('u', async () => {
    assert.equal((await caught(pool.run(0, { name: 'exit' }))).code, 'PLIMSOLL_POOL_WORKER_EXITED');
    assert.equal(user.getStore(), 'u');
    assert.deepEqual(await pool.run(0, { name: 'stores' }), ['u', undefined], 'a new worker restores it too');
    const shared = new Int32Array(new SharedArrayBuffer(4));
    const controller = new AbortController();
    const running = caught(pool.run(shared, { name: 'blockForever', signal: controller.signal }));
    const waiting = caught(pool.run(0, { name: 'stores', signal: controller.signal }));
    await until(() => Atomics.load(shared, 0) === 1);
    controller.abort();
    assert.equal((await running).code, 'PLIMSOLL_POOL_ABORTED');
    assert.equal((await waiting).code, 'PLIMSOLL_POOL_ABORTED');
    assert.equal(user.getStore(), 'u');
    const gate = newGate();
    const last = pool.run(gate.words, { name: 'hold' });
    const forced = caught(pool.run(0, { name: 'stores' }));
    const closing = pool.close({ force: true });
    gate.open();
    await closing;
    assert.equal(typeof (await last), 'number');
    assert.equal((await forced).code, 'PLIMSOLL_POOL_ABORTED');
    assert.equal(user.getStore(), 'u');
  });
});

test('queues of the user’s see the task, not what travels with it', async (t) => {
  const seen: unknown[] = [];
  class Noting extends ArrayTaskQueue {
    override push(task: PiscinaTask): void {
      seen.push(task.task);
      super.push(task);
    }
  }
  const filename = fileURLToPath(fixture('context.mjs'));
  const pool = piscinaFor(t, { filename, context: { user, request }, taskQueue: new Noting() });
  await user.run('u', () =>
    Promise.all([{ a: 1 }, undefined, null].map((task) => pool.run(task, { name: 'withTask' }))),
  );
  assert.deepEqual(seen, [{ a: 1 }, undefined, null]);
});

async function all(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('each task of a map has the stores of where its loop was begun', async (t) => {
  const pool = pooled(t, { maxThreads: 2 });
  async function* source() {
    for (let item = 0; item < 20; item++) {
      await new Promise(setImmediate);
      yield item;
    }
  }
  const items = Array.from({ length: 20 }, (_, item) => item);
  const name = 'withItem';
  await Promise.all(
    ['a', 'b', 'c'].map((id) =>
      user.run(id, async () => {
        const expected = items.map((item) => [item, id]);
        assert.deepEqual(await all(pool.map(items, { name, concurrency: 3 })), expected);
        assert.deepEqual(await all(pool.map(source(), { name, concurrency: 3 })), expected);
        const movable = items.map((item) => move(new Uint8Array(item)));
        const withOptions = pool.map(movable, { name, concurrency: 3, priority: 1, timeout: 60_000 });
        assert.deepEqual(
          await all(withOptions),
          items.map((item) => [new Uint8Array(item), id]),
        );
        assert.equal(user.getStore(), id);
      }),
    ),
  );
  const made = user.run('made', () => pool.map([1, 2, 3], { name, concurrency: 1 }));
  const [first] = await user.run('begun', async () => [await made.next()]);
  assert.deepEqual(first?.value, [1, 'begun']);
  const second = await user.run('later', () => made.next());
  assert.deepEqual(second.value, [2, 'begun'], 'not those of who asks for a further item');
  assert.deepEqual((await made.next()).value, [3, 'begun']);
  assert.deepEqual(await all(pool.map([1], { name })), [[1, undefined]]);
});

test('the call of a generator, each of its steps, and its finally have the stores of the loop', async (t) => {
  const pool = pooled(t, { concurrentTasksPerWorker: 4 });
  for (const name of ['steps', 'stepsLater']) {
    const three = await Promise.all(
      ['a', 'b', undefined].map((id) =>
        user.run(id, async () => {
          const found = await all(pool.stream(30, { name, highWaterMark: 2 }));
          assert.equal(user.getStore(), id);
          return found;
        }),
      ),
    );
    assert.deepEqual(
      three.map((found) => new Set(found)),
      [new Set(['a']), new Set(['b']), new Set([undefined])],
    );
    assert.deepEqual(
      new Set((await pool.run(0, { name: 'takeClosed' })) as unknown[]),
      new Set(['a', 'b', undefined]),
    );
    await user.run('broken', async () => {
      for await (const store of pool.stream(1000, { name })) {
        assert.equal(store, 'broken');
        break;
      }
    });
    assert.deepEqual(await pool.run(0, { name: 'takeClosed' }), ['broken']);
    assert.deepEqual(await pool.run(0, { name: 'stores' }), [undefined, undefined], 'nothing is left of it');
  }
  assert.deepEqual(await user.run('p', () => all(pool.stream(0, { name: 'iterable' }))), [['p', 'p']]);
});

test('a map and a stream that fail tell why as ever, and leak nothing', async (t) => {
  const pool = pooled(t);
  const bad = { socket: () => {} };
  for (let time = 0; time < 600; time++) {
    const ofMap = await user.run(bad, () => caught(all(pool.map([1], { name: 'stores' }))));
    assert.equal(ofMap.path, 'context.user.socket');
    const ofStream = await user.run(bad, () => caught(all(pool.stream(1, { name: 'steps' }))));
    assert.equal(ofStream.path, 'context.user.socket');
  }
  assert.equal(pool.queueSize, 0);
  await user.run('u', async () => {
    const inTask = await caught(all(pool.map([{ fn: () => {} }], { name: 'stores' })));
    assert.equal(inTask.path, 'task.fn');
    assert.equal((await caught(all(pool.stream(() => {}, { name: 'steps' })))).path, 'task');
    assert.equal((await caught(all(pool.map([0], { name: 'fail' })))).message, 'of u');
    assert.equal((await caught(all(pool.stream(0, { name: 'stepsThenFail' })))).message, 'of u');
    const died = await caught(all(pool.stream(0, { name: 'stepsThenExit' })));
    assert.equal(died.code, 'PLIMSOLL_POOL_WORKER_EXITED');
    assert.equal((await caught(all(pool.map([0], { name: 'exit' })))).code, 'PLIMSOLL_POOL_WORKER_EXITED');
    assert.deepEqual(await all(pool.stream(2, { name: 'steps' })), ['u', 'u']);
  });
});

test('tasks without a store are sent as plain ones', async (t) => {
  const pool = pooled(t);
  await pool.run(0, { name: 'stores' });
  const { handlers } = (pool as unknown as { core: { handlers: { byId: Map<number, { call: number }> } } })
    .core;
  assert.deepEqual(
    [...handlers.byId.values()].map(({ call }) => call),
    [0, 0],
  );
  await user.run(1, () => pool.run(0, { name: 'stores' }));
  assert.equal(handlers.byId.size, 3);
});

test('a storage that the worker file does not register is ignored', async (t) => {
  const other = new AsyncLocalStorage<unknown>();
  const pool = pooled(t, { context: { other, user } });
  assert.deepEqual(await other.run(1, () => user.run(2, () => pool.run(0, { name: 'stores' }))), [
    2,
    undefined,
  ]);
});

test('receiveContext() refuses what is no storage, and a name for two of them', () => {
  for (const bad of [undefined, null, 7, [], { user: {} }, { user: undefined }]) {
    assert.throws(() => receiveContext(bad as never), {
      name: 'TypeError',
      code: 'PLIMSOLL_POOL_BAD_OPTION',
    });
  }
  const mine = new AsyncLocalStorage<unknown>();
  receiveContext({ 'of this test': mine });
  receiveContext({ 'of this test': mine });
  assert.throws(() => receiveContext({ 'of this test': new AsyncLocalStorage() }), {
    name: 'RangeError',
    code: 'PLIMSOLL_POOL_BAD_OPTION',
  });
});
