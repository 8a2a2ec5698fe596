import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Pool } from '@plimsoll/pool';
import { TestPool } from '@plimsoll/pool/testing';
import { fixture } from './support.js';

const filename = fileURLToPath(fixture('deadly.cjs'));

/** The second value is read, and found to be uncloneable, when the first task has ended: no event follows its end. */
test('close and onIdle hear of a last task that ends because its value cannot be cloned', async () => {
  for (let round = 0; round < 40; round++) {
    const pool = new Pool({ filename, minThreads: 1, maxThreads: 1, closeTimeout: 60_000 });
    const value = new ArrayBuffer(20_000);
    const runs = [
      pool.run(value, { name: 'sizeOf', transferList: [value] }),
      pool.run({ inner: [() => 1] }).catch(({ code }: { code: string }) => code),
    ];
    if (round % 2 === 0) await new Promise((resolve) => setTimeout(resolve, round));
    if (round % 4 < 2) await pool.onIdle();
    await pool.close();
    assert.deepEqual(await Promise.all(runs), [20_000, 'PLIMSOLL_POOL_UNCLONEABLE']);
  }
});

test('a pool for tests hears of it neither later nor sooner', async () => {
  const load = () => ({ default: (value: unknown) => value });
  for (let seed = 0; seed < 40; seed++) {
    const pool = new TestPool({ filename: '/echo.mjs', load, minThreads: 1, maxThreads: 1, seed });
    const runs = [pool.run(1), pool.run({ inner: [() => 1] }).catch(({ code }: { code: string }) => code)];
    if (seed % 2 === 0) await pool.onIdle();
    await pool.close();
    assert.deepEqual(await Promise.all(runs), [1, 'PLIMSOLL_POOL_UNCLONEABLE']);
  }
});
