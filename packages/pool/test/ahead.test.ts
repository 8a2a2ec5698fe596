import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { TestPool, TestPoolOptions } from '@plimsoll/pool/testing';
import { poolFor } from './testing-support.js';

const BYTES = 20_000;
/** So many tasks at most wait at one of several workers with what they transfer. */
const AHEAD = 14;
/** And only while so many wait for each. */
const LEAST_SHARE = 4;

interface Core {
  readonly outstanding: number;
  readonly workers: readonly { readonly mailCount: number; readonly completed: number }[];
}
const coreOf = (pool: TestPool): Core => (pool as unknown as { core: Core }).core;
const mostMail = (pool: TestPool): number =>
  Math.max(...coreOf(pool).workers.map(({ mailCount }) => mailCount));

const later = (milliseconds: number, bytes: number): Promise<number> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds, bytes));

function poolOfTwo(t: TestContext, options: TestPoolOptions = {}, milliseconds = 0): TestPool {
  const short = ({ byteLength }: ArrayBuffer): number => byteLength;
  const long = ({ byteLength }: ArrayBuffer): Promise<number> => later(milliseconds, byteLength);
  const load = () => ({ default: milliseconds === 0 ? short : long });
  return poolFor(t, { minThreads: 2, maxThreads: 2, manual: true, load, ...options });
}

function transfer(pool: TestPool, options: object = {}): Promise<unknown> {
  const buffer = new ArrayBuffer(BYTES);
  return pool.run(buffer, { ...options, transferList: [buffer] });
}

const transfers = (pool: TestPool, count: number, options?: object): Promise<unknown>[] =>
  Array.from({ length: count }, () => transfer(pool, options));

/** Lets everything happen, and says how many tasks waited at one worker at most: one may, that has not begun yet. */
async function mostAhead(pool: TestPool, onStep = () => {}): Promise<number> {
  let most = 0;
  for (;;) {
    onStep();
    most = Math.max(most, mostMail(pool));
    if ((await pool.step()) !== undefined) continue;
    if (coreOf(pool).outstanding === 0) return most;
    await pool.advance(1);
  }
}

test('short tasks are posted ahead to workers with what they transfer, while many wait for each', async (t) => {
  const pool = poolOfTwo(t);
  const runs = transfers(pool, 200);
  assert.equal(await mostAhead(pool), AHEAD);
  assert.deepEqual(await Promise.all(runs), Array(200).fill(BYTES));
  // They are known to be short by now, but a worker that idles may take each of these.
  const few = transfers(pool, 2 * LEAST_SHARE);
  assert.ok((await mostAhead(pool)) <= 1);
  await Promise.all(few);
});

test('no worker gets more ahead than wait for each of them', async (t) => {
  const pool = poolOfTwo(t);
  const warm = transfers(pool, 200);
  await mostAhead(pool);
  await Promise.all(warm);
  const runs = transfers(pool, 20);
  const most = await mostAhead(pool);
  assert.ok(most > LEAST_SHARE && most < 10, `${most} waited at a worker`);
  await Promise.all(runs);
});

test('none is posted ahead to a worker before it has ended five', async (t) => {
  const pool = poolOfTwo(t);
  const runs = transfers(pool, 200);
  const ends: number[] = [];
  await mostAhead(pool, () => {
    for (const { mailCount, completed } of coreOf(pool).workers) if (mailCount > 1) ends.push(completed);
  });
  await Promise.all(runs);
  assert.equal(Math.min(...ends), 5);
});

const cases: [string, TestPoolOptions, object, number][] = [
  ['that are long', {}, {}, 5],
  ['that may run again', {}, { retry: { max: 1 } }, 0],
  ['of a pool that runs tasks again', { retry: { max: 1 } }, {}, 0],
  ['of a pool whose workers end after some', { maxTasksPerWorker: 1000 }, {}, 0],
  ['that are ordered', {}, { priority: 1 }, 0],
  ['that may be aborted', {}, { signal: new AbortController().signal }, 0],
];

for (const [name, poolOptions, options, milliseconds] of cases)
  test(`tasks are not posted ahead ${name}`, async (t) => {
    const pool = poolOfTwo(t, poolOptions, milliseconds);
    const runs = transfers(pool, 100, options);
    assert.ok((await mostAhead(pool)) <= 1);
    await Promise.all(runs);
  });

test('a worker that dies loses what was posted ahead to it, and nothing else', async (t) => {
  const pool = poolOfTwo(t);
  const ends = Promise.allSettled(transfers(pool, 200));
  while (mostMail(pool) < AHEAD) await pool.step();
  pool.inject({ kind: 'exit' });
  await mostAhead(pool);
  const lost = (await ends).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
  assert.ok(lost.length > 1 && lost.length <= 1 + AHEAD, `${lost.length} were lost`);
  for (const { code, transferred } of lost)
    assert.deepEqual([code, transferred], ['PLIMSOLL_POOL_WORKER_EXITED', true]);
});
