import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Pool, PoolOptions, UncloneableError } from '@plimsoll/pool';
import { ArrayTaskQueue, queueOptionsSymbol } from '@plimsoll/pool/piscina';
import { caught, fixture, piscinaFor, poolFor } from './support.js';

const LIMIT = { timeout: 240_000 };

const poolOver = (context: TestContext, options: PoolOptions = {}): Pool =>
  poolFor(context, { filename: fixture('moves.mjs'), ...options });

/** A value with a getter, for the codec or (with an error in it) for structured clone. */
const withGetter = (get: () => unknown, isForClone: boolean): object =>
  Object.defineProperty(isForClone ? { error: new Error('one') } : {}, 'got', { get, enumerable: true });

/** Nothing is left behind, and tasks go on. */
async function assertIsFine(pool: Pool): Promise<void> {
  const pings = Array.from({ length: 100 }, () => pool.run(0, { name: 'ping' }));
  assert.deepEqual(new Set(await Promise.all(pings)), new Set(['fine']));
  assert.equal(pool.queueSize, 0);
  assert.equal(pool.utilization >= 0, true);
}

for (const isForClone of [false, true]) {
  const kind = isForClone ? 'structured clone' : 'the codec';

  test(`a getter may run another task: ${kind}`, LIMIT, async (t) => {
    const pool = poolOver(t);
    let inner: Promise<unknown> | undefined;
    const value = withGetter(() => {
      inner ??= pool.run({ inner: [1, 2] }, { name: 'echo' });
      return 'got';
    }, isForClone);
    const outer = (await pool.run(value, { name: 'echo' })) as { got: string };
    assert.equal(outer.got, 'got');
    assert.deepEqual(await inner, { inner: [1, 2] });
    await assertIsFine(pool);
  });

  test(`a getter may abort its own task: ${kind}`, LIMIT, async (t) => {
    const pool = poolOver(t);
    for (let round = 0; round < 3; round++) {
      const controller = new AbortController();
      const value = withGetter(() => controller.abort('by the getter'), isForClone);
      const error = await caught(pool.run(value, { name: 'echo', signal: controller.signal }));
      assert.equal(error.code, 'PLIMSOLL_POOL_ABORTED');
      assert.equal(error.cause, 'by the getter');
      await assertIsFine(pool);
    }
  });

  test(`a getter may destroy the pool: ${kind}`, LIMIT, async (t) => {
    const pool = poolOver(t);
    let destroyed: Promise<void> | undefined;
    const value = withGetter(() => {
      destroyed = pool.destroy();
    }, isForClone);
    const [one, other] = await Promise.all([
      caught(pool.run(value, { name: 'echo' })),
      caught(pool.run(1, { name: 'echo' })),
    ]);
    assert.equal(one.code, 'PLIMSOLL_POOL_CLOSED');
    assert.equal(other.code, 'PLIMSOLL_POOL_CLOSED');
    await destroyed;
  });

  test(`what a getter throws rejects its task alone, also from the queue: ${kind}`, LIMIT, async (t) => {
    const pool = poolOver(t);
    const failing = withGetter(() => assert.fail('from the getter'), isForClone);
    // More than the table has slots for.
    const runs = Array.from({ length: 3000 }, (_, index) =>
      pool.run(index % 3 === 0 ? failing : index, { name: 'echo' }),
    );
    for (const [index, end] of (await Promise.allSettled(runs)).entries()) {
      if (index % 3 !== 0) assert.deepEqual(end, { status: 'fulfilled', value: index });
      else assert.match(end.status === 'rejected' ? end.reason.message : '', /from the getter/);
    }
    await assertIsFine(pool);
  });
}

/** What happens to it as a result. As an argument the same happens, in the host. */
const moves: Record<string, (end: PromiseSettledResult<unknown>) => void> = {
  bytes: (end) => assert.deepEqual(end, { status: 'fulfilled', value: new Uint8Array([1, 2, 3]) }),
  twoBuffers: (end) => assert.deepEqual(end, { status: 'fulfilled', value: 'two' }),
  throwsTransfer: (end) => assert.match(reasonOf(end).message, /from a getter/),
  throwsValue: (end) => assert.match(reasonOf(end).message, /from a getter/),
  revoked: (end) => assert.match(reasonOf(end).message, /revoked/),
  noObject: (end) => assert.ok(reasonOf(end) instanceof Error),
  nothing: (end) => assert.ok(reasonOf(end) instanceof Error),
  notTransferable: (end) => assert.ok(reasonOf(end) instanceof Error),
};
for (const name of ['duplicates', 'gone', 'functionInValue', 'notMoved', 'closed']) {
  moves[name] = (end) => {
    const { code, path } = reasonOf(end) as UncloneableError;
    assert.equal(code, 'PLIMSOLL_POOL_UNCLONEABLE');
    if (name === 'notMoved' || name === 'closed') assert.match(path, /^(task|result)\.port$/);
  };
}

function reasonOf(end: PromiseSettledResult<unknown>): Error {
  return end.status === 'rejected' ? (end.reason as Error) : assert.fail('fulfilled');
}

for (const direction of ['argument', 'result']) {
  test(`whatever is moved as ${direction} rejects its task alone when it cannot be`, LIMIT, async (t) => {
    const { made } = (await import(fixture('moves.mjs').href)) as { made: Record<string, () => unknown> };
    const pool = poolOver(t);
    const threads = pool.threads.map((thread) => thread.threadId);
    for (const [name, check] of Object.entries(moves)) {
      const run =
        direction === 'result'
          ? pool.run(name, { name: 'make' })
          : pool.run((made[name] as () => unknown)(), { name: 'echo' });
      const [end] = await Promise.allSettled([run]);
      try {
        check(end);
      } catch (cause) {
        throw new Error(`${name}: ${(cause as Error).message}`, { cause });
      }
      await assertIsFine(pool);
    }
    assert.deepEqual(
      pool.threads.map((thread) => thread.threadId),
      threads,
      'a worker has died',
    );
  });
}

test('a getter of queue options that throws rejects its task alone', LIMIT, async (t) => {
  const pool = piscinaFor(t, { taskQueue: new ArrayTaskQueue() });
  const failing = Object.defineProperty({}, queueOptionsSymbol, {
    get: () => assert.fail('from the getter'),
  });
  const first = pool.run(1, { name: 'echo' });
  const runs = [failing, 2, failing, 3].map((value) => pool.run(value, { name: 'echo' }));
  const ends = await Promise.allSettled(runs);
  assert.deepEqual(
    ends.map((end) => (end.status === 'fulfilled' ? end.value : /from the getter/.test(end.reason.message))),
    [true, 2, true, 3],
  );
  assert.equal(await first, 1);
  assert.equal(await pool.run(4, { name: 'echo' }), 4);
});

test('an emitter as a signal whose off() throws, or that has none', LIMIT, async (t) => {
  const pool = poolOver(t);
  const throwing = { once: () => {}, off: () => assert.fail('from off()') };
  assert.equal(await pool.run(0, { name: 'ping', signal: throwing }), 'fine');
  const error = await caught(pool.run(0, { name: 'ping', signal: { once: () => {} } as never }));
  assert.equal(error.code, 'PLIMSOLL_POOL_BAD_OPTION');
  await assertIsFine(pool);
});
