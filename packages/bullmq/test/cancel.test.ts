import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  caught,
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

test('an aborted task that runs is stopped with its thread', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const control = new AbortController();
  const before = await fleet.run(null, { name: 'thread' });
  const running = fleet.run({ file, ms: LONGER, value: 1 }, { name: 'noted', signal: control.signal });
  await until(() => linesOf(file).length === 1, 'the start of the task');
  control.abort('not needed');
  const error = await caught(running);
  assert.deepEqual(
    [error.name, error.code, error.cause],
    ['AbortError', 'PLIMSOLL_POOL_ABORTED', 'not needed'],
  );
  await until(() => worker.health.running === 0, 'the end of the task');
  assert.notEqual(await fleet.run(null, { name: 'thread' }), before);
  assert.deepEqual(linesOf(file), ['begin 1']);
});

test('with grace an aborted task sees it, and ends by itself', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'busy');
  const control = new AbortController();
  const options = { name: 'busy', signal: control.signal, grace: LONGER };
  const running = fleet.run({ file, ms: LONGER }, options);
  await until(() => linesOf(file).length === 1, 'the start of the task');
  control.abort();
  assert.equal((await caught(running)).code, 'PLIMSOLL_POOL_ABORTED');
  await until(() => linesOf(file).length === 2, 'the end of the task');
  assert.deepEqual(linesOf(file), ['begin', 'aborted']);
  await until(() => worker.health.running === 0, 'the end of the job');
});

test('an aborted task that waits is taken out of the queue, and never runs', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const { when, give } = wordFor(t);
  const first = fleet.run({ file, when, value: 1 }, { name: 'noted' });
  await until(() => linesOf(file).length === 1, 'the start of the first task');
  const control = new AbortController();
  const waiting = fleet.run({ file, ms: 1, value: 2 }, { name: 'noted', signal: control.signal });
  await until(async () => (await fleet.stats()).waiting === 1, 'the second task');
  control.abort();
  assert.equal((await caught(waiting)).code, 'PLIMSOLL_POOL_ABORTED');
  await until(async () => (await fleet.stats()).waiting === 0, 'the removal');
  give();
  await first;
  await fleet.run({ file, ms: 1, value: 3 }, { name: 'noted' });
  assert.deepEqual(linesOf(file), ['begin 1', 'end 1', 'begin 3', 'end 3']);
});

test('a signal that is aborted already, or at once, runs nothing', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const signal = AbortSignal.abort('before');
  const before = await caught(fleet.run({ file, ms: 1, value: 1 }, { name: 'noted', signal }));
  assert.deepEqual([before.code, before.cause], ['PLIMSOLL_POOL_ABORTED', 'before']);
  const control = new AbortController();
  // The one thread is busy until the job is gone.
  const busy = fleet.run({ ms: 500, value: 1 }, { name: 'later' });
  const atOnce = fleet.run({ file, ms: 1, value: 2 }, { name: 'noted', signal: control.signal });
  control.abort();
  assert.equal((await caught(atOnce)).code, 'PLIMSOLL_POOL_ABORTED');
  await busy;
  assert.equal(await fleet.run(2), 4);
  assert.deepEqual(linesOf(file), []);
});

test(
  'a task that is aborted when its worker is dead does not run on in another one',
  needsRedis,
  async (t) => {
    const queue = queueName();
    const fleet = fleetFor(t, redis.url, { queue });
    const file = join(folderFor(t), 'noted');
    const victim = await processFor(t, redis.url, queue, SOON);
    const control = new AbortController();
    const running = fleet.run({ file, ms: LONGER, value: 1 }, { name: 'noted', signal: control.signal });
    await until(() => linesOf(file).length === 1, 'the start of the task');
    await victim.kill('SIGKILL');
    control.abort();
    assert.equal((await caught(running)).code, 'PLIMSOLL_POOL_ABORTED');
    await processFor(t, redis.url, queue, SOON);
    await until(async () => (await fleet.stats()).active === 0, 'the end of the job');
    assert.equal(await within(fleet.run(2)), 4);
  },
);

test('a timeout stops the function that runs', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const before = await fleet.run(null, { name: 'thread' });
  const error = await caught(fleet.run({ file, ms: LONGER, value: 1 }, { name: 'noted', timeout: 1000 }));
  assert.deepEqual([error.name, error.code], ['TimeoutError', 'PLIMSOLL_POOL_TIMEOUT']);
  assert.match(error.message, /'noted' took longer than its timeout of 1000 ms/);
  await until(() => worker.health.running === 0);
  const thread = await fleet.run(null, { name: 'thread' });
  // On a machine that stands still the time may be over before it begins.
  if (linesOf(file).length > 0) assert.notEqual(thread, before);
  assert.ok(!linesOf(file).includes('end 1'));
});

test('a timeout ends a task that still waits, and the function never runs', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const { when, give } = wordFor(t);
  const busy = fleet.run({ when, value: 1 }, { name: 'later' });
  const late = await caught(fleet.run({ file, ms: 1, value: 2 }, { name: 'noted', timeout: 100 }));
  assert.equal(late.code, 'PLIMSOLL_POOL_TIMEOUT');
  await until(async () => (await fleet.stats()).waiting === 0, 'the removal');
  give();
  await busy;
  assert.equal(await fleet.run(2), 4);
  assert.deepEqual(linesOf(file), []);
});

test('close({ force: true }) cancels what runs and what waits', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const tasks = [1, 2, 3].map((value) => fleet.run({ file, ms: LONGER, value }, { name: 'noted' }));
  await until(() => linesOf(file).length === 1, 'the start of the first task');
  const codes = Promise.all(tasks.map(async (task) => (await caught(task)).code));
  await within(fleet.close({ force: true }));
  assert.deepEqual(new Set(await codes), new Set(['PLIMSOLL_POOL_ABORTED']));
  await until(() => worker.health.running === 0);
  await sleep(500);
  assert.equal(linesOf(file).length, 1);
});
