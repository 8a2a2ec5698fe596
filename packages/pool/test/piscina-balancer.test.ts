import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Piscina, { type PiscinaLoadBalancer, type PiscinaOptions } from '@plimsoll/pool/piscina';
import { caught, fixture, newGate, piscinaFor, until } from './support.js';

const filename = fileURLToPath(fixture('stalls.mjs'));
const LIMIT = { timeout: 60_000 };

const always: PiscinaLoadBalancer = (_task, [worker]) => worker;
const whenFree: PiscinaLoadBalancer = (_task, workers) =>
  workers.find(({ currentUsage }) => currentUsage === 0);

/** A pool of a worker that has nothing to do, and looks for nothing until the gate is opened, with so many aborted tasks. */
async function poolWith(t: TestContext, aborts: number, options: PiscinaOptions) {
  const pool = piscinaFor(t, { filename, ...options });
  const gate = newGate();
  await pool.run(gate.words, { name: 'holdLater' });
  await gate.begun();
  for (let index = 0; index < aborts; index++) {
    const controller = new AbortController();
    const aborted = caught(pool.run(index, { signal: controller.signal }));
    controller.abort();
    await aborted;
  }
  return { pool, gate };
}

for (const [kind, loadBalancer, aborts] of [
  ['which is full of them', always, 16],
  ['which is counted', whenFree, 1],
] as const)
  for (const taskQueue of [undefined, new Piscina.ArrayTaskQueue()])
    test(
      `tasks that were aborted in a mailbox, ${kind}, hold up none: ${taskQueue === undefined ? 'no' : 'a'} queue`,
      LIMIT,
      async (t) => {
        const { pool, gate } = await poolWith(t, aborts, { loadBalancer, taskQueue });
        const run = pool.run('runs');
        await sleep(50);
        gate.open();
        assert.equal(await run, 'runs');
      },
    );

test('a balancer that finds no worker gives undefined or null: the task waits', LIMIT, async (t) => {
  for (const none of [undefined, null]) {
    const pool = piscinaFor(t, { loadBalancer: (task, workers) => whenFree(task, workers) ?? none });
    assert.deepEqual(
      await Promise.all([1, 2, 3].map((value) => pool.run(value, { name: 'echo' }))),
      [1, 2, 3],
    );
  }
});

test(
  'what a balancer throws later, when there is room in a mailbox, ends its task like any other',
  LIMIT,
  async (t) => {
    let throws = false;
    const loadBalancer: PiscinaLoadBalancer = (_task, [worker]) => {
      if (throws) throw new Error('refused');
      return worker;
    };
    const { pool, gate } = await poolWith(t, 16, { loadBalancer });
    const run = caught(pool.run(0));
    await sleep(50);
    assert.equal(pool.needsDrain, true);
    throws = true;
    gate.open();
    assert.equal((await run).message, 'refused');
    await until(() => !pool.needsDrain);
  },
);

test('what is taken back from a worker for a priority counts for it no more', LIMIT, async (t) => {
  const { pool, gate } = await poolWith(t, 0, { loadBalancer: whenFree });
  const runs = [{}, {}, { priority: 1 }].map((options, index) => pool.run(index, options as object));
  await sleep(50);
  gate.open();
  assert.deepEqual(await Promise.all(runs), [0, 1, 2]);
});

test('an aborted task spares what a balancer has given to its worker', LIMIT, async (t) => {
  const pool = piscinaFor(t, { filename, loadBalancer: always });
  const gate = newGate();
  const controller = new AbortController();
  const ended = caught(pool.run(gate.words, { name: 'hold', signal: controller.signal }));
  await gate.begun();
  const runs = Array.from({ length: 10 }, () => {
    const buffer = new ArrayBuffer(20_000);
    return pool.run(buffer, { name: 'length', transferList: [buffer] });
  });
  controller.abort();
  await ended;
  assert.deepEqual(await Promise.all(runs), Array(10).fill(20_000));
});

test(
  'a worker with a task that has a signal is full from the moment on that it is given the task',
  LIMIT,
  async (t) => {
    const seen: unknown[] = [];
    const loadBalancer: PiscinaLoadBalancer = (_task, [worker]) => {
      seen.push([worker?.currentUsage, worker?.isRunningAbortableTask]);
      return worker !== undefined && worker.currentUsage < 2 ? worker : null;
    };
    const pool = piscinaFor(t, { loadBalancer, concurrentTasksPerWorker: 2 });
    const { signal } = new AbortController();
    const runs = [{ signal }, {}].map((options, index) => pool.run(index, { name: 'echo', ...options }));
    assert.deepEqual(seen, [
      [0, false],
      [Number.POSITIVE_INFINITY, true],
    ]);
    assert.deepEqual(await Promise.all(runs), [0, 1]);
  },
);

test('a balancer may return a copy of a worker', LIMIT, async (t) => {
  const loadBalancer: PiscinaLoadBalancer = (_task, workers) =>
    workers.map((worker) => ({ ...worker, cost: worker.currentUsage })).sort((a, b) => a.cost - b.cost)[0];
  const pool = piscinaFor(t, { loadBalancer });
  assert.equal(await pool.run(1, { name: 'echo' }), 1);
});

/** What aborts a task while the pool asks where it goes. */
const aborting: [string, (abort: () => void) => PiscinaOptions][] = [
  [
    'by push()',
    (abort) => {
      const taskQueue = new Piscina.ArrayTaskQueue();
      taskQueue.push = (task) => {
        taskQueue.tasks.push(task);
        if (task.isAbortable) abort();
      };
      return { taskQueue };
    },
  ],
  [
    'by size',
    (abort) => {
      const taskQueue = new Piscina.ArrayTaskQueue();
      const size = () => {
        if (taskQueue.tasks.length === 1) abort();
        return taskQueue.tasks.length;
      };
      return { taskQueue: Object.defineProperty(taskQueue, 'size', { get: size }) };
    },
  ],
  [
    'by the balancer',
    (abort) => ({
      loadBalancer(task, [worker]) {
        if (!task.isAbortable) return worker;
        abort();
        return null;
      },
    }),
  ],
];

for (const [by, optionsFor] of aborting)
  test(`a task that is aborted while it is submitted, ${by}, is over`, LIMIT, async (t) => {
    const controller = new AbortController();
    const pool = piscinaFor(
      t,
      optionsFor(() => controller.abort()),
    );
    const before = pool.run(0, { name: 'echo' });
    const aborted = caught(pool.run(1, { name: 'echo', signal: controller.signal }));
    assert.equal((await aborted).name, 'AbortError');
    assert.equal(await before, 0);
    assert.equal(await pool.run(2, { name: 'echo' }), 2);
    assert.deepEqual([pool.completed, pool.queueSize], [3, 0]);
  });
