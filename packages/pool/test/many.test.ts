import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Pool } from '@plimsoll/pool';
import { caught, fixture, poolFor } from './support.js';

// What many tasks cost at once grows with their number, not with its square.

const LIMIT = { timeout: 120_000 };
const FEW = 8000;
const MANY = 32_000;

type Cost = (pool: Pool, count: number) => Promise<number>;

async function timeOf(call: () => unknown): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

const runs = (pool: Pool, count: number, options: object): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, () => pool.run(0, options).catch(() => {})));

async function keysWhilePaused(pool: Pool, count: number): Promise<number> {
  pool.pause();
  let ended: Promise<unknown> | undefined;
  const time = await timeOf(() => {
    ended = runs(pool, count, { key: 1 });
  });
  pool.resume();
  await ended;
  return time;
}

async function sharedSignal(pool: Pool, count: number): Promise<number> {
  const controller = new AbortController();
  const { signal } = controller;
  return timeOf(() => {
    const ended = runs(pool, count, { signal });
    controller.abort();
    return ended;
  });
}

const fanOut: Cost = async (pool, count) =>
  timeOf(() =>
    pool.run(0, { name: 'callsAndWaits', host: { nest: () => runs(pool, count, {}).then(() => 0) } }),
  );

for (const [kind, cost] of [
  ['tasks with a key while a pool is paused', keysWhilePaused],
  ['tasks that share a signal', sharedSignal],
  ['tasks of a function for which a worker is blocked', fanOut],
] as [string, Cost][])
  test(kind, LIMIT, async (t) => {
    const pool = poolFor(t, { filename: fixture('stalls.mjs'), minThreads: 2, maxThreads: 2 });
    await pool.ready();
    await cost(pool, FEW);
    let few = 1;
    let many = Number.POSITIVE_INFINITY;
    // 4 times as many take 4 times as long if it is linear, 16 times if it is square; something else may hold up an attempt.
    for (let attempt = 0; attempt < 6 && many > 8 * few; attempt++) {
      few = Math.max(few, await cost(pool, FEW));
      many = Math.min(many, await cost(pool, MANY));
    }
    assert.ok(many <= 8 * few, `${few} ms, then ${many} ms`);
  });

test('what blocked calls were to pass on, and the host never heard of, is not kept', LIMIT, async (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const pool = poolFor(t, {
    filename: fixture('host-calls.mjs'),
    host: { sizeOf: () => 0 },
    hostTimeout: 20,
  });
  await pool.ready();
  const held = async (): Promise<number> => {
    for (let late = 0; late < 20; ) {
      const run = caught(pool.run(2 ** 20, { name: 'moved' }));
      const end = performance.now() + 60;
      while (performance.now() < end);
      if ((await run).code === 'PLIMSOLL_POOL_HOST_TIMEOUT') late++;
    }
    collect();
    await new Promise((resolve) => setTimeout(resolve, 50));
    collect();
    return process.memoryUsage().arrayBuffers / 2 ** 20;
  };
  const before = await held();
  const after = await held();
  assert.ok(after - before < 8, `${before} MB, then ${after} MB`);
});
