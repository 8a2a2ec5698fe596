import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Queue } from 'bullmq';
import { caught, needsRedis, pairFor, startRedis, within } from './support.js';

const redis = await startRedis();

test("a jobId may be what BullMQ calls a key of its own, and harms nobody's task", needsRedis, async (t) => {
  const { fleet, queue } = await pairFor(t, redis.url);
  const bull = new Queue(queue, { connection: { host: '127.0.0.1', port: redis.port } });
  t.after(() => bull.close());
  const names = [...Object.keys(bull.keys), 'metrics', 'plimsoll', '17', '-1', '__proto__', ' '];
  for (const jobId of names.filter((name) => name !== '')) {
    const result = fleet.run({ a: jobId, b: '' }, { name: 'add', jobId });
    assert.equal(await within(result), jobId);
    assert.equal((await within(caught(fleet.run('own', { name: 'fail' })))).code, 'ERR_ORDER', jobId);
    // One that waits for its turn, as one with a delay does.
    assert.equal(await within(fleet.run(2, { priority: -1 })), 4, jobId);
  }
  const { waiting, active, delayed } = await fleet.stats();
  assert.deepEqual({ waiting, active, delayed }, { waiting: 0, active: 0, delayed: 0 });
});
