import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  caught,
  fleetFor,
  folderFor,
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

test('the job of a worker process that is killed runs on another one', needsRedis, async (t) => {
  const queue = queueName();
  const fleet = fleetFor(t, redis.url, { queue });
  const stalled: string[] = [];
  fleet.on('stalled', (id: string) => stalled.push(id));
  const file = join(folderFor(t), 'noted');
  const victim = await processFor(t, redis.url, queue, SOON);
  const { when, give } = wordFor(t);
  const running = fleet.run({ file, when, value: 'kept' }, { name: 'noted', jobId: 'the-one' });
  await until(() => linesOf(file).length === 1, 'the start of the task');
  const waiting = Array.from({ length: 20 }, (_, value) => fleet.run(value, { name: 'where' }));
  assert.equal(await victim.kill('SIGKILL'), 'SIGKILL');
  give();
  const other = await processFor(t, redis.url, queue, SOON);
  assert.equal(await within(running), 'kept');
  const results = await within(Promise.all(waiting));
  assert.deepEqual(
    results,
    results.map((_, value) => ({ value, pid: other.pid })),
  );
  // A process that stands still for long enough loses jobs, too.
  assert.ok(stalled.includes('task-the-one'), stalled.join());
  const [first, second, ...others] = linesOf(file);
  assert.deepEqual([first, second, others.at(-1)], ['begin kept', 'begin kept', 'end kept']);
});

test('a task that ends its processes is given up, and harms no other one', needsRedis, async (t) => {
  const queue = queueName();
  const fleet = fleetFor(t, redis.url, { queue });
  const file = join(folderFor(t), 'pids');
  const args = [...SOON, '--max-stalled-count', '1'];
  const started = await Promise.all([0, 1].map(() => processFor(t, redis.url, queue, args)));
  const poison = caught(fleet.run({ file }, { name: 'poison' }));
  const others = Array.from({ length: 50 }, (_, value) => fleet.run(value));
  // What a supervisor does.
  await until(() => linesOf(file).length >= 1, 'the first end');
  await Promise.race(started.map(({ exited }) => exited));
  const next = await processFor(t, redis.url, queue, args);
  const results = await within(Promise.all(others));
  assert.deepEqual(
    results,
    results.map((_, value) => value * 2),
  );
  const { code, message } = await poison;
  assert.equal(code, 'PLIMSOLL_FLEET_STALLED');
  assert.match(message, /maxStalledCount/);
  assert.equal(new Set(linesOf(file)).size, 2, 'it has run in another number of processes than two');
  const alive = [...started, next].filter(({ child }) => child.signalCode === null);
  assert.equal(alive.length, 1);
  assert.equal(await fleet.run(4), 8);
});

test('a task that throws a text of stalling is not taken for one without a worker', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const error = await caught(fleet.run('stalled', { name: 'fail' }));
  assert.deepEqual([error.code, error.message], [undefined, 'the download stalled more than a minute ago']);
});

test('a task that ends its thread is told so, and the process lives', needsRedis, async (t) => {
  const queue = queueName();
  const fleet = fleetFor(t, redis.url, { queue });
  const { pid } = await processFor(t, redis.url, queue);
  const error = await caught(fleet.run(3, { name: 'leave' }));
  assert.deepEqual(
    [error.name, error.code, error.exitCode, error.taskName],
    ['WorkerError', 'PLIMSOLL_POOL_WORKER_EXITED', 3, 'leave'],
  );
  assert.deepEqual(await fleet.run('again', { name: 'where' }), { value: 'again', pid });
});

test(
  'a worker process that is killed between two attempts of a task costs none of them',
  needsRedis,
  async (t) => {
    const queue = queueName();
    const fleet = fleetFor(t, redis.url, { queue });
    const file = join(folderFor(t), 'pids');
    await processFor(t, redis.url, queue, SOON);
    const running = fleet.run({ file }, { name: 'fatalOnce', attempts: 1 });
    await until(() => linesOf(file).length >= 1, 'the first run');
    await processFor(t, redis.url, queue, SOON);
    assert.equal(await within(running), 'survived');
    assert.equal(new Set(linesOf(file)).size, 2);
  },
);
