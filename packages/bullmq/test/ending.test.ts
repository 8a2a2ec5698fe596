import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
// @ts-expect-error a script without declarations
import { freePort } from '../../../scripts/free-port.mjs';
import {
  caught,
  fixture,
  fleetFor,
  folderFor,
  LONGER,
  linesOf,
  needsRedis,
  pairFor,
  queueName,
  startRedis,
  until,
  WorkerProcess,
  within,
} from './support.js';

const redis = await startRedis();

test('an abort that close() follows ends the task where it runs', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const control = new AbortController();
  const running = caught(
    fleet.run({ file, ms: LONGER, value: 1 }, { name: 'noted', signal: control.signal }),
  );
  await until(() => linesOf(file).length === 1, 'the start of the task');
  control.abort();
  await running;
  await fleet.close();
  await until(() => worker.health.running === 0);
});

test('break out of map(), and close(): what runs is ended, what waits never runs', needsRedis, async (t) => {
  const { fleet, queue, worker } = await pairFor(t, redis.url);
  const bull = new Queue(queue, { connection: { host: '127.0.0.1', port: redis.port } });
  t.after(() => bull.close());
  const items = [1, LONGER, LONGER, LONGER].map((ms, value) => ({ ms, value }));
  for await (const first of fleet.map(items, { name: 'later' })) {
    assert.equal(first, 0);
    await until(() => worker.health.running === 1, 'the second task');
    break;
  }
  await fleet.close();
  await until(() => worker.health.running === 0);
  const { wait = 0, prioritized = 0 } = await bull.getJobCounts('wait', 'prioritized');
  assert.equal(wait + prioritized, 0);
});

test('a task that is aborted while it is being added does not stay behind close()', needsRedis, async (t) => {
  const queue = queueName();
  for (let turns = 0; turns < 12; turns++) {
    const fleet = fleetFor(t, redis.url, { queue });
    await fleet.ready();
    const control = new AbortController();
    const aborted = caught(fleet.run(turns, { signal: control.signal }));
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
    control.abort();
    await fleet.close();
    await aborted;
  }
  assert.equal((await fleetFor(t, redis.url, { queue }).stats()).waiting, 0);
});

test('close(), and then close({ force: true }): at once', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const running = caught(fleet.run({ ms: LONGER, value: 1 }, { name: 'later' }));
  await until(() => worker.health.running === 1, 'the task');
  const closing = fleet.close();
  await within(fleet.close({ force: true }));
  await closing;
  assert.equal((await running).code, 'PLIMSOLL_POOL_ABORTED');
  await until(() => worker.health.running === 0, 'the end of the task');
  await assert.rejects(fleet.close({ force: 'now' as never }), { code: 'PLIMSOLL_POOL_BAD_OPTION' });
});

test('SIGTERM while a worker still waits for Redis ends it with 0, and at once', async (t) => {
  const filename = fileURLToPath(fixture('tasks.mjs'));
  const port = await freePort();
  const args = ['--queue', 'q', '--filename', filename, '--offline-timeout', String(LONGER)];
  args.push('--health', String(port));
  const worker = new WorkerProcess(args, { REDIS_URL: 'redis://127.0.0.1:1' });
  t.after(() => worker.kill('SIGKILL'));
  // Nothing is printed before it has started. What answers has its handler, too.
  const health = (): Promise<unknown> => fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
  await until(health, 'the health endpoint');
  assert.equal(await within(worker.kill('SIGTERM')), 0);
  assert.doesNotMatch(worker.errors, /cannot|\n\s+at /);
});

test('what Redis has forgotten is told soon, however many tasks wait', needsRedis, async (t) => {
  const own = await startRedis();
  const queue = queueName();
  const fleet = fleetFor(t, own.url, { queue });
  const times: number[] = [];
  const codeOf = async (task: Promise<unknown>): Promise<unknown> => {
    const { code } = (await task.catch((error: unknown) => error)) as { code?: unknown };
    times.push(performance.now());
    return code;
  };
  const codes = Promise.all(Array.from({ length: 6000 }, (_, value) => codeOf(fleet.run(value))));
  await until(async () => (await fleet.stats()).waiting === 6000, 'the tasks');
  const client = new Redis(own.url);
  t.after(() => client.disconnect());
  await client.flushall();
  assert.deepEqual(new Set(await within(codes)), new Set(['PLIMSOLL_FLEET_LOST']));
  // Ten seconds of silence, a look every five; a thousand at a time it would take another 25.
  const [first = 0] = times;
  assert.ok((times.at(-1) ?? 0) - first < 18_000, 'they were told one after the other');
});

test(
  'a result that comes before the answer to the submission does not take its job away',
  needsRedis,
  async (t) => {
    const { fleet } = await pairFor(t, redis.url);
    const { add } = Queue.prototype;
    t.mock.method(Queue.prototype, 'add', async function (this: Queue, ...job: Parameters<typeof add>) {
      const added = await add.apply(this, job);
      await sleep(300);
      return added;
    });
    assert.equal(await fleet.run(1), 2);
    await sleep(600);
    assert.equal((await fleet.stats()).completed, 1);
  },
);
