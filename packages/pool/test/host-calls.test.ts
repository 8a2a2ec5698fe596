import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { move, type Pool, PoolError, type PoolOptions, UncloneableError } from '@plimsoll/pool';
import { TestPool } from '@plimsoll/pool/testing';
import { type HostCalls, hostCalls, host as ofWorker } from '@plimsoll/pool/worker';
import { poolFor as anyPoolFor, caught, fixture, until } from './support.js';

type Context = Parameters<typeof anyPoolFor>[0];

const notes: unknown[] = [];

class OddError extends RangeError {
  readonly code = 'ODD';
}

const functions = {
  back: (value: unknown) => value,
  backLater: async (value: unknown) => value,
  note: (text: unknown) => notes.push(text),
  never: () => new Promise(() => {}),
  fails: () => {
    throw new OddError('no', { cause: new TypeError('why') });
  },
  rejects: async () => functions.fails(),
  odd: () => ({ user: { socket: () => 1 } }),
  make: (size: number) => move(new Uint8Array(size)),
  sizeOf: ({ byteLength }: Uint8Array) => byteLength,
};

const poolFor = (context: Context, options: PoolOptions = {}): Pool =>
  anyPoolFor(context, {
    filename: fixture('host-calls.mjs'),
    host: functions,
    hostTimeout: 600_000,
    ...options,
  });

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

const WAYS = ['call', 'block'];

async function itemsOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** What a call gives that nothing holds up for longer than `hostTimeout`: on a busy machine that takes several. */
async function answerOf(call: () => Promise<unknown>): Promise<unknown> {
  for (const end = performance.now() + 60_000; ; ) {
    const answer = await call().catch((error: { code?: unknown }) => error);
    const isLate = (answer as { code?: unknown }).code === 'PLIMSOLL_POOL_HOST_TIMEOUT';
    if (!isLate || performance.now() > end) return answer;
  }
}

const codeOf = async (promise: Promise<unknown>): Promise<unknown> => (await caught(promise)).code;

for (const name of WAYS) {
  test(`values there and back, also large ones: ${name}`, async (t) => {
    const pool = poolFor(t);
    const values = [
      undefined,
      1n,
      'text',
      { a: [1, { b: null }] },
      new Map([[1, new Date(5)]]),
      new Error('e'),
    ];
    for (const value of [...values, 'x'.repeat(10_000), new Uint8Array(300_000), 'é'.repeat(2 ** 20)])
      for (const way of ['back', 'backLater'])
        assert.deepEqual(await pool.run([way, value], { name }), value);
  });

  test(`what a function throws or rejects with arrives as it was thrown: ${name}`, async (t) => {
    const pool = poolFor(t);
    for (const way of ['fails', 'rejects']) {
      const error = await caught(pool.run([way], { name }));
      assert.ok(error instanceof RangeError);
      assert.deepEqual([error.constructor.name, error.message, error.code], ['OddError', 'no', 'ODD']);
      assert.ok(error.cause instanceof TypeError);
    }
  });

  test(`a function that is not there, an answer that cannot be copied, none at all: ${name}`, async (t) => {
    const pool = poolFor(t);
    const missing = await caught(pool.run(['nothing'], { name, host: { mine: () => 1 } }));
    assert.equal(missing.code, 'PLIMSOLL_POOL_NO_HOST_FUNCTION');
    assert.match(missing.message, /'nothing'.*'mine', 'back', 'backLater'/);
    const odd = await caught(pool.run(['odd'], { name }));
    assert.match(odd.message, /^answer\.user\.socket cannot be copied/);
    const hasty = poolFor(t, { hostTimeout: 100 });
    assert.equal(await codeOf(hasty.run(['never'], { name })), 'PLIMSOLL_POOL_HOST_TIMEOUT');
    assert.equal(await answerOf(() => hasty.run(['back', 1], { name })), 1);
  });

  test(`arguments that the host cannot read, and answers that the worker cannot: ${name}`, async (t) => {
    const pool = poolFor(t);
    const errors = [];
    // The stack of a worker is larger than the host's, so some are written and cannot be read.
    for (const depth of [1000, 6000, 8000, 10_000, 15_000])
      errors.push(await pool.run([name, depth], { name: 'deep' }).catch((error) => error));
    const unread = errors.filter((error) => error instanceof UncloneableError && error.path === 'arguments');
    assert.ok(unread.length > 0, errors.join());
    assert.equal(await pool.run(['back', 1], { name }), 1);
    const small = poolFor(t, { resourceLimits: { stackSizeMb: 0.5 }, host: { ...functions, nested } });
    const answer = await caught(small.run(['nested', 2500], { name }));
    assert.ok(answer instanceof UncloneableError && answer.path === 'answer', String(answer));
    assert.ok(answer.cause instanceof RangeError);
    assert.equal(await small.run(['back', 1], { name }), 1);
  });

  test(`a task's functions come before those of the pool: ${name}`, async (t) => {
    const pool = poolFor(t);
    const host = { back: (value: string) => `mine: ${value}` };
    const [own, plain] = await Promise.all([
      pool.run(['back', 'x'], { name, host }),
      pool.run(['back', 'x'], { name }),
    ]);
    assert.deepEqual([own, plain], ['mine: x', 'x']);
    const mapped = [];
    for await (const value of pool.map(
      [
        ['back', 1],
        ['note', 2],
      ],
      { name, host: { ...host, note: () => 'noted' } },
    ))
      mapped.push(value);
    assert.deepEqual(mapped, ['mine: 1', 'noted']);
    const proxied = pool.proxy<{ [key: string]: (task: unknown) => unknown }>({ host });
    assert.equal(await proxied[name]?.(['back', 'y']), 'mine: y');
    assert.deepEqual(
      (await pool.broadcast(['back', 'z'], { name, host })).map((one) => 'value' in one && one.value),
      ['mine: z'],
    );
    const bare = anyPoolFor(t, { filename: fixture('host-calls.mjs') });
    assert.equal(await codeOf(bare.run(['back'], { name })), 'PLIMSOLL_POOL_NO_HOST_FUNCTION');
    assert.equal(await bare.run(['back', 'x'], { name, host }), 'mine: x');
  });

  test(`abort, timeout and close end a task whose call has no answer: ${name}`, async (t) => {
    const pool = poolFor(t, { hostTimeout: Number.POSITIVE_INFINITY });
    assert.equal(await codeOf(pool.run(['never'], { name, timeout: 50 })), 'PLIMSOLL_POOL_TIMEOUT');
    assert.equal(await pool.run(['back', 1], { name }), 1);
    const [before] = pool.threads;
    const asked = pool.run(['never'], { name, timeout: 50, grace: 60_000 });
    assert.equal(await codeOf(asked), 'PLIMSOLL_POOL_TIMEOUT');
    assert.equal(await pool.run(['back', 1], { name }), 1);
    assert.ok(pool.threads[0] === before, 'the worker that was asked lives on');
    const kill = async (): Promise<void> => {
      await pool.threads[0]?.terminate();
    };
    const dying = pool.run(['kill'], { name, host: { kill } });
    assert.equal(await codeOf(dying), 'PLIMSOLL_POOL_WORKER_EXITED');
    const last = pool.run(['never'], { name });
    last.catch(() => {});
    await pool.destroy();
    assert.equal(await codeOf(last), 'PLIMSOLL_POOL_CLOSED');
    const { core } = pool as unknown as { core: { blocked: Map<unknown, unknown> } };
    assert.equal(core.blocked.size, 0);
  });
}

test('arguments that cannot be copied, buffers that are moved', async (t) => {
  const pool = poolFor(t);
  for (const isSync of [true, false]) {
    const error = await caught(pool.run(isSync, { name: 'socket' }));
    assert.match(error.message, /^arguments\[0\]\.user\.socket cannot be copied/);
  }
  assert.equal(await pool.run(100_000, { name: 'moved' }), 200_000);
});

test('a call that nobody waits for is made, and one that outlives its task fails with a code', async (t) => {
  const pool = poolFor(t);
  notes.length = 0;
  for (let count = 0; count < 20; count++) await pool.run(count, { name: 'callAndGo' });
  assert.deepEqual(
    notes,
    Array.from({ length: 20 }, (_, count) => count),
  );
  await pool.run(0, { name: 'leave' });
  assert.equal(await codeOf(pool.run(0, { name: 'left' })), 'PLIMSOLL_POOL_CALL_TOO_LATE');
  await pool.run(0, { name: 'keep' });
  assert.equal(await codeOf(pool.run(0, { name: 'left' })), 'PLIMSOLL_POOL_CALL_TOO_LATE');
  const early = await caught(pool.run(0, { name: 'whileLoading' }));
  assert.equal(early.code, 'PLIMSOLL_POOL_NO_HOST_FUNCTION');
});

test('a generator calls, also over several items, and as it is closed', async (t) => {
  const pool = poolFor(t);
  notes.length = 0;
  const items: unknown[] = [];
  for await (const item of pool.stream(2, { name: 'items' })) items.push(item);
  for await (const _ of pool.stream(2, { name: 'items' })) break;
  assert.deepEqual(items, [0, '0 0', 1, '1 1']);
  await until(() => notes.length === 2);
  assert.deepEqual(notes, ['closed', 'closed']);
});

test('where the host would wait for the worker that waits for it, the task is refused', async (t) => {
  const pool = poolFor(t, { maxThreads: 2, minThreads: 2 });
  let key: string | undefined;
  const host = {
    nest: (depth: number): unknown =>
      pool.run(depth === 0 ? ['back', 'end'] : ['nest', depth - 1], { name: 'block', host, key }),
    all: async () => (await pool.broadcast(['back', 1], { name: 'call' })).map(({ status }) => status),
  };
  assert.equal(await pool.run(['nest', 0], { name: 'block', host }), 'end');
  assert.equal(await codeOf(pool.run(['nest', 1], { name: 'block', host })), 'PLIMSOLL_POOL_DEADLOCK');
  key = 'same';
  assert.equal(await codeOf(pool.run(['nest', 0], { name: 'block', host, key })), 'PLIMSOLL_POOL_DEADLOCK');
  const ends = (await pool.run(['all'], { name: 'block', host })) as string[];
  assert.deepEqual(ends.sort(), ['fulfilled', 'rejected']);
});

test('the same after an await, by way of other workers, loops and pools', async (t) => {
  const pool = poolFor(t, { maxThreads: 2, minThreads: 2, concurrentTasksPerWorker: 2 });
  const rest = poolFor(t, { maxThreads: 2, minThreads: 2 });
  const inFirst = { name: 'block', key: 'first' };
  const inSecond = { key: 'second' };
  const codes: Record<string, unknown> = {};
  const refused = async (what: string, promise: Promise<unknown>): Promise<void> => {
    codes[what] = await codeOf(promise);
  };
  const first = (): Promise<unknown> => pool.run(['back', 'end'], inFirst);
  const firstAgain = { again: first };
  const host = {
    later: async () => {
      await sleep(1);
      await refused('later', first());
      return await pool.run(['back', 'end'], { name: 'block', ...inSecond });
    },
    loop: () => refused('loop', itemsOf(pool.map([['back', 1]], inFirst))),
    blocking: () =>
      refused('blocking', pool.run(['again'], { name: 'block', ...inSecond, host: firstAgain })),
    awaiting: () => refused('awaiting', pool.run(['again'], { name: 'call', ...inSecond, host: firstAgain })),
    elsewhere: () => refused('elsewhere', rest.run(['again'], { name: 'block', host: firstAgain })),
    mine: async () => {
      let release = (): void => {};
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      const busy = { ...inSecond, name: 'call', host: { hold: () => gate } };
      const held = [1, 2].map(() => pool.run(['hold'], busy));
      const end = pool.run(['back', 'of a key of its own'], { name: 'block', key: 'new' });
      release();
      await Promise.all(held);
      return await end;
    },
  };
  await pool.ready();
  await Promise.all([pool.run(['back'], inFirst), pool.run(['back'], { name: 'block', ...inSecond })]);
  assert.equal(await pool.run(['later'], { ...inFirst, host }), 'end');
  for (const name of ['loop', 'blocking', 'awaiting', 'elsewhere'])
    await pool.run([name], { ...inFirst, host });
  assert.deepEqual([...new Set(Object.values(codes))], ['PLIMSOLL_POOL_DEADLOCK'], JSON.stringify(codes));
  assert.equal(Object.keys(codes).length, 5);
  assert.equal(await pool.run(['mine'], { ...inFirst, host }), 'of a key of its own');
});

test('two workers that wait for each other: the task that closes the circle is refused', async (t) => {
  const pool = poolFor(t, { maxThreads: 2, minThreads: 2 });
  const keys = ['one', 'two'];
  for (const key of keys) await pool.run(['back'], { name: 'block', key });
  let blocked = 0;
  const host = {
    meet: async (other: string) => {
      blocked++;
      await until(() => blocked === 2);
      return await pool.run(['back', other], { name: 'block', key: other }).catch(({ code }) => code);
    },
  };
  const ends = await Promise.all(
    keys.map((key, index) => pool.run(['meet', keys[1 - index]], { name: 'block', key, host })),
  );
  assert.equal(ends.filter((end) => end === 'PLIMSOLL_POOL_DEADLOCK').length, 1, ends.join());
});

test('what runs when its call is over, or was given up, may run any task', async (t) => {
  const pool = poolFor(t, { maxThreads: 1 });
  const hasty = poolFor(t, { maxThreads: 1, hostTimeout: 100 });
  const after: Promise<unknown>[] = [];
  let isCalled = false;
  let giveUp = (): void => {};
  const givenUp = new Promise<void>((resolve) => {
    giveUp = resolve;
  });
  const host = {
    back: () => {
      after.push(sleep(1).then(() => pool.run(['back', 'after'], { name: 'block' })));
    },
    never: async () => {
      isCalled = true;
      await givenUp;
      after.push(hasty.run('given up', { filename: fixture('tasks.mjs'), name: 'echo' }));
    },
  };
  await pool.run(['back'], { name: 'block', host });
  // A call that the host has not read in time is none.
  while (!isCalled)
    assert.equal(await codeOf(hasty.run(['never'], { name: 'block', host })), 'PLIMSOLL_POOL_HOST_TIMEOUT');
  giveUp();
  await until(() => after.length === 2);
  assert.deepEqual(await Promise.all(after), ['after', 'given up']);
});

for (const name of WAYS) {
  test(`a function runs with the stores of where its task was submitted: ${name}`, async (t) => {
    const storage = new AsyncLocalStorage<string>();
    const seen = async (): Promise<unknown> => {
      const before = storage.getStore();
      await sleep(1);
      return before === storage.getStore() ? before : 'lost';
    };
    const pool = poolFor(t, { host: { seen, back: seen, backLater: seen, note: () => {} } });
    const inside = <Result>(store: string, call: () => Result): Result => storage.run(store, call);
    const all = ['a', 'b', 'c', 'd'].map((store) => inside(store, () => pool.run(['seen'], { name })));
    assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd']);
    const own = anyPoolFor(t, { filename: fixture('host-calls.mjs') });
    assert.equal(await inside('own', () => own.run(['seen'], { name, host: { seen } })), 'own');
    const loop = pool.map(Array(9).fill(['seen']), { name, concurrency: 2 });
    const [turn, more] = [await inside('loop', () => loop.next()), await itemsOf(loop)];
    assert.deepEqual([turn.value, ...more], Array(9).fill('loop'));
    const parts = await inside('parts', () => pool.broadcast(['seen'], { name }));
    assert.deepEqual([...new Set(parts.map((one) => 'value' in one && one.value))], ['parts']);
    const stream = pool.stream(3, { name: 'items', highWaterMark: 1 });
    await inside('stream', () => stream.next());
    // The function of its first item was called before, where the stream was begun.
    const rest = (await itemsOf(stream)).filter((item) => typeof item === 'string');
    assert.deepEqual(rest, Array(3).fill('stream stream'));
  });
}

test('a function that a worker waits for may end a stream of that worker', async (t) => {
  const pool = poolFor(t);
  notes.length = 0;
  const controller = new AbortController();
  const stream = pool.stream(9, { name: 'items', highWaterMark: 1, signal: controller.signal });
  await stream.next();
  await pool.run(['stop'], { name: 'block', host: { stop: () => controller.abort() } });
  await until(() => notes.includes('closed'));
  await caught(stream.next());
});

test('a host whose thread is blocked is told apart, and later calls have right answers', async (t) => {
  const pool = poolFor(t, { hostTimeout: 20 });
  await pool.run(['back', 1], { name: 'block' }).catch(() => {});
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const run = pool.run(flag, { name: 'giveUp' });
  assert.notEqual(Atomics.wait(flag, 0, 0, 60_000), 'timed-out');
  assert.match(String(await run), /PLIMSOLL_POOL_HOST_TIMEOUT .* has not read the call/);
  const patient = poolFor(t);
  assert.equal(await patient.run(10_000, { name: 'many' }), 49_995_000);
});

test('what comes too late does not take the place of the next answer', async (t) => {
  const pool = poolFor(t, { hostTimeout: 100 });
  const answers: (() => void)[] = [];
  const host = {
    late: () => new Promise<string>((resolve) => answers.push(() => resolve('late'))),
    next: () => {
      for (const answer of answers) answer();
      return new Promise((resolve) => setImmediate(() => resolve('next')));
    },
  };
  const codes = [];
  for (let call = 0; call < 3; call++) {
    codes.push(await codeOf(pool.run(['late'], { name: 'block', host })));
    // It may be too late itself, but never that other one.
    codes.push(await answerOf(() => pool.run(['next'], { name: 'block', host })));
  }
  const wanted = ['PLIMSOLL_POOL_HOST_TIMEOUT', 'next'];
  assert.deepEqual(codes, [...wanted, ...wanted, ...wanted]);
});

test('on a TestPool: calls as ever, and none that would block the thread of the test', async (t) => {
  const pool = new TestPool({ filename: fixture('host-calls.mjs'), host: functions, maxThreads: 1 });
  t.after(() => pool.destroy());
  assert.deepEqual(await pool.run(['backLater', { a: 1 }], { name: 'call' }), { a: 1 });
  assert.equal(await codeOf(pool.run(['back', 1], { name: 'block' })), 'PLIMSOLL_POOL_DEADLOCK');
  const never = caught(pool.run(['never'], { name: 'call' }));
  await pool.advance(30_000);
  assert.equal((await never).code, 'PLIMSOLL_POOL_HOST_TIMEOUT');
});

test('outside of a worker there is no host; its types are those of the functions', async () => {
  assert.equal(await codeOf(ofWorker.back?.(1) as Promise<unknown>), 'PLIMSOLL_POOL_NO_HOST_FUNCTION');
  assert.throws(() => ofWorker.sync.back?.(1), PoolError);
  const typed: HostCalls<typeof functions> = hostCalls<typeof functions>();
  const sized: (array: Uint8Array) => Promise<number> = typed.sizeOf;
  const size: (array: Uint8Array) => number = typed.sync.sizeOf;
  assert.deepEqual([typeof sized, typeof size], ['function', 'function']);
});
