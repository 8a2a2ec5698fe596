import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import {
  caught,
  fleetFor,
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
/** Far above what is asserted to come, far below what TCP or a lock would need. */
const SOON = 10_000;

test(
  'a Redis that stands still counts as gone, and is there again when it goes on',
  needsRedis,
  async (t) => {
    const standing = await startRedis();
    const queue = queueName();
    const fleet = fleetFor(t, standing.url, { queue, offlineTimeout: 2000 });
    const worker = await workerFor(t, standing.url, { queue, offlineTimeout: 2000, threads: 2 });
    assert.equal(await fleet.run(1), 2);
    const running = caught(fleet.run({ ms: 60_000, value: 1 }, { name: 'later' }));
    const offline = once(fleet, 'offline');
    const asked = [caught(fleet.stats())];
    standing.freeze();
    t.after(() => standing.thaw());
    asked.push(caught(fleet.stats()));
    const [reason] = (await within(SOON, offline)) as [Error];
    assert.match(reason.message, /^Redis has not answered for \d+ ms$/);
    asked.push(caught(fleet.ready()), caught(fleet.run(1)));
    const codes = await within(SOON, Promise.all([running, ...asked.slice(1)]));
    assert.deepEqual(new Set(codes.map(({ code }) => code)), new Set(['PLIMSOLL_FLEET_UNAVAILABLE']));
    await until(() => worker.health.status === 'offline', 'the end of the connection');
    standing.thaw();
    await within(SOON, once(fleet, 'online'));
    await until(() => worker.health.status === 'ok', 'the worker');
    assert.equal(await within(SOON, fleet.run(2)), 4);
  },
);

test('a worker that is busy itself for a while does not take Redis for gone', needsRedis, async (t) => {
  const fleet = fleetFor(t, redis.url, { queue: queueName(), offlineTimeout: 2000 });
  await fleet.ready();
  let events = 0;
  fleet.on('offline', () => events++);
  const end = performance.now() + 3000;
  while (performance.now() < end);
  await fleet.stats();
  assert.equal(events, 0);
});

test('while Redis stands still, a fleet and a worker process close in time', needsRedis, async (t) => {
  const standing = await startRedis();
  const queue = queueName();
  const worker = await processFor(t, standing.url, queue, ['--close-timeout', '500']);
  const fleet = fleetFor(t, standing.url, { queue });
  const running = caught(fleet.run({ ms: 60_000, value: 1 }, { name: 'later' }));
  await until(async () => (await fleet.stats()).active === 1, 'the task');
  standing.freeze();
  t.after(() => standing.thaw());
  const ended = worker.kill('SIGTERM');
  await within(SOON, fleet.close({ force: true }));
  assert.equal((await running).code, 'PLIMSOLL_POOL_ABORTED');
  // Half a second, five for what is given back, five for what tells of the worker, and a start on a busy machine.
  assert.equal(await within(20_000, ended), 0);
});

test('a connection that swallows everything is replaced', needsRedis, async (t) => {
  const line = await lineTo(t, redis.port);
  const queue = queueName();
  const fleet = fleetFor(t, line.url, { queue, offlineTimeout: 2000 });
  const worker = await workerFor(t, line.url, { queue, offlineTimeout: 2000 });
  assert.equal(await fleet.run(1), 2);
  line.swallow(redis.port);
  assert.equal((await within(SOON, caught(fleet.run(1)))).code, 'PLIMSOLL_FLEET_UNAVAILABLE');
  await until(() => worker.health.status === 'ok', 'the connection of the worker');
  await until(async () => (await fleet.run(2).catch(() => 0)) === 4, 'a task');
});
