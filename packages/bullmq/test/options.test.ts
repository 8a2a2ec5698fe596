import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FlowProducer, Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import {
  caught,
  fleetFor,
  folderFor,
  LONG,
  LONGER,
  linesOf,
  needsRedis,
  pairFor,
  queueName,
  startRedis,
  until,
  within,
  wordFor,
  workerFor,
} from './support.js';

const redis = await startRedis();

test('tasks of higher priority run first, those of the same in their order', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const { when, give } = wordFor(t);
  const busy = fleet.run({ when, value: 0 }, { name: 'later' });
  await until(() => worker.health.running === 1, 'the first task');
  const priorities = [0, undefined, 5, -1, 1_000_000, 5, -1_000_000, 0];
  const tasks = [];
  for (const [index, priority] of priorities.entries()) {
    tasks.push(fleet.run({ file, ms: 0, value: index }, { name: 'noted', priority }));
  }
  await until(async () => (await fleet.stats()).waiting === priorities.length, 'all tasks');
  give();
  await Promise.all([busy, ...tasks]);
  const order = linesOf(file)
    .filter((line) => line.startsWith('begin'))
    .map((line) => Number(line.slice(6)));
  assert.deepEqual(order, [4, 2, 5, 0, 1, 7, 3, 6]);
});

test('attempts: what throws runs again, and no more often than needed', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'flaky');
  assert.equal(await fleet.run({ file, failures: 2 }, { name: 'flaky', attempts: 5 }), 3);
  assert.equal(linesOf(file).length, 3);
});

test('attempts: the last failure is the rejection, and the default is one', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const folder = folderFor(t);
  const twice = join(folder, 'twice');
  const error = await caught(fleet.run({ file: twice, failures: 9 }, { name: 'flaky', attempts: 2 }));
  assert.ok(error instanceof RangeError);
  assert.equal(error.message, 'call 2 fails');
  const once = join(folder, 'once');
  assert.equal(
    (await caught(fleet.run({ file: once, failures: 9 }, { name: 'flaky' }))).message,
    'call 1 fails',
  );
  await sleep(200);
  assert.deepEqual([linesOf(twice).length, linesOf(once).length], [2, 1]);
});

test('attempts: a task that is aborted or too late does not run again', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const options = { name: 'noted', attempts: 3, timeout: 2000 };
  const late = await caught(fleet.run({ file, ms: LONGER, value: 1 }, options));
  assert.equal(late.code, 'PLIMSOLL_POOL_TIMEOUT');
  await until(() => worker.health.running === 0, 'the end of the task');
  assert.equal(await fleet.run(1), 2);
  // Nor once, where the time is over before it begins.
  assert.ok(linesOf(file).length <= 1, linesOf(file).join());
});

test('timeout: without a host the worker ends the task, and does not try it again', needsRedis, async (t) => {
  const { fleet, worker, queue } = await pairFor(t, redis.url);
  const bull = new Queue(queue, { connection: { host: '127.0.0.1', port: redis.port } });
  t.after(() => bull.close());
  const file = join(folderFor(t), 'noted');
  const options = { name: 'noted', attempts: 3, timeout: 2000 };
  const { name, data, opts } = fleet.job({ file, ms: LONGER, value: 1 }, options);
  await bull.add(name, data, opts);
  await until(() => worker.health.ended === 1, 'the end of the task');
  assert.equal(await fleet.run(1), 2);
  // Nor once, where the time is over before it begins.
  assert.ok(linesOf(file).length <= 1, linesOf(file).join());
});

test('jobId: two of one id run once, and get equal values of their own', needsRedis, async (t) => {
  const { fleet, queue } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const other = fleetFor(t, redis.url, { queue });
  const run = (from: typeof fleet): Promise<unknown> =>
    from.run({ file, ms: 300, value: { page: 1 } }, { name: 'noted', jobId: 'page-1' });
  const [one, two, three] = await within(Promise.all([run(fleet), run(fleet), run(other)]));
  const kept = await within(run(fleet));
  const keptElsewhere = await within(run(other));
  const all = [one, two, three, kept, keptElsewhere];
  assert.deepEqual(
    all,
    all.map(() => ({ page: 1 })),
  );
  assert.equal(new Set(all).size, 5, 'two of them share an object');
  assert.equal(linesOf(file).length, 2, 'it has run more than once');
});

test('jobId: two who wait get what it threw; who asks afterwards has it run anew', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const run = (): Promise<unknown> => fleet.run('own', { name: 'fail', jobId: 'order-7' });
  for (const { code, order } of await Promise.all([caught(run()), caught(run())]))
    assert.deepEqual([code, order], ['ERR_ORDER', { id: 7, items: new Set(['a']) }]);
  const file = join(folderFor(t), 'calls');
  const flaky = (): Promise<unknown> => fleet.run({ file, failures: 1 }, { name: 'flaky', jobId: 'order-8' });
  assert.equal((await caught(flaky())).message, 'call 1 fails');
  assert.equal(await within(flaky()), 2);
  assert.equal(await within(flaky()), 2, 'a success is kept');
});

test('jobId: what was ended by a timeout or a signal while it ran runs anew', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const options = { name: 'noted', jobId: 'page-4' };
  const late = fleet.run({ file, ms: LONGER, value: 1 }, { ...options, timeout: 2000 });
  assert.equal((await caught(late)).code, 'PLIMSOLL_POOL_TIMEOUT');
  await until(() => worker.health.running === 0, 'the end of the task');
  const control = new AbortController();
  const aborted = fleet.run({ file, ms: LONGER, value: 2 }, { ...options, signal: control.signal });
  await until(() => linesOf(file).includes('begin 2'), 'the start of the task');
  control.abort();
  assert.equal((await caught(aborted)).code, 'PLIMSOLL_POOL_ABORTED');
  await until(() => worker.health.running === 0, 'the end of the task');
  assert.equal(await within(fleet.run({ file, ms: 0, value: 3 }, options)), 3);
});

test(
  'jobId: who asks right after the abort or the timeout of a running task has it run anew',
  needsRedis,
  async (t) => {
    const { fleet } = await pairFor(t, redis.url);
    const file = join(folderFor(t), 'noted');
    const options = { name: 'noted', jobId: 'page-5' };
    for (const round of [1, 2, 3]) {
      const control = new AbortController();
      const ended =
        round === 2
          ? fleet.run({ file, ms: LONGER, value: round }, { ...options, timeout: 2000 })
          : fleet.run({ file, ms: LONGER, value: round }, { ...options, signal: control.signal });
      if (round !== 2) {
        await until(() => linesOf(file).includes(`begin ${round}`), 'the start of the task');
        control.abort();
      }
      await caught(ended);
      const again = fleet.run({ file, ms: 0, value: `again ${round}` }, options);
      assert.equal(await within(again), `again ${round}`);
      // A success is kept, so the next round needs another id.
      options.jobId += '-';
    }
  },
);

test('jobId: older than keep.age, a large result is made anew', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url, { fleet: { keep: { age: 1 } } });
  const run = (): Promise<unknown> => fleet.run(5000, { name: 'large', jobId: 'large-2' });
  await run();
  await sleep(1100);
  assert.deepEqual(await within(run()), new Uint8Array(5000));
  await until(() => worker.health.ended === 2, 'the second run');
});

test('jobId: a large result is given to everybody who asks', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const run = (): Promise<unknown> => fleet.run(5000, { name: 'large', jobId: 'large-1' });
  const results = await Promise.all([run(), run()]);
  results.push(await run());
  assert.deepEqual(results, Array(3).fill(new Uint8Array(5000)));
  assert.equal(new Set(results).size, 3);
});

test('jobId: one of two waiters gives up, and the other gets the result', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const control = new AbortController();
  const options = { name: 'noted', jobId: 'page-2' };
  const { when, give } = wordFor(t);
  const task = { file, when, value: 2 };
  const given = fleet.run(task, { ...options, signal: control.signal });
  const kept = fleet.run(task, options);
  await until(() => linesOf(file).length === 1, 'the start of the task');
  control.abort();
  assert.equal((await caught(given)).code, 'PLIMSOLL_POOL_ABORTED');
  give();
  assert.equal(await within(kept), 2);
  assert.deepEqual(linesOf(file), ['begin 2', 'end 2']);
});

test('jobId: what was cancelled can be run again', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const control = new AbortController();
  const options = { name: 'noted', jobId: 'page-3' };
  const { when, give } = wordFor(t);
  const waiting = fleet.run({ when, value: 0 }, { name: 'later' });
  await until(() => worker.health.running === 1, 'the first task');
  const first = fleet.run({ file, ms: 1, value: 1 }, { ...options, signal: control.signal });
  await until(async () => (await fleet.stats()).waiting === 1, 'the second task');
  control.abort();
  assert.equal((await caught(first)).code, 'PLIMSOLL_POOL_ABORTED');
  await until(async () => (await fleet.stats()).waiting === 0, 'the removal');
  give();
  assert.equal(await within(fleet.run({ file, ms: 1, value: 2 }, options)), 2);
  await waiting;
  assert.deepEqual(linesOf(file), ['begin 2', 'end 2']);
});

test('proxy: members are the functions with all their arguments', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const proxy = fleet.proxy();
  assert.equal(await proxy.sum?.(1, 2, 3, 4), 10);
  assert.equal(await proxy.sum?.(), 0);
  assert.deepEqual(await proxy.echo?.([1, 2]), [1, 2]);
  assert.equal((proxy as { then?: unknown }).then, undefined);
  assert.equal(await Promise.resolve(proxy), proxy, 'a proxy can be awaited');
  assert.equal((await caught(proxy.nothing?.() as Promise<unknown>)).code, 'PLIMSOLL_FLEET_UNKNOWN_TASK');
  const hurried = fleet.proxy({ timeout: 100 });
  assert.equal(
    (await caught(hurried.later?.({ ms: LONGER }) as Promise<unknown>)).code,
    'PLIMSOLL_POOL_TIMEOUT',
  );
});

test('keep: ended jobs go, and a new task of their id runs', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url, { fleet: { keep: { count: 1 } } });
  const file = join(folderFor(t), 'noted');
  const run = (value: number): Promise<unknown> =>
    fleet.run({ file, ms: 0, value }, { name: 'noted', jobId: `kept-${value}` });
  assert.equal(await run(1), 1);
  assert.equal(await run(2), 2);
  assert.equal((await fleet.stats()).completed, 1);
  assert.equal(await run(1), 1);
  assert.equal(linesOf(file).length, 6);
});

test("job() is data for BullMQ's own Queue.add", needsRedis, async (t) => {
  const { fleet, queue } = await pairFor(t, redis.url);
  const connection = { host: '127.0.0.1', port: redis.port, maxRetriesPerRequest: null };
  const bull = new Queue(queue, { connection });
  const events = new QueueEvents(queue, { connection });
  t.after(() => Promise.all([bull.close(), events.close()]));
  await events.waitUntilReady();
  const { name, data, opts } = fleet.job({ a: 1, b: 2 }, { name: 'add', priority: 3, jobId: 'by-hand' });
  assert.deepEqual([name, opts.jobId], ['add', 'task-by-hand']);
  const job = await bull.add(name, data, opts);
  await job.waitUntilFinished(events, LONG);
  assert.equal(await fleet.run({ a: 1, b: 2 }, { name: 'add', jobId: 'by-hand' }), 3);
});

test("job() is a part of BullMQ's flows: the parent runs after its children", needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const flows = new FlowProducer({ connection: { host: '127.0.0.1', port: redis.port } });
  t.after(() => flows.close());
  const noted = (value: string): ReturnType<typeof fleet.job> =>
    fleet.job({ file, ms: 20, value }, { name: 'noted' });
  await flows.add({ ...noted('parent'), children: [noted('one'), noted('two')] });
  await until(() => linesOf(file).length === 6, 'the flow');
  assert.equal(linesOf(file).at(-1), 'end parent');
  assert.equal(linesOf(file).at(-2), 'begin parent');
});

test('a connection is a URL, options of ioredis, or a client that stays open', needsRedis, async (t) => {
  const queue = queueName();
  await workerFor(t, redis.url, { queue });
  const client = new Redis(redis.url);
  t.after(() => client.disconnect());
  const options = { host: '127.0.0.1', port: redis.port, enableOfflineQueue: false };
  for (const connection of [redis.url, new URL(redis.url), options, client]) {
    const fleet = fleetFor(t, redis.url, { queue, connection });
    assert.equal(await within(fleet.run(2)), 4);
    await fleet.close();
  }
  assert.equal(await client.ping(), 'PONG');
});

test('events of a worker tell of what has ended', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const events: unknown[] = [];
  worker.on('completed', (id) => events.push(['completed', id]));
  worker.on('failed', (id, error: Error) => events.push(['failed', id, error.message]));
  worker.on('close', () => events.push('close'));
  await fleet.run(1, { jobId: 'good' });
  await caught(fleet.run('own', { name: 'fail', jobId: 'bad' }));
  await worker.close();
  assert.deepEqual(events, [['completed', 'task-good'], ['failed', 'task-bad', 'no such order'], 'close']);
  assert.equal(worker.health.ended, 2);
});
