import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lineTo, needsRedis, pairFor, queueName, startRedis, until, wordFor, workerFor } from './support.js';

const redis = await startRedis();

async function get(
  port: number | undefined,
  path: string,
): Promise<{ status: number; type: string | null; text: string }> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

test('/health tells what a worker does, and is 200 while it does', needsRedis, async (t) => {
  const { fleet, worker, queue } = await pairFor(t, redis.url, { worker: { health: 0, threads: 2 } });
  await fleet.run(1);
  const { when, give } = wordFor(t);
  const running = fleet.run({ when, value: 1 }, { name: 'later' });
  await until(() => worker.health.running === 1 && worker.health.ended === 1, 'the task');
  const { status, type, text } = await get(worker.healthPort, '/health');
  assert.deepEqual([status, type], [200, 'application/json']);
  assert.deepEqual(JSON.parse(text), { status: 'ok', queue, threads: 2, running: 1, ended: 1 });
  give();
  await running;
});

test('/metrics gives the metrics of the pool, and nothing else is there', needsRedis, async (t) => {
  const { fleet, worker, queue } = await pairFor(t, redis.url, { worker: { health: 0 } });
  await fleet.run(1);
  const { status, type, text } = await get(worker.healthPort, '/metrics');
  assert.equal(status, 200);
  assert.match(String(type), /^text\/plain; version=0\.0\.4/);
  assert.match(text, new RegExp(`pool="${queue}"`));
  assert.match(text, /plimsoll_pool_task_settled_total/);
  assert.equal((await get(worker.healthPort, '/')).status, 404);
  assert.equal((await get(worker.healthPort, '/healthy')).status, 404);
});

test('/health is 503 while Redis cannot be reached', needsRedis, async (t) => {
  const line = await lineTo(t, redis.port);
  const worker = await workerFor(t, line.url, { queue: queueName(), health: 0 });
  line.cut();
  await until(() => worker.health.status === 'offline', 'the end of the connection');
  const { status, text } = await get(worker.healthPort, '/health');
  assert.deepEqual([status, (JSON.parse(text) as { status: string }).status], [503, 'offline']);
  await line.mend();
  await until(async () => (await get(worker.healthPort, '/health')).status === 200, 'the connection');
});

test('a worker closes whose subscription was cut off again and again', needsRedis, async (t) => {
  const line = await lineTo(t, redis.port);
  const worker = await workerFor(t, line.url, { queue: queueName() });
  line.endAt('subscribe');
  line.cut();
  await until(() => worker.health.status === 'offline', 'the end of the connection');
  await line.mend();
  await until(() => worker.health.status === 'ok', 'the connection');
  await sleep(300);
  line.cut();
  // What is rejected here without a handler fails the test.
  await worker.close({ force: true });
});

test('/health is 503 while the worker closes, and the port is free afterwards', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url, { worker: { health: 0 } });
  const { when, give } = wordFor(t);
  const running = fleet.run({ when, value: 1 }, { name: 'later' });
  await until(() => worker.health.running === 1, 'the task');
  const closing = worker.close();
  const { status, text } = await get(worker.healthPort, '/health');
  assert.deepEqual([status, (JSON.parse(text) as { status: string }).status], [503, 'closing']);
  give();
  assert.equal(await running, 1);
  await closing;
  await assert.rejects(get(worker.healthPort, '/health'));
});

test('without the option there is no health endpoint', needsRedis, async (t) => {
  const { worker } = await pairFor(t, redis.url);
  assert.equal(worker.healthPort, undefined);
});
