import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pool } from '@plimsoll/pool';
import { TestPool } from '@plimsoll/pool/testing';
import { caught, fixture, poolFor } from './support.js';

test('names are those that run() takes', async (t) => {
  const pool = poolFor(t, { filename: fixture('api.mjs') });
  const names = await pool.names();
  assert.deepEqual(names, [...names].sort());
  assert.ok(names.includes('default') && names.includes('resize'));
  // An export that is no function.
  assert.ok(!names.includes('limit'));
});

test('names of an object exported as a whole, of CommonJS, and of a file with nothing to call', async (t) => {
  const object = await poolFor(t, { filename: fixture('object.cjs') }).names();
  for (const name of object) assert.match(name, /^\w+$/);
  assert.ok(object.length > 0);
  assert.deepEqual(await poolFor(t, { filename: fixture('null.cjs') }).names(), []);
});

test('without a file, with one that fails to load, and after the end: as run()', async (t) => {
  const without = new Pool();
  t.after(() => without.destroy());
  assert.equal((await caught(without.names())).code, 'PLIMSOLL_POOL_NO_FILENAME');
  const broken = poolFor(t, { filename: fixture('broken.mjs') });
  assert.equal((await caught(broken.names())).code, 'PLIMSOLL_POOL_LOAD_FAILED');
  const rejecting = poolFor(t, { filename: fixture('rejecting.mjs') });
  const { code, cause } = (await caught(rejecting.names())) as { code: string; cause: unknown };
  assert.deepEqual([code, cause instanceof RangeError], ['PLIMSOLL_POOL_LOAD_FAILED', true]);
  const closed = poolFor(t, { filename: fixture('api.mjs') });
  await closed.close();
  assert.equal((await caught(closed.names())).code, 'PLIMSOLL_POOL_CLOSED');
});

test('the pool for tests has them, too', async () => {
  const pool = new TestPool({ filename: fixture('realm-tasks.cjs').pathname });
  assert.ok((await pool.names()).length > 0);
  await pool.close();
});
