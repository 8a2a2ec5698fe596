import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  fleetFor,
  folderFor,
  linesOf,
  lineTo,
  needsRedis,
  processFor,
  queueName,
  SOON,
  startRedis,
  until,
  within,
  workerFor,
} from './support.js';

const redis = await startRedis();
/** Longer than a lock of `SOON` and the look for it. */
const OUTAGE = 3_000;

/** What an owner of a connection tells of it. */
function connectionEvents(owner: NodeJS.EventEmitter): string[] {
  const events: string[] = [];
  owner.on('offline', (reason) =>
    events.push(reason instanceof Error ? 'offline' : 'offline without a reason'),
  );
  owner.on('online', () => events.push('online'));
  return events;
}

const range = (count: number, first = 0): number[] =>
  Array.from({ length: count }, (_, index) => first + index);

test('the fleet has no network for a while, and every promise resolves', needsRedis, async (t) => {
  const queue = queueName();
  const line = await lineTo(t, redis.port);
  const fleet = fleetFor(t, line.url, { queue });
  const events = connectionEvents(fleet);
  await processFor(t, redis.url, queue, SOON);
  const submit = (value: number): Promise<unknown> => fleet.run({ ms: 100, value }, { name: 'later' });
  const before = range(20).map(submit);
  await before[1];
  line.cut();
  await until(() => events.includes('offline'), 'the end of the connection');
  const meanwhile = range(5, 20).map(submit);
  await sleep(OUTAGE);
  assert.ok(fleet.pending >= 20, `${fleet.pending} tasks are pending`);
  await line.mend();
  assert.deepEqual(await within(30_000, Promise.all([...before, ...meanwhile])), range(25));
  // Results may come before the event does.
  await until(() => events.length === 3, 'the last event');
  assert.deepEqual(events, ['online', 'offline', 'online']);
});

test('the only worker has no network for a while, and every promise resolves', needsRedis, async (t) => {
  const queue = queueName();
  const line = await lineTo(t, redis.port);
  const fleet = fleetFor(t, redis.url, { queue });
  const worker = await workerFor(t, line.url, { queue, lockDuration: 2000, stalledInterval: 500 });
  const events = connectionEvents(worker);
  const tasks = range(20).map((value) => fleet.run({ ms: 100, value }, { name: 'later' }));
  await tasks[1];
  line.cut();
  await until(() => events.includes('offline'), 'the end of the connection');
  assert.equal(worker.health.status, 'offline');
  await sleep(OUTAGE);
  await line.mend();
  assert.deepEqual(await within(30_000, Promise.all(tasks)), range(20));
  await until(() => events.length === 2, 'the last event');
  assert.deepEqual(events, ['offline', 'online']);
  assert.equal(worker.health.status, 'ok');
});

test(
  'a worker without network loses its job to another one, and ends its own task',
  needsRedis,
  async (t) => {
    const queue = queueName();
    const line = await lineTo(t, redis.port);
    const fleet = fleetFor(t, redis.url, { queue });
    const file = join(folderFor(t), 'busy');
    const cutOff = await workerFor(t, line.url, { queue, lockDuration: 2000, stalledInterval: 500 });
    const running = fleet.run({ file, ms: 4000 }, { name: 'busy' });
    await until(() => linesOf(file).length === 1, 'the start of the task');
    line.cut();
    const other = await processFor(t, redis.url, queue, SOON);
    assert.equal(await within(30_000, running), 'done');
    await line.mend();
    await until(() => cutOff.health.running === 0, 'the end of the first run');
    assert.deepEqual(await fleet.run(1), 2);
    assert.ok(other.pid > 0);
  },
);

test('a cancellation told while the worker had no connection is caught up', needsRedis, async (t) => {
  const queue = queueName();
  const line = await lineTo(t, redis.port);
  const fleet = fleetFor(t, redis.url, { queue });
  const file = join(folderFor(t), 'noted');
  const worker = await workerFor(t, line.url, { queue });
  const events = connectionEvents(worker);
  const control = new AbortController();
  const running = fleet.run({ file, ms: 20_000, value: 1 }, { name: 'noted', signal: control.signal });
  await until(() => linesOf(file).length === 1, 'the start of the task');
  line.cut();
  await until(() => events.includes('offline'), 'the end of the connection');
  control.abort();
  await assert.rejects(running, { code: 'PLIMSOLL_POOL_ABORTED' });
  await sleep(500);
  await line.mend();
  // Far sooner than the task would have ended.
  await within(
    10_000,
    until(() => worker.health.running === 0),
  );
  assert.deepEqual(linesOf(file), ['begin 1']);
  assert.equal(await fleet.run(1), 2);
});
