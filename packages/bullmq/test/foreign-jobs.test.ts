import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Queue } from 'bullmq';
import { caught, needsRedis, pairFor, startRedis, until, wordFor } from './support.js';

const redis = await startRedis();

/** Another program, which adds jobs to a queue by itself. */
function bullFor(t: { after(fn: () => Promise<void>): void }, name: string): Queue {
  const bull = new Queue(name, { connection: { host: '127.0.0.1', port: redis.port } });
  t.after(() => bull.close());
  return bull;
}

test('a job that another program has added fails, and the worker goes on', needsRedis, async (t) => {
  const { fleet, queue, worker } = await pairFor(t, redis.url);
  const bull = bullFor(t, queue);
  const failed = new Map<string, string>();
  worker.on('failed', (id: string, error: Error) => failed.set(id, error.message));
  const DATA = [
    { mine: 1 },
    null,
    'text',
    7,
    [],
    { format: 'plimsoll/1' },
    { format: 'plimsoll/9', task: 'AQ==' },
    // Redis would refuse to keep an error for so long, and hide it.
    { format: 'plimsoll/1', task: 'AQ==', keep: 'x' },
  ];
  for (const [index, data] of DATA.entries())
    await bull.add('add', data, { jobId: `task-foreign-${index}`, attempts: 3 });
  await until(() => failed.size === DATA.length, 'the end of every job');
  for (const message of failed.values()) assert.match(message, /data is not a task/);
  assert.equal(worker.health.ended, DATA.length, 'none of them has run again');
  assert.equal(await fleet.run(4), 8);
  // What has failed runs anew, and this is a task.
  assert.equal(await fleet.run(1, { jobId: 'foreign-0' }), 2);
});

test('a job whose bytes are damaged fails, and the worker goes on', needsRedis, async (t) => {
  const { fleet, queue } = await pairFor(t, redis.url);
  const bull = bullFor(t, queue);
  const { data, opts } = fleet.job({ a: 1, b: [new Date(0), 'text'] }, { name: 'echo' });
  const whole = Buffer.from((data as { task: string }).task, 'base64');
  const damaged = [
    '',
    '!',
    whole.subarray(0, 3),
    whole.subarray(0, -1),
    Buffer.concat([Buffer.of(9), whole.subarray(1)]),
  ];
  for (const [index, bytes] of damaged.entries()) {
    const jobId = `damaged-${index}`;
    const task = typeof bytes === 'string' ? bytes : bytes.toString('base64');
    // What has failed already would run anew, with the task of the fleet.
    await bull.pause();
    await bull.add('echo', { ...data, task }, { ...opts, jobId: `task-${jobId}` });
    const result = caught(fleet.run(1, { name: 'echo', jobId }));
    // More answers on its connection than the task needs to find that job.
    for (let answers = 0; answers < 20; answers++) await fleet.stats();
    await bull.resume();
    const error = await result;
    assert.deepEqual([error.name, error.code], ['PoolError', 'PLIMSOLL_POOL_BAD_BYTES'], jobId);
  }
  assert.equal(await fleet.run(4), 8);
});

test('a job that somebody removes is told as lost', needsRedis, async (t) => {
  const { fleet, queue, worker } = await pairFor(t, redis.url);
  const bull = bullFor(t, queue);
  const { when, give } = wordFor(t);
  const busy = fleet.run({ when, value: 1 }, { name: 'later' });
  await until(() => worker.health.running === 1, 'the first task');
  const waiting = caught(fleet.run(1, { jobId: 'removed' }));
  await until(async () => (await fleet.stats()).waiting === 1, 'the second task');
  assert.equal(await bull.remove('task-removed'), 1);
  give();
  await busy;
  assert.equal((await waiting).code, 'PLIMSOLL_FLEET_LOST');
});
