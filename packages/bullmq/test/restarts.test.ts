import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  caught,
  fleetFor,
  LONG,
  needsRedis,
  processFor,
  queueName,
  SOON,
  startRedis,
  until,
  within,
  wordFor,
  workerFor,
} from './support.js';

test('Redis with an append-only file is killed, and every promise resolves', needsRedis, async (t) => {
  const redis = await startRedis({ appendOnly: true });
  const queue = queueName();
  const fleet = fleetFor(t, redis.url, { queue, offlineTimeout: LONG });
  const events: string[] = [];
  for (const name of ['offline', 'online']) fleet.on(name, () => events.push(name));
  await processFor(t, redis.url, queue, SOON);
  const submit = (value: number): Promise<unknown> => fleet.run({ ms: 100, value }, { name: 'later' });
  const before = Array.from({ length: 20 }, (_, value) => submit(value));
  await before[2];
  await redis.kill();
  await until(() => events.at(-1) === 'offline', 'the end of the connection');
  const meanwhile = Array.from({ length: 5 }, (_, index) => submit(20 + index));
  await sleep(500);
  await redis.start();
  const results = await within(Promise.all([...before, ...meanwhile]));
  assert.deepEqual(
    results,
    results.map((_, value) => value),
  );
  await until(() => events.length >= 3 && events.at(-1) === 'online', 'the last event');
  assert.equal(fleet.completed, 25);
});

test('Redis forgets everything, and the tasks are told that they are lost', needsRedis, async (t) => {
  const redis = await startRedis();
  const queue = queueName();
  const fleet = fleetFor(t, redis.url, { queue });
  const worker = await workerFor(t, redis.url, { queue });
  const { when, give } = wordFor(t);
  const tasks = Array.from({ length: 5 }, (_, value) => fleet.run({ when, value }, { name: 'later' }));
  await until(() => worker.health.running === 1, 'the first task');
  await redis.kill();
  await redis.start();
  for (const task of tasks) {
    const { code, name } = await caught(task);
    assert.deepEqual([name, code], ['FleetError', 'PLIMSOLL_FLEET_LOST']);
  }
  assert.equal(fleet.pending, 0);
  give();
  assert.equal(await within(fleet.run(4)), 8, 'the fleet and the worker go on');
});
