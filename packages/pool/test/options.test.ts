import assert from 'node:assert/strict';
import { getPriority, setPriority } from 'node:os';
import { test } from 'node:test';
import { Pool } from '@plimsoll/pool';
import { ArrayTaskQueue, type PiscinaLoadBalancer, type PiscinaTask } from '@plimsoll/pool/piscina';
import { usableCores } from '../dist/host/cpu-quota.js';
import { fixture, piscinaFor, poolFor, until } from './support.js';

test('a polluted Object.prototype gives no options, neither to the pool nor to its threads', async (t) => {
  const polluted = Object.prototype as Record<string, unknown>;
  const pollution = {
    execArgv: ['--not-a-flag'],
    env: { NODE_OPTIONS: '--title=polluted' },
    resourceLimits: { maxOldGenerationSizeMb: 1 },
    name: 'fail',
    retry: 5,
  };
  Object.assign(polluted, pollution);
  try {
    const pool = poolFor(t);
    assert.equal(await pool.run({ a: 1, b: 1 }), 2);
    assert.equal(await pool.run({ a: 1, b: 1 }, {}), 2);
  } finally {
    for (const name of Object.keys(pollution)) delete polluted[name];
  }
});

test('defaults, and thread counts that follow one another', async (t) => {
  const pool = new Pool({ filename: fixture('tasks.mjs') });
  t.after(() => pool.destroy());
  assert.equal(pool.minThreads, Math.max(1, Math.floor(usableCores() / 2)));
  assert.equal(pool.maxThreads, usableCores());
  assert.equal(pool.options.idleTimeout, 10_000);
  assert.equal(pool.options.maxQueue, Number.POSITIVE_INFINITY);
  assert.equal(pool.threads.length, pool.minThreads);
  assert.equal(poolFor(t, { minThreads: 0, maxThreads: 3, maxQueue: 'auto' }).options.maxQueue, 9);
});

test('workers are started on need and stopped when idle', async (t) => {
  const pool = poolFor(t, { minThreads: 0, maxThreads: 3, idleTimeout: 20 });
  const created: number[] = [];
  let destroyed = 0;
  pool.on('workerCreate', (worker) => created.push(worker.threadId));
  pool.on('workerDestroy', () => destroyed++);
  assert.equal(pool.threads.length, 0);
  await Promise.all([1, 2, 3, 4].map(() => pool.run(30, { name: 'sleep' })));
  assert.equal(pool.threads.length <= 3 && pool.threads.length >= 1, true);
  await until(() => pool.threads.length === 0);
  await until(() => destroyed === 3);
  assert.equal(created.length, 3);
  assert.equal(await pool.run({ a: 1, b: 1 }), 2);
});

test('idleTimeout Infinity keeps workers', async (t) => {
  const pool = poolFor(t, { minThreads: 0, idleTimeout: Number.POSITIVE_INFINITY });
  const thread = await pool.run(0, { name: 'thread' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal(await pool.run(0, { name: 'thread' }), thread);
});

test('workerData, argv and env reach the worker', async (t) => {
  const pool = poolFor(t, { workerData: { answer: 42 } });
  assert.deepEqual(await pool.run(0, { name: 'data' }), { answer: 42 });
});

test('messages of a worker file arrive as events', async (t) => {
  const pool = poolFor(t);
  const received = new Promise((resolve) => pool.once('message', resolve));
  await pool.run({ progress: 1 }, { name: 'post' });
  assert.deepEqual(await received, { progress: 1 });
});

test('needsDrain and drain are emitted when the state changes', async (t) => {
  const pool = poolFor(t, { maxThreads: 2 });
  const events: string[] = [];
  pool.on('needsDrain', () => events.push('needsDrain'));
  pool.on('drain', () => events.push('drain'));
  await pool.run(1, { name: 'echo' });
  assert.deepEqual(events, []);
  const runs = [1, 2, 3, 4].map(() => pool.run(10, { name: 'sleep' }));
  assert.equal(pool.needsDrain, true);
  assert.equal(pool.queueSize, 2);
  await Promise.all(runs);
  await until(() => events.length === 2);
  assert.deepEqual(events, ['needsDrain', 'drain']);
  assert.equal(pool.needsDrain, false);
});

test('statistics count tasks and times', async (t) => {
  const pool = poolFor(t);
  await Promise.all([1, 2, 3].map(() => pool.run(20, { name: 'block' })));
  assert.equal(pool.completed, 3);
  const { runTime, waitTime } = pool.histogram;
  assert.ok(runTime.min >= 19 && runTime.p50 >= 19, `${runTime.min} ms`);
  assert.ok(waitTime.max >= 38, 'the third task waited for two others');
  assert.ok(pool.utilization > 0 && pool.utilization <= 1);
  pool.histogram.resetRunTime();
  assert.equal(pool.histogram.runTime.max, 0);
  assert.ok(pool.utilization * pool.duration >= 57, 'a reset does not change what the pool has done');
  assert.ok(pool.duration > 60);
  const silent = poolFor(t, { recordTiming: false });
  await silent.run({ a: 1, b: 1 });
  assert.equal(silent.histogram.runTime.max, 0);
  assert.equal(silent.utilization, 0);
});

test('a custom queue decides the order', async (t) => {
  class LastInFirstOut extends ArrayTaskQueue {
    override shift(): PiscinaTask | null {
      seen.push(this.tasks.at(-1)?.task);
      return this.tasks.pop() ?? null;
    }
  }
  const seen: unknown[] = [];
  const pool = piscinaFor(t, { taskQueue: new LastInFirstOut() });
  await pool.run(0, { name: 'recorded' });
  const blocked = pool.run(100, { name: 'block' });
  await Promise.all([blocked, ...[1, 2, 3].map((value) => pool.run(value, { name: 'record' }))]);
  assert.deepEqual(await pool.run(0, { name: 'recorded' }), [3, 2, 1]);
  assert.deepEqual(seen.slice(-3), [3, 2, 1]);
});

test('a queue sees when tasks were submitted, without recordTiming too', async (t) => {
  const seen: PiscinaTask[] = [];
  class Noting extends ArrayTaskQueue {
    override push(task: PiscinaTask): void {
      seen.push(task);
      super.push(task);
    }
  }
  const start = performance.now();
  const pool = piscinaFor(t, { maxThreads: 1, taskQueue: new Noting(), recordTiming: false });
  await Promise.all([1, 2, 3].map((value) => pool.run(value, { name: 'echo' })));
  assert.equal(seen.length, 3);
  // The clock that the pool notes times by counts from the start of the machine, hours or days before this.
  for (const { created } of seen) assert.ok(Math.abs(created - start) < 30_000, String(created));
});

test('a load balancer chooses the worker', async (t) => {
  const lowest: PiscinaLoadBalancer = (_task, workers) => {
    const free = workers.filter((worker) => worker.currentUsage === 0);
    return free.sort((one, other) => one.id - other.id)[0] ?? null;
  };
  const pool = piscinaFor(t, { minThreads: 2, maxThreads: 2, loadBalancer: lowest });
  await until(() => pool.idleThreads === 2);
  const threads = new Set<unknown>();
  for (let index = 0; index < 50; index++) threads.add(await pool.run(0, { name: 'thread' }));
  assert.equal(threads.size, 1);
  const both = await Promise.all([1, 2, 3, 4].map(() => pool.run(20, { name: 'block' })));
  assert.equal(new Set(both).size, 2);
});

test('a load balancer is offered all of the first workers from its first task on', async (t) => {
  const offered: number[] = [];
  const byNumber: PiscinaLoadBalancer = (_task, workers) => {
    offered.push(workers.length);
    return workers[(offered.length - 1) % 3] ?? null;
  };
  const pool = piscinaFor(t, { minThreads: 3, maxThreads: 3, loadBalancer: byNumber });
  const threads = await Promise.all([1, 2, 3].map(() => pool.run(0, { name: 'thread' })));
  assert.deepEqual(offered, [3, 3, 3]);
  assert.equal(new Set(threads).size, 3);
});

test('a load balancer is asked again only when a task has ended or a worker has come, about the same object', async (t) => {
  const asked: PiscinaTask[] = [];
  const one: PiscinaLoadBalancer = (task, [worker]) => {
    asked.push(task);
    return worker?.currentUsage === 0 ? worker : null;
  };
  const pool = piscinaFor(t, { minThreads: 1, maxThreads: 1, loadBalancer: one });
  await Promise.all([1, 2, 3, 4].map(() => pool.run(5, { name: 'block' })));
  // Each task once for its worker; in vain each but the first when its turn comes, and the second once more when the worker
  // came, unless the first had ended by then.
  assert.ok(asked.length <= 4 + 3 + 1, `asked ${asked.length} times`);
  assert.deepEqual(
    [...new Set(asked)].map(({ taskId }) => taskId),
    [0, 1, 2, 3],
  );
});

test('niceIncrement lowers the priority of the worker threads alone', {
  skip: process.platform !== 'linux',
}, async (t) => {
  // Counted from what the process has, which is not always 0.
  setPriority(Math.max(getPriority(), Math.min(10, getPriority() + 2)));
  const pool = poolFor(t, { niceIncrement: 5 });
  await pool.run(0, { name: 'echo' });
  await until(() => pool.idleThreads === 1);
  assert.equal(await pool.run(0, { name: 'nice' }), getPriority() + 5);
  assert.equal(getPriority(), getPriority(process.pid));
});

test('await using closes the pool', async () => {
  const pool = new Pool({ filename: fixture('tasks.mjs'), minThreads: 1, maxThreads: 1 });
  const result = pool.run({ a: 1, b: 1 });
  await pool[Symbol.asyncDispose]();
  assert.equal(await result, 2);
  assert.equal(pool.threads.length, 0);
});

test('types follow the worker module', async (t) => {
  interface Module {
    default: (task: { a: number; b: number }) => number;
    echoLater: (value: string) => Promise<string>;
    limit: number;
  }
  const pool = new Pool<Module>({ filename: fixture('tasks.mjs'), minThreads: 1, maxThreads: 1 });
  t.after(() => pool.destroy());
  const sum: number = await pool.run({ a: 1, b: 2 });
  const text: string = await pool.run('text', { name: 'echoLater' });
  assert.deepEqual([sum, text], [3, 'text']);
  // @ts-expect-error a number is no string
  await pool.run(1, { name: 'echoLater' });
  // @ts-expect-error not a function of the module
  await pool.run(1, { name: 'limit' }).catch(() => {});
});
