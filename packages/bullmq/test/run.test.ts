import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LONG, needsRedis, pairFor, startRedis, wordFor } from './support.js';

const redis = await startRedis();

test('a task runs on a worker', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  assert.equal(await fleet.run({ a: 4, b: 6 }, { name: 'add' }), 10);
});

test('without a name the default function runs', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  assert.equal(await fleet.run(21), 42);
  assert.equal(await fleet.run(21, { name: null }), 42);
});

test('the name of the fleet is the default, and that of run() comes first', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url, { fleet: { name: 'echo' } });
  assert.equal(await fleet.run(21), 21);
  assert.equal(await fleet.run(21, { name: 'default' }), 42);
});

test('a fleet counts its tasks and their times', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const running = [1, 2, 3].map((value) => fleet.run({ ms: 20, value }, { name: 'later' }));
  assert.equal(fleet.pending, 3);
  assert.deepEqual(await Promise.all(running), [1, 2, 3]);
  await assert.rejects(fleet.run('own', { name: 'fail' }));
  const { runTime, waitTime } = fleet.histogram;
  assert.deepEqual([fleet.pending, fleet.completed, fleet.kind], [0, 4, 'fleet']);
  assert.ok(runTime.min >= 15 && runTime.max < LONG, `run times of ${runTime.min} to ${runTime.max} ms`);
  // The one thread has run the third after the two others.
  assert.ok(waitTime.max >= 30, `a longest wait of ${waitTime.max} ms`);
  assert.ok(fleet.duration > runTime.max);
});

test('stats() tells of the queue and of its workers', needsRedis, async (t) => {
  const { fleet, worker, queue } = await pairFor(t, redis.url, { worker: { version: '7.1' } });
  await fleet.run({ a: 1, b: 2 }, { name: 'add' });
  await assert.rejects(fleet.run('own', { name: 'fail' }));
  const { when, give } = wordFor(t);
  const running = fleet.run({ when, value: 1 }, { name: 'later' });
  const waiting = fleet.run({ ms: 1, value: 2 }, { name: 'later' });
  while (worker.health.running === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const { workers, ...counts } = await fleet.stats();
  assert.deepEqual(counts, { waiting: 1, active: 1, delayed: 0, completed: 1, failed: 1 });
  give();
  const [entry, ...others] = workers;
  assert.equal(others.length, 0);
  assert.deepEqual(
    { pid: entry?.pid, threads: entry?.threads, version: entry?.version, names: entry?.names },
    { pid: process.pid, threads: 1, version: '7.1', names: worker.names },
  );
  await Promise.all([running, waiting]);
  await worker.close();
  assert.deepEqual((await fleet.stats()).workers, [], `the closed worker of ${queue} is still listed`);
});

test('two queues and two prefixes of one Redis do not meet', needsRedis, async (t) => {
  const { fleet: one, queue } = await pairFor(t, redis.url, {
    fleet: { prefix: 'one' },
    worker: { prefix: 'one' },
  });
  const { createFleet } = await import('@plimsoll/bullmq');
  const other = createFleet({ queue, prefix: 'other', connection: redis.url });
  t.after(() => other.close({ force: true }));
  const unmet = other.run(1).catch((error: { code?: string }) => error.code);
  assert.equal(await one.run(1), 2);
  assert.equal(other.pending, 1);
  await other.close({ force: true });
  assert.equal(await unmet, 'PLIMSOLL_POOL_ABORTED');
});

test('close() waits for what is under way, refuses the rest, and tells of it once', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  let closes = 0;
  fleet.on('close', () => closes++);
  const running = fleet.run({ ms: 100, value: 'done' }, { name: 'later' });
  const closing = fleet.close();
  const again = fleet.close();
  await assert.rejects(fleet.run(1), { code: 'PLIMSOLL_POOL_CLOSED' });
  await assert.rejects(fleet.stats(), { code: 'PLIMSOLL_POOL_CLOSED' });
  await assert.rejects(fleet.ready(), { code: 'PLIMSOLL_POOL_CLOSED' });
  assert.equal(await running, 'done');
  await Promise.all([closing, again]);
  assert.equal(closes, 1);
});
