import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { createFleetWorker } from '@plimsoll/bullmq';
import { Pool } from '@plimsoll/pool';
import { Redis } from 'ioredis';
import { encodeTask, FORMAT, toText } from '../dist/shared/wire.js';
import { RunningJobs } from '../dist/worker/running.js';
import {
  caught,
  fixture,
  fleetFor,
  folderFor,
  LONGER,
  linesOf,
  needsRedis,
  pairFor,
  processFor,
  queueName,
  SOON,
  startRedis,
  until,
  within,
  wordFor,
} from './support.js';

const redis = await startRedis();

/** Connections to Redis beside the one that asks. */
async function clients(): Promise<number> {
  const client = new Redis(redis.url);
  try {
    const list = (await client.client('LIST')) as string;
    return list.trim().split('\n').length - 1;
  } finally {
    client.disconnect();
  }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test(
  'SIGTERM: the running task ends, the process exits with 0, what waits runs elsewhere',
  needsRedis,
  async (t) => {
    const queue = queueName();
    const file = join(folderFor(t), 'noted');
    assert.equal(await clients(), 0);
    const first = await processFor(t, redis.url, queue);
    const fleet = fleetFor(t, redis.url, { queue });
    const { when, give } = wordFor(t);
    const running = fleet.run({ file, when, value: 1 }, { name: 'noted' });
    await until(() => linesOf(file).length === 1, 'the start of the task');
    const waiting = [2, 3].map((value) => fleet.run(value, { name: 'where' }));
    const ended = first.kill('SIGTERM');
    await until(() => first.errors.includes('SIGTERM: ending 1 tasks'), 'the signal');
    give();
    assert.equal(await within(ended), 0);
    assert.equal(isAlive(first.pid), false);
    assert.equal(await within(running), 1);
    assert.deepEqual(linesOf(file), ['begin 1', 'end 1']);
    assert.equal(fleet.pending, 2);
    assert.deepEqual((await fleet.stats()).workers, []);
    const second = await processFor(t, redis.url, queue);
    assert.deepEqual(
      await Promise.all(waiting),
      [2, 3].map((value) => ({ value, pid: second.pid })),
    );
    await fleet.close();
    assert.equal(await within(second.kill('SIGTERM')), 0);
    await until(async () => (await clients()) === 0, 'the end of every connection');
  },
);

test(
  'SIGTERM with a shorter --close-timeout: the job goes back, and runs on another worker',
  needsRedis,
  async (t) => {
    const queue = queueName();
    const file = join(folderFor(t), 'noted');
    const first = await processFor(t, redis.url, queue, ['--close-timeout', '200']);
    const fleet = fleetFor(t, redis.url, { queue });
    const stalled: string[] = [];
    fleet.on('stalled', (id: string) => stalled.push(id));
    const { when, give } = wordFor(t);
    const running = fleet.run({ file, when, value: 1 }, { name: 'noted' });
    await until(() => linesOf(file).length === 1, 'the start of the task');
    assert.equal(await within(first.kill('SIGTERM')), 0);
    assert.equal(isAlive(first.pid), false);
    assert.deepEqual(linesOf(file), ['begin 1']);
    const { waiting, active } = await fleet.stats();
    assert.deepEqual({ waiting, active }, { waiting: 1, active: 0 });
    await processFor(t, redis.url, queue);
    give();
    assert.equal(await within(running), 1);
    assert.deepEqual(linesOf(file), ['begin 1', 'begin 1', 'end 1']);
    assert.deepEqual(stalled, [], 'the job was given back, not found by others');
  },
);

test('Ctrl-C ends a worker that has nothing to do at once', needsRedis, async (t) => {
  const worker = await processFor(t, redis.url, queueName(), SOON);
  assert.equal(await within(worker.kill('SIGINT')), 0);
  assert.doesNotMatch(worker.errors, /\n\s+at /);
});

test('SIGTERM while Redis cannot be reached ends the process, too', needsRedis, async (t) => {
  const own = await startRedis();
  const worker = await processFor(t, own.url, queueName(), ['--close-timeout', '500']);
  await own.kill();
  await until(() => worker.errors.includes('Redis is gone'), 'the end of the connection');
  assert.equal(await within(worker.kill('SIGTERM')), 0);
});

test('a worker whose task module never gets ready closes at once', needsRedis, async (t) => {
  const filename = fixture('never-ready.mjs');
  const worker = createFleetWorker({ queue: queueName(), connection: redis.url, filename, threads: 1 });
  t.after(() => worker.pool.destroy());
  const refused = caught(worker.ready());
  await once(worker, 'online');
  await within(worker.close());
  assert.equal((await refused).code, 'PLIMSOLL_POOL_CLOSED');
});

test('close({ force: true }) gives a job back whose task has a long grace', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const running = fleet.run({ file, ms: LONGER, value: 1 }, { name: 'noted', grace: LONGER });
  running.catch(() => {});
  await until(() => linesOf(file).length === 1, 'the start of the task');
  await within(worker.close({ force: true }));
  const { waiting, active } = await fleet.stats();
  assert.deepEqual({ waiting, active }, { waiting: 1, active: 0 });
});

test('a job that comes when all are given back is given back, too', async (t) => {
  const pool = new Pool({ filename: fixture('tasks.mjs'), minThreads: 1, maxThreads: 1 });
  t.after(() => pool.destroy());
  const options = { maxPayload: 1000 };
  const cancellations = { watch: () => () => {} };
  const payloads = { receiptFor: async () => ({ ms: 0 }) };
  const jobs = new RunningJobs({ options, pool, cancellations, payloads } as never);
  const data = { format: FORMAT, task: toText(encodeTask(2, 1000)), keep: 1 };
  let waits = 0;
  const moveToWait = async (): Promise<number> => ++waits;
  jobs.giveBack();
  const job = { id: 'late', name: 'default', data, stalledCounter: 0, moveToWait };
  await assert.rejects(jobs.process(job as never, 'token'), { name: 'WaitingError' });
  assert.equal(waits, 1);
});
