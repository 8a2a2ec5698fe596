import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Pool, type PoolOptions, UncloneableError } from '@plimsoll/pool';
import { caught, fixture, poolFor } from './support.js';

const LIMIT = { timeout: 60_000 };
const DEPTHS = [100, 1000, 7000, 8000, 10_000, 15_000, 50_000];

const poolOver = (context: TestContext, options: PoolOptions = {}): Pool =>
  poolFor(context, { filename: fixture('values.mjs'), ...options });

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

function depthOf(value: unknown): number {
  let depth = 0;
  for (let inner = value; Array.isArray(inner); inner = inner[0]) depth++;
  return depth;
}

/** The depth, or the error that says that it was too deep for one of the stacks. */
async function depthOrError(run: Promise<unknown>): Promise<number | Error> {
  try {
    const value = await run;
    return typeof value === 'number' ? value : depthOf(value);
  } catch (error) {
    const stackError = error instanceof UncloneableError ? error.cause : error;
    assert.ok(stackError instanceof RangeError, String(error));
    assert.match(stackError.message, /call stack/);
    return error as Error;
  }
}

test('a result that is nested too deeply for the host rejects its task alone', LIMIT, async (t) => {
  const pool = poolOver(t);
  const ends: (number | Error)[] = [];
  for (const depth of DEPTHS) {
    ends.push(await depthOrError(pool.run(depth, { name: 'nested' })));
    assert.equal(await pool.run({ a: 1, b: depth }, { name: 'add' }), depth + 1);
  }
  const errors = ends.filter((end) => end instanceof Error);
  assert.deepEqual(ends.slice(0, -errors.length), DEPTHS.slice(0, -errors.length));
  // The stack of a worker is larger than the host's, so some were written and could not be read.
  const unread = errors.filter((error) => error instanceof UncloneableError);
  assert.ok(unread.length > 0);
  for (const error of unread) {
    assert.equal(error.code, 'PLIMSOLL_POOL_UNCLONEABLE');
    assert.equal(error.path, 'result');
  }
});

test('among many at a time each gets its own end', LIMIT, async (t) => {
  const pool = poolOver(t, { concurrentTasksPerWorker: 4 });
  const alone = new Map<number, boolean>();
  for (const depth of DEPTHS) {
    alone.set(depth, typeof (await depthOrError(pool.run(depth, { name: 'nested' }))) === 'number');
  }
  const depths = Array.from({ length: 10 }, () => DEPTHS).flat();
  const ends = await Promise.all(depths.map((depth) => depthOrError(pool.run(depth, { name: 'nested' }))));
  for (const [index, depth] of depths.entries()) {
    if (alone.get(depth) === true) assert.equal(ends[index], depth);
    else assert.ok(ends[index] instanceof Error);
  }
});

for (const concurrentTasksPerWorker of [1, 4]) {
  const title = `a task that is nested too deeply for its worker is rejected alone, ${concurrentTasksPerWorker} at a time`;
  test(title, LIMIT, async (t) => {
    const pool = poolOver(t, { concurrentTasksPerWorker, resourceLimits: { stackSizeMb: 0.5 } });
    // Sent ahead to the idle worker.
    const unread = await caught(pool.run(nested(2500), { name: 'depthOf' }));
    assert.equal(unread.code, 'PLIMSOLL_POOL_UNCLONEABLE');
    assert.equal(unread.path, 'task');
    assert.ok(unread.cause instanceof RangeError);
    // Asked for by a worker that has just ended another task.
    const depths = [300, 2500, 2000, 400, 2500, 10, 2500, 500];
    const ends = depths.map((depth) => depthOrError(pool.run(nested(depth), { name: 'depthOf' })));
    for (const [index, depth] of depths.entries()) {
      const end = await ends[index];
      if (depth <= 500) assert.equal(end, depth);
      else assert.ok(end instanceof UncloneableError);
    }
  });
}
