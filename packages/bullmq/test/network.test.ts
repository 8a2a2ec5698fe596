import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  fleetFor,
  folderFor,
  LONG,
  LONGER,
  linesOf,
  lineTo,
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

const redis = await startRedis();
/** Longer than a lock of `SOON` and the look for it. */
const OUTAGE = 3_000;

/** Their connection may be gone for longer than usual. */
const PATIENT = { offlineTimeout: LONG };

/** What an owner of a connection tells of it. */
function connectionEvents(owner: NodeJS.EventEmitter): string[] {
  const events: string[] = [];
  owner.on('offline', (reason) =>
    events.push(reason instanceof Error ? 'offline' : 'offline without a reason'),
  );
  owner.on('online', () => events.push('online'));
  return events;
}

/** A Redis that stands still for long enough is gone, too, and back. */
async function areOver(events: string[], least: number): Promise<void> {
  await until(() => events.length >= least && events.at(-1) === 'online', 'the last event');
  assert.deepEqual(new Set(events), new Set(['offline', 'online']));
}

const range = (count: number, first = 0): number[] =>
  Array.from({ length: count }, (_, index) => first + index);

test('the fleet has no network for a while, and every promise resolves', needsRedis, async (t) => {
  const queue = queueName();
  const line = await lineTo(t, redis.port);
  const fleet = fleetFor(t, line.url, { queue, ...PATIENT });
  const events = connectionEvents(fleet);
  const { when, give } = wordFor(t);
  await processFor(t, redis.url, queue, SOON);
  // All but two end after the connection.
  const submit = (value: number): Promise<unknown> =>
    fleet.run(value < 2 ? { ms: 0, value } : { when, value }, { name: 'later' });
  const before = range(20).map(submit);
  await before[1];
  line.cut();
  await until(() => events.at(-1) === 'offline', 'the end of the connection');
  give();
  const meanwhile = range(5, 20).map(submit);
  await sleep(OUTAGE);
  assert.equal(fleet.pending, 23);
  await line.mend();
  assert.deepEqual(await within(Promise.all([...before, ...meanwhile])), range(25));
  // Results may come before the event does.
  await areOver(events, 3);
});

test('the only worker has no network for a while, and every promise resolves', needsRedis, async (t) => {
  const queue = queueName();
  const line = await lineTo(t, redis.port);
  const fleet = fleetFor(t, redis.url, { queue, ...PATIENT });
  const soon = { lockDuration: 2000, stalledInterval: 500, maxStalledCount: 20 };
  const worker = await workerFor(t, line.url, { queue, ...soon, ...PATIENT });
  const events = connectionEvents(worker);
  const tasks = range(20).map((value) => fleet.run({ ms: 100, value }, { name: 'later' }));
  await tasks[1];
  line.cut();
  await until(() => worker.health.status === 'offline', 'the end of the connection');
  await sleep(OUTAGE);
  await line.mend();
  assert.deepEqual(await within(Promise.all(tasks)), range(20));
  await areOver(events, 2);
  await until(() => worker.health.status === 'ok', 'the worker');
});

test(
  'a worker without network loses its job to another one, and ends its own task',
  needsRedis,
  async (t) => {
    const queue = queueName();
    const line = await lineTo(t, redis.port);
    const fleet = fleetFor(t, redis.url, { queue });
    const file = join(folderFor(t), 'noted');
    const soon = { lockDuration: 2000, stalledInterval: 500, maxStalledCount: 20 };
    const cutOff = await workerFor(t, line.url, { queue, ...soon, ...PATIENT });
    const { when, give } = wordFor(t);
    const running = fleet.run({ file, when, value: 'done' }, { name: 'noted' });
    await until(() => linesOf(file).length === 1, 'the start of the task');
    line.cut();
    await processFor(t, redis.url, queue, SOON);
    await until(() => linesOf(file).length >= 2, 'the start on the other worker');
    await line.mend();
    await until(() => cutOff.health.running === 0, 'the end of the first run');
    give();
    assert.equal(await within(running), 'done');
    assert.deepEqual(await fleet.run(1), 2);
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
  const running = fleet.run({ file, ms: LONGER, value: 1 }, { name: 'noted', signal: control.signal });
  await until(() => linesOf(file).length === 1, 'the start of the task');
  line.cut();
  await until(() => events.at(-1) === 'offline', 'the end of the connection');
  control.abort();
  await assert.rejects(running, { code: 'PLIMSOLL_POOL_ABORTED' });
  await sleep(500);
  await line.mend();
  // Far sooner than the task would have ended.
  await until(() => worker.health.running === 0);
  assert.deepEqual(linesOf(file), ['begin 1']);
  assert.equal(await fleet.run(1), 2);
});
