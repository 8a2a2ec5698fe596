import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createFleetWorker } from '@plimsoll/bullmq';
import { Redis } from 'ioredis';
import {
  caught,
  fixture,
  fleetFor,
  LONG,
  lineTo,
  needsRedis,
  PATIENT,
  queueName,
  startRedis,
  until,
  WorkerProcess,
  within,
  workerFor,
} from './support.js';

const redis = await startRedis();

/** The URL of a user with these rights beside those to all keys and channels. */
async function userFor(t: TestContext, name: string, ...rights: string[]): Promise<string> {
  const client = new Redis(redis.url);
  t.after(() => client.disconnect());
  await client.call('ACL', 'SETUSER', name, 'reset', 'on', '>secret', '~*', '&*', '+@all', ...rights);
  return `redis://${name}:secret@127.0.0.1:${redis.port}`;
}

for (const [name, ...rights] of [
  ['no-info', '-@dangerous'],
  ['no-eval', '-eval', '-evalsha'],
  ['no-bzpopmin', '-bzpopmin'],
  ['no-publish', '-subscribe'],
] as const) {
  test(`a worker without a right that it needs is refused, and ends: ${name}`, needsRedis, async (t) => {
    const connection = await userFor(t, name, ...rights);
    const options = {
      queue: queueName(),
      connection,
      filename: fixture('tasks.mjs'),
      threads: 1,
      offlineTimeout: LONG,
    };
    const worker = createFleetWorker(options);
    t.after(() => worker.close());
    const error = await within(caught(worker.ready()));
    assert.equal(error.code, 'PLIMSOLL_FLEET_REFUSED');
    assert.match(error.message, /NOPERM/);
    assert.equal(worker.isStarted, false);
  });
}

test('the command without a right that it needs ends with 4', needsRedis, async (t) => {
  const url = await userFor(t, 'no-info-either', '-info');
  const args = ['--queue', queueName(), '--filename', fileURLToPath(fixture('tasks.mjs')), ...PATIENT];
  const worker = new WorkerProcess(args, { REDIS_URL: url });
  t.after(() => worker.kill('SIGKILL'));
  assert.equal(await within(worker.exited), 4);
  assert.match(worker.errors, /Redis refuses this client: NOPERM/);
});

test('the rights that the reference names are enough', needsRedis, async (t) => {
  const queue = queueName();
  const rights = [`~bull:${queue}:*`, `&bull:${queue}:*`, '-@admin', '-@dangerous', '+info'];
  const url = await userFor(t, 'enough', 'resetkeys', 'resetchannels', ...rights);
  await workerFor(t, url, { queue });
  const fleet = fleetFor(t, url, { queue });
  assert.equal(await within(fleet.run(2)), 4);
  assert.equal((await fleet.stats()).workers.length, 1);
});

for (const right of ['-xread', '-xrevrange', '-eval']) {
  test(`a fleet whose user lacks a right is told so with a code: ${right}`, needsRedis, async (t) => {
    const url = await userFor(t, `host${right}`, right, right === '-eval' ? '-evalsha' : right);
    const fleet = fleetFor(t, url, { queue: queueName() });
    const asked = right === '-eval' ? [fleet.run(1)] : [fleet.ready(), fleet.stats(), fleet.run(1)];
    for (const each of asked) assert.equal((await caught(each)).code, 'PLIMSOLL_FLEET_REFUSED');
  });
}

test(
  'a worker whose rights are taken away says so, takes no jobs, and goes on with them',
  needsRedis,
  async (t) => {
    const queue = queueName();
    const url = await userFor(t, 'changing');
    const worker = await workerFor(t, url, { queue });
    const errors: (Error & { code?: string })[] = [];
    worker.on('error', (error) => errors.push(error));
    const fleet = fleetFor(t, redis.url, { queue });
    assert.equal(await fleet.run(1), 2);
    await userFor(t, 'changing', '-eval', '-evalsha');
    const waiting = fleet.run(2);
    await until(() => worker.health.status === 'refused', 'the refusal');
    assert.equal(errors.filter(({ code }) => code === 'PLIMSOLL_FLEET_REFUSED').length, 1);
    assert.ok(errors.length < 20, `${errors.length} errors`);
    assert.equal(fleet.pending, 1);
    await userFor(t, 'changing');
    assert.equal(await within(waiting), 4);
    await until(() => worker.health.status === 'ok', 'the rights');
  },
);

test(
  'after a failover behind one address both sides find the Redis that can be written',
  needsRedis,
  async (t) => {
    const old = await startRedis();
    const next = await startRedis();
    const line = await lineTo(t, old.port);
    const queue = queueName();
    const fleet = fleetFor(t, line.url, { queue });
    const worker = await workerFor(t, line.url, { queue });
    assert.equal(await fleet.run(1), 2);
    const client = new Redis(old.url).on('error', () => {});
    t.after(() => client.disconnect());
    line.moveTo(next.port);
    const refused = once(worker, 'error');
    await client.replicaof('127.0.0.1', next.port);
    assert.equal((await caught(fleet.run(1))).code, 'PLIMSOLL_FLEET_REFUSED');
    await within(refused);
    assert.equal(await within(fleet.run(2)), 4);
    await until(() => worker.health.status === 'ok', 'the worker');
  },
);
