import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import {
  caught,
  fleetFor,
  LONGER,
  lineTo,
  needsRedis,
  processFor,
  queueName,
  startRedis,
  until,
  within,
  workerFor,
} from './support.js';

const redis = await startRedis();

test(
  'a Redis that stands still counts as gone, and is there again when it goes on',
  needsRedis,
  async (t) => {
    const standing = await startRedis();
    const queue = queueName();
    const fleet = fleetFor(t, standing.url, { queue, offlineTimeout: 2000 });
    const worker = await workerFor(t, standing.url, { queue, offlineTimeout: 2000, threads: 2 });
    await until(async () => (await fleet.run(1).catch(() => 0)) === 2, 'the first task');
    const running = caught(fleet.run({ ms: LONGER, value: 1 }, { name: 'later' }));
    const offline = once(fleet, 'offline');
    const asked = [caught(fleet.stats())];
    standing.freeze();
    t.after(() => standing.thaw());
    asked.push(caught(fleet.stats()));
    const [reason] = (await within(offline)) as [Error];
    assert.match(reason.message, /^Redis has not answered for \d+ ms$/);
    asked.push(caught(fleet.ready()), caught(fleet.run(1)));
    const codes = await within(Promise.all([running, ...asked.slice(1)]));
    assert.deepEqual(new Set(codes.map(({ code }) => code)), new Set(['PLIMSOLL_FLEET_UNAVAILABLE']));
    await until(() => worker.health.status === 'offline', 'the end of the connection');
    standing.thaw();
    await within(once(fleet, 'online'));
    await until(() => worker.health.status === 'ok', 'the worker');
    await until(async () => (await fleet.run(2).catch(() => 0)) === 4, 'a task');
  },
);

test('a worker that is busy itself for a while does not take Redis for gone', needsRedis, async (t) => {
  const fleet = fleetFor(t, redis.url, { queue: queueName() });
  await fleet.ready();
  let events = 0;
  fleet.on('offline', () => events++);
  // Longer than the time between two looks for an answer.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000);
  await fleet.stats();
  assert.equal(events, 0);
});

test('while Redis stands still, a fleet and a worker process close in time', needsRedis, async (t) => {
  const standing = await startRedis();
  const queue = queueName();
  const worker = await processFor(t, standing.url, queue, ['--close-timeout', '500']);
  const fleet = fleetFor(t, standing.url, { queue });
  const running = caught(fleet.run({ ms: LONGER, value: 1 }, { name: 'later' }));
  await until(async () => (await fleet.stats()).active === 1, 'the task');
  standing.freeze();
  t.after(() => standing.thaw());
  const ended = worker.kill('SIGTERM');
  await within(fleet.close({ force: true }));
  assert.equal((await running).code, 'PLIMSOLL_POOL_ABORTED');
  // Half a second, five for what is given back, five for what tells of the worker.
  assert.equal(await within(ended), 0);
});

test('a connection that swallows everything is replaced', needsRedis, async (t) => {
  const line = await lineTo(t, redis.port);
  const queue = queueName();
  const fleet = fleetFor(t, line.url, { queue, offlineTimeout: 2000 });
  const worker = await workerFor(t, line.url, { queue, offlineTimeout: 2000 });
  await until(async () => (await fleet.run(1).catch(() => 0)) === 2, 'the first task');
  line.swallow(redis.port);
  assert.equal((await within(caught(fleet.run(1)))).code, 'PLIMSOLL_FLEET_UNAVAILABLE');
  await until(() => worker.health.status === 'ok', 'the connection of the worker');
  await until(async () => (await fleet.run(2).catch(() => 0)) === 4, 'a task');
});
