import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caught, fixture, poolFor } from './support.js';

const outcomes: Record<string, { value: unknown } | { error: string }> = {
  throwingThen: { error: 'no then' },
  throwingThenOfProxy: { error: 'no then' },
  throwingLater: { error: 'no then' },
  throwingConstructor: { error: 'no constructor' },
  ownThen: { value: 'own value' },
  throwing: { error: 'from then' },
  throwingAfterwards: { value: 'first' },
  settlingTwice: { value: 'first' },
  thenableInThenable: { value: 'inner' },
  plainThen: { value: Object.fromEntries([['then', 'a property']]) },
};

test('a result is awaited as `await` does it, and rejects its task alone', { timeout: 60_000 }, async (t) => {
  const pool = poolFor(t, { filename: fixture('thenables.mjs') });
  const threads = pool.threads.map((thread) => thread.threadId);
  for (const [name, expected] of Object.entries(outcomes)) {
    if ('value' in expected) {
      assert.deepEqual(await pool.run(0, { name }), expected.value, name);
    } else {
      const error = await caught(pool.run(0, { name }));
      assert.ok(error instanceof RangeError, name);
      assert.equal(error.message, expected.error, name);
    }
    assert.equal(await pool.run(0, { name: 'ping' }), 'fine');
  }
  assert.deepEqual(
    pool.threads.map((thread) => thread.threadId),
    threads,
    'no worker has died',
  );
});

test('a thenable that never settles keeps its task, and no other one', { timeout: 60_000 }, async (t) => {
  const pool = poolFor(t, { filename: fixture('thenables.mjs'), concurrentTasksPerWorker: 2 });
  const never = caught(pool.run(0, { name: 'never' }));
  assert.equal(await pool.run(0, { name: 'ping' }), 'fine');
  await pool.destroy();
  assert.equal((await never).code, 'PLIMSOLL_POOL_CLOSED');
});
