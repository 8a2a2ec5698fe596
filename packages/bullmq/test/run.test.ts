import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFleet, createFleetWorker } from '@plimsoll/bullmq';
import { needsRedis, startRedis } from './support.js';

const redis = await startRedis();

test('a task runs on a worker', needsRedis, async () => {
  const filename = new URL('../test/fixtures/tasks.mjs', import.meta.url);
  await using worker = createFleetWorker({ queue: 'run', connection: redis.url, filename, threads: 2 });
  await worker.ready;
  await using fleet = createFleet({ queue: 'run', connection: redis.url });
  assert.equal(await fleet.run({ a: 4, b: 6 }, { name: 'add' }), 10);
});
