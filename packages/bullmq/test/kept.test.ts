import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { caught, LONGER, needsRedis, pairFor, startRedis, until, within, wordFor } from './support.js';

const redis = await startRedis();

/** The keys of a kind that this package has for a queue. */
const keysOf = (client: Redis, queue: string, kind: string): Promise<string[]> =>
  client.keys(`bull:${queue}:plimsoll:${kind}:*`);

const SIZES = [1000, 2000, 2030, 2040, 2048, 2050, 3000, 200_000];

test('tasks of every size arrive, and no bytes stay beside their jobs', needsRedis, async (t) => {
  const { fleet, queue } = await pairFor(t, redis.url);
  const client = new Redis(redis.url);
  t.after(() => client.disconnect());
  const tasks = SIZES.map((size) => new Uint8Array(size).fill(size % 251));
  const results = await within(Promise.all(tasks.map((task) => fleet.run(task, { name: 'echo' }))));
  assert.deepEqual(results, tasks);
  const spread = await fleet.proxy().sum?.(...Array.from({ length: 2000 }, () => 1));
  assert.equal(spread, 2000);
  for (const kind of ['task', 'result', 'error'])
    await until(async () => (await keysOf(client, queue, kind)).length === 0, `the end of each ${kind}`);
});

test('a large task that fails, is cancelled or runs again leaves none either', needsRedis, async (t) => {
  const { fleet, queue, worker } = await pairFor(t, redis.url);
  const client = new Redis(redis.url);
  t.after(() => client.disconnect());
  const bytes = new Uint8Array(10_000);
  const large = (ms: number): { ms: number; value: Uint8Array } => ({ ms, value: bytes });
  // A function cannot read its own task here: it throws for an unknown kind, on each attempt.
  const failed = await caught(fleet.run({ bytes }, { name: 'fail', attempts: 2 }));
  assert.ok(failed instanceof TypeError);
  const control = new AbortController();
  const running = fleet.run(large(LONGER), { name: 'later', signal: control.signal });
  await until(() => worker.health.running === 1, 'the start of the first');
  const waiting = fleet.run(large(0), { name: 'later', signal: control.signal });
  await until(async () => (await fleet.stats()).waiting === 1, 'the second');
  assert.equal((await keysOf(client, queue, 'task')).length, 2);
  control.abort();
  for (const task of [running, waiting]) assert.equal((await caught(task)).code, 'PLIMSOLL_POOL_ABORTED');
  await until(async () => (await keysOf(client, queue, 'task')).length === 0, 'the end of each task');
});

test('a large task whose bytes are gone is lost, and said to be', needsRedis, async (t) => {
  const { fleet, queue, worker } = await pairFor(t, redis.url);
  const client = new Redis(redis.url);
  t.after(() => client.disconnect());
  const { when, give } = wordFor(t);
  const first = fleet.run({ when }, { name: 'later' });
  await until(() => worker.health.running === 1, 'the start of the first');
  const second = fleet.run(new Uint8Array(5000), { name: 'echo' });
  await until(async () => (await keysOf(client, queue, 'task')).length === 1, 'the second');
  await client.del(await keysOf(client, queue, 'task'));
  give();
  assert.equal((await caught(second)).code, 'PLIMSOLL_FLEET_LOST');
  await first;
});

test('with a jobId all of a task is in its job, and its result stays', needsRedis, async (t) => {
  const { fleet, queue } = await pairFor(t, redis.url);
  const client = new Redis(redis.url);
  t.after(() => client.disconnect());
  const bytes = new Uint8Array(5000);
  assert.deepEqual(await fleet.run(bytes, { name: 'echo', jobId: 'large' }), bytes);
  await sleep(100);
  assert.deepEqual(await keysOf(client, queue, 'task'), []);
  assert.equal((await keysOf(client, queue, 'result')).length, 1);
  assert.ok((await client.pttl(`bull:${queue}:plimsoll:result:task-large`)) > 3_600_000);
});

test('a worker that has lost its lock spoils nothing of the one that has the job', needsRedis, async (t) => {
  const { fleet, queue, worker } = await pairFor(t, redis.url);
  const client = new Redis(redis.url);
  t.after(() => client.disconnect());
  const jobId = 'taken';
  const { when, give } = wordFor(t);
  const result = fleet.run({ when, value: new Uint8Array(5000) }, { name: 'later', jobId });
  await until(() => worker.health.running === 1, 'the start of the task');
  // As a worker that runs it, too, and fails.
  await client.set(`bull:${queue}:plimsoll:error:task-${jobId}`, 'not for reading');
  give();
  assert.deepEqual(await within(result), new Uint8Array(5000));
});
