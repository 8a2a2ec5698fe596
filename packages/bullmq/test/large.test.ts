import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { move } from '@plimsoll/pool';
import { caught, needsRedis, pairFor, startRedis, within } from './support.js';

const redis = await startRedis();

/** Nanoseconds that the thread of this event loop has had a core, however long it waited for one; NaN where the kernel does not tell. */
function threadTime(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[0]);
  } catch {
    return Number.NaN;
  }
}

test(
  'a result that is too large is refused in its thread: the worker itself stays free',
  needsRedis,
  async (t) => {
    const { fleet } = await pairFor(t, redis.url);
    await fleet.run(1, { name: 'echo' });
    const refused = async (size: number, name: string): Promise<void> => {
      const error = await within(caught(fleet.run(size, { name })));
      assert.equal(error.code, 'PLIMSOLL_FLEET_TOO_LARGE');
      assert.match(error.message, /^The result has \d{8,9} bytes; maxPayload allows 1048576\./);
    };
    const [own, all] = [threadTime(), process.cpuUsage()];
    await refused(500_000, 'many');
    const { user, system } = process.cpuUsage(all);
    const share = (threadTime() - own) / 1000 / (user + system);
    // Nobody else works on this thread, and to read so many objects takes it as long as another one to make them.
    assert.ok(!(share >= 0.25), `this thread took ${Math.round(share * 100)} % of the CPU time`);
    await refused(500_000_000, 'large');
  },
);

test('a task that is too large is not copied before it is refused', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const before = process.memoryUsage().arrayBuffers;
  const bytes = new Uint8Array(300_000_000);
  const error = await caught(fleet.run(bytes, { name: 'echo' }));
  assert.equal(error.message.slice(0, 29), 'The task has 300000000 bytes;');
  assert.ok(process.memoryUsage().arrayBuffers - before < 400_000_000);
});

test(
  'large and small values, moved ones and lists of arguments come back as they went',
  needsRedis,
  async (t) => {
    const large = { maxPayload: 64 * 2 ** 20 };
    const { fleet } = await pairFor(t, redis.url, { fleet: large, worker: large });
    for (const size of [0, 2000, 3000, 70_000, 20_000_000]) {
      const bytes = new Uint8Array(size).fill(7);
      const value = { bytes, map: new Map([[{ size }, [undefined, -0, 7n]]]) };
      assert.deepEqual(await fleet.run(value, { name: 'echo' }), value, String(size));
      assert.deepEqual(await fleet.run(move(bytes.slice()), { name: 'echo', jobId: `move-${size}` }), bytes);
    }
    const { sum, moved } = fleet.proxy() as Record<string, (...items: unknown[]) => Promise<unknown>>;
    assert.equal(await sum?.(1, 2, 3), 6);
    assert.deepEqual(await moved?.(100_000), new Uint8Array(100_000));
  },
);
