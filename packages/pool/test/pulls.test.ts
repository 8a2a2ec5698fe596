import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { move, type Pool } from '@plimsoll/pool';
import { fixture, poolFor, until } from './support.js';

/** What makes the worker read its port at once, instead of waiting for an event. */
const readers: Record<string, (pool: Pool) => Promise<unknown>> = {
  'memory that the worker does not know yet': (pool) => pool.run('x'.repeat(100_000), { name: 'echo' }),
  'a function that the worker does not know yet': (pool) => pool.run(1, { name: 'echoLater' }),
};

for (const [name, read] of Object.entries(readers)) {
  test(`a payload that a task waits for is not lost to a read of the port: ${name}`, async (t) => {
    const pool = poolFor(t, { concurrentTasksPerWorker: 4 });
    for (const called of ['count', 'block', 'echo']) await pool.run(0, { name: called }).catch(() => {});
    await until(() => pool.idleThreads === 1);
    const shared = new Int32Array(new SharedArrayBuffer(4));
    // Behind another task the payload is not sent ahead, so the worker asks for it; then it is busy while it arrives.
    const first = pool.run(100, { name: 'block' });
    const second = pool.run(1, { name: 'echo' });
    const pulled = pool.run(shared, { name: 'count' });
    const busy = pool.run(300, { name: 'block' });
    await sleep(200);
    const reading = read(pool);
    await Promise.all([first, second, busy, reading]);
    await Promise.race([pulled, sleep(60_000, undefined, { ref: false }).then(() => assert.fail('lost'))]);
    assert.equal(Atomics.load(shared, 0), 1);
  });
}

test('a payload that was to wake a worker may be read by a call that blocks it', async (t) => {
  const filename = fixture('host-calls.mjs');
  const pool = poolFor(t, {
    filename,
    host: { back: () => move(new Uint8Array(9)) },
    concurrentTasksPerWorker: 2,
  });
  const shared = new Int32Array(new SharedArrayBuffer(12));
  const reading = pool.run(shared, { name: 'readAndWait' });
  await until(() => Atomics.load(shared, 0) === 1);
  const { buffer } = new Uint8Array(9);
  const coming = pool.run({ shared, buffer }, { name: 'come', transferList: [buffer] });
  Atomics.store(shared, 1, 1);
  Atomics.notify(shared, 1);
  await Promise.all([reading, coming]);
});
