import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MessageChannel } from 'node:worker_threads';
import Piscina from '@plimsoll/pool/piscina';
import Tinypool, {
  isMovable,
  isTransferable,
  kQueueOptions,
  kTransferable,
  kValue,
  markMovable,
  type Options,
  type Task,
  type TaskQueue,
} from '@plimsoll/pool/tinypool';
import { usableCores } from '../dist/host/cpu-quota.js';
import { fixture, until } from './support.js';

const filename = fileURLToPath(fixture('tinypool.mjs'));
const usual = fileURLToPath(fixture('tasks.mjs'));

type Context = { after(fn: () => Promise<void>): void };
function open(context: Context, options: Options = {}): Tinypool {
  const pool = new Tinypool({ filename, minThreads: 1, maxThreads: 1, ...options });
  context.after(() => pool.destroy());
  return pool;
}

test('runs tasks by name and file, and rejects with the texts of tinypool', async (context) => {
  const pool = open(context, { filename: usual });
  assert.equal(await pool.run({ a: 4, b: 6 }), 10);
  assert.equal(await pool.run(3, { name: 'echo' }), 3);
  const nameless = open(context, { filename: null });
  await assert.rejects(nameless.run(1), { message: /^filename must be provided to run\(\) or in options/ });
  assert.equal(await nameless.run({ a: 1, b: 2 }, { filename: new URL(fixture('tasks.mjs')).href }), 3);
  await assert.rejects(pool.run('boom', { name: 'fail' }), { name: 'OddError', message: 'boom' });
  const controller = new AbortController();
  const endless = pool.run(undefined, { name: 'blockForever', signal: controller.signal });
  const waiting = pool.run({ a: 1, b: 1 });
  controller.abort();
  await assert.rejects(endless, { name: 'AbortError', message: 'The task has been aborted' });
  assert.equal(await waiting, 2);
  await assert.rejects(pool.run(1, { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('bounds the queue as tinypool does', async (context) => {
  const pool = open(context, { minThreads: 0, maxQueue: 1 });
  const first = pool.run(undefined, { name: 'spin' });
  const second = pool.run(undefined, { name: 'spin' });
  const third = pool.run(1);
  await assert.rejects(third, { message: 'Task queue is at limit' });
  const ends = [first, second].map((task) => assert.rejects(task, { message: 'Terminating worker thread' }));
  await pool.destroy();
  await Promise.all(ends);
  const none = open(context, { maxQueue: 0 });
  const running = none.run(undefined, { name: 'spin' });
  await assert.rejects(none.run(1), { message: 'No task queue available and all Workers are busy' });
  await Promise.all([assert.rejects(running), none.destroy()]);
});

test('threads below 1 are a part of the CPUs', async (context) => {
  const cores = availableParallelism();
  const pool = open(context, { minThreads: 0.5, maxThreads: 0.99 });
  assert.equal(pool.options.minThreads, Math.max(1, Math.floor(cores * 0.5)));
  assert.equal(pool.options.maxThreads, Math.max(1, Math.floor(cores * 0.99)));
  const least = open(context, { minThreads: 0.00005, maxThreads: 0.00006 });
  assert.deepEqual([least.options.minThreads, least.options.maxThreads], [1, 1]);
  assert.throws(() => new Tinypool({ minThreads: 3, maxThreads: 2 }), {
    name: 'RangeError',
    message: /conflict/,
  });
});

test('processes are refused with a code and what to use', async (context) => {
  const refused = { code: 'PLIMSOLL_POOL_BAD_OPTION', message: /'worker_threads'.*stay with tinypool/ };
  assert.throws(() => new Tinypool({ runtime: 'child_process' as never }), refused);
  const pool = open(context);
  await assert.rejects(pool.run(1, { runtime: 'child_process' as never }), refused);
  await assert.rejects(pool.recycleWorkers({ runtime: 'child_process' as never }), refused);
  for (const name of ['onMessage', 'postMessage'])
    await assert.rejects(pool.run(1, { channel: { [name]() {} } }), { message: /MessagePort/ });
});

test('null is an option that is not given, and a file may be a URL', async (context) => {
  const nothing = {
    ...{ name: null, minThreads: null, maxThreads: null, idleTimeout: null, maxQueue: null, runtime: null },
    ...{ concurrentTasksPerWorker: null, isolateWorkers: null, teardown: null, terminateTimeout: null },
    ...{ maxMemoryLimitBeforeRecycle: null, taskQueue: null, resourceLimits: null, env: null, argv: null },
  };
  const pool = new Tinypool({ ...(nothing as object), filename: fixture('tinypool.mjs'), workerData: null });
  context.after(() => pool.destroy());
  assert.equal(pool.options.workerData, null);
  assert.equal(pool.options.maxQueue, Number.POSITIVE_INFINITY);
  const none = { transferList: null, channel: null, runtime: null, name: null, filename: null, signal: null };
  for (const options of [none as object, null as never, { filename: fixture('tinypool.mjs') }])
    assert.equal(typeof (await pool.run({}, options)), 'number');
  await pool.recycleWorkers(null as never);
});

test('isolateWorkers gives each task a fresh worker', async (context) => {
  const shared = open(context);
  assert.deepEqual([await shared.run({}), await shared.run({}), await shared.run({})], [0, 1, 2]);
  const pool = open(context, { isolateWorkers: true, minThreads: 2, maxThreads: 3 });
  for (let round = 0; round < 3; round++)
    assert.deepEqual(await Promise.all(Array.from({ length: 5 }, () => pool.run({}))), [0, 0, 0, 0, 0]);
  assert.equal(pool.threads.length, 2);
  await assert.rejects(pool.run(undefined, { name: 'none' }), { message: /No handler function/ });
  const controller = new AbortController();
  const endless = pool.run(undefined, { name: 'spin', signal: controller.signal });
  const next = pool.run({});
  controller.abort();
  await assert.rejects(endless, { name: 'AbortError' });
  assert.equal(await next, 0);
  const lazy = open(context, { isolateWorkers: true, minThreads: 0, maxThreads: 3 });
  assert.deepEqual(await Promise.all(Array.from({ length: 7 }, () => lazy.run({}))), new Array(7).fill(0));
});

test('workers have numbers up to maxThreads, no two at once the same', async (context) => {
  const pool = open(context, { isolateWorkers: true, maxThreads: 3 });
  for (let round = 0; round < 3; round++) {
    // A worker that has ended its task would be replaced by one of its number.
    const gate = { shared: new Int32Array(new SharedArrayBuffer(4)), tasks: 3 };
    const all = await Promise.all([1, 2, 3].map(() => pool.run(gate, { name: 'id' })));
    assert.deepEqual(all.map(({ workerId }) => workerId).sort(), [1, 2, 3]);
  }
  const { state, workerId } = await pool.run(undefined, { name: 'id' });
  assert.equal(state.workerId, workerId);
  assert.equal(state.isTinypoolWorker && state.isWorkerThread, true);
  assert.equal(state.isChildProcess, undefined);
  assert.equal((process as { __tinypool_state__?: unknown }).__tinypool_state__, undefined);
});

test('workers that replace others have numbers up to maxThreads, no two at once the same', async (context) => {
  const newGate = () => ({ shared: new Int32Array(new SharedArrayBuffer(4)), tasks: 2 });
  const numbersOf = async (runs: Promise<{ workerId: number }>[]) =>
    (await Promise.all(runs)).map(({ workerId }) => workerId).sort();
  const pool = open(context, { minThreads: 2, maxThreads: 2 });
  for (let round = 0; round < 5; round++) {
    const gate = newGate();
    const busy = pool.run(gate, { name: 'id' });
    await until(() => Atomics.load(gate.shared, 0) === 1);
    await pool.recycleWorkers();
    assert.ok(pool.threads.length <= 2);
    assert.deepEqual(await numbersOf([busy, pool.run(gate, { name: 'id' })]), [1, 2]);
  }
  const recycled = open(context, { minThreads: 2, maxThreads: 2, maxMemoryLimitBeforeRecycle: 1 });
  for (let round = 0; round < 10; round++) {
    const gate = newGate();
    const runs = [1, 2].map(() => recycled.run(gate, { name: 'id' }));
    assert.deepEqual(await numbersOf(runs), [1, 2]);
  }
});

test('recycleWorkers replaces idle workers at once and the others after their tasks', async (context) => {
  const pool = open(context, { minThreads: 2, maxThreads: 2 });
  const ids = () => new Set(pool.threads.map(({ threadId }) => threadId));
  await Promise.all([pool.run(1, { name: 'nap' }), pool.run(1, { name: 'nap' })]);
  await until(() => pool.threads.length === 2);
  const before = ids();
  await pool.recycleWorkers();
  assert.equal([...ids()].filter((id) => before.has(id)).length, 0);
  // A worker that still starts would stay.
  await (pool as unknown as { core: { ready(): Promise<void> } }).core.ready();
  const task = pool.run(100, { name: 'nap' });
  await sleep(50);
  const during = ids();
  const recycled = pool.recycleWorkers();
  assert.equal(await task, 'rested');
  await recycled;
  await until(() => [...ids()].every((id) => !during.has(id)) && pool.threads.length === 2);
});

test('a worker over maxMemoryLimitBeforeRecycle is replaced', async (context) => {
  const pool = open(context, { maxMemoryLimitBeforeRecycle: 60e6 });
  const first = await pool.run(1, { name: 'leak' });
  assert.equal(await pool.run(1, { name: 'leak' }), first);
  await pool.run(80, { name: 'leak' });
  let last = first;
  for (const end = performance.now() + 60_000; last === first; last = await pool.run(0, { name: 'leak' }))
    assert.ok(performance.now() < end, 'it is not replaced');
});

for (const isolateWorkers of [true, false])
  test(`teardown runs before a worker ends, isolated: ${isolateWorkers}`, async (context) => {
    const pool = open(context, { isolateWorkers, teardown: 'namedTeardown' });
    for (const round of [1, 2]) {
      const { port1, port2 } = new MessageChannel();
      const message = once(port2, 'message');
      assert.equal(await pool.run({ port: port1 }, { transferList: [port1] }), 0);
      if (!isolateWorkers) {
        assert.equal(await pool.run({}), 1);
        if (round === 1) await pool.recycleWorkers();
        else await pool.destroy();
      }
      assert.deepEqual(await message, [isolateWorkers ? 'after 1' : 'after 2']);
      port2.close();
    }
  });

test('a worker that takes too long to end rejects the task, and then destroy()', async () => {
  const pool = new Tinypool({ filename, maxThreads: 1, terminateTimeout: 1, teardown: 'slowTeardown' });
  assert.equal(await pool.run({}), 0);
  const failure = { message: 'Failed to terminate worker' };
  await assert.rejects(pool.destroy(), failure);
  assert.equal(pool.threads.length, 0);
  const isolated = new Tinypool({ ...pool.options, isolateWorkers: true });
  await assert.rejects(isolated.run({}), failure);
  await isolated.destroy().catch(() => {});
});

test('isolated tasks, aborts, cancellations and recycling in random order all end', async (context) => {
  const pool = open(context, {
    isolateWorkers: true,
    minThreads: 1,
    maxThreads: 3,
    teardown: 'namedTeardown',
  });
  let state = 7;
  const random = (below: number): number => {
    state = (state * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  const tasks: Promise<unknown>[] = [];
  const ends: unknown[] = [];
  for (let step = 0; step < 120; step++) {
    const action = random(10);
    const controller = new AbortController();
    const name = action < 7 ? 'default' : action < 9 ? 'nap' : 'missing';
    const task = pool.run(name === 'nap' ? random(20) : {}, { name, signal: controller.signal });
    tasks.push(
      task.then(
        (value) => ends.push(value),
        (error: Error) => ends.push(error.name),
      ),
    );
    if (random(6) === 0) setTimeout(() => controller.abort(), random(20));
    if (random(15) === 0) pool.cancelPendingTasks();
    if (random(15) === 0) await pool.recycleWorkers();
    if (random(3) === 0) await sleep(random(10));
  }
  await Promise.all(tasks);
  const expected = [0, 'rested', 'AbortError', 'CancelError', 'Error', 'PoolError'];
  assert.deepEqual(
    ends.filter((end) => !expected.includes(end as never)),
    [],
  );
  assert.equal(pool.queueSize, 0);
});

test('channels are closed with the worker, or when another one comes', async (context) => {
  const closed: string[] = [];
  const channelOf = (name: string) => ({ channel: { onClose: () => closed.push(name) } });
  const isolated = open(context, { isolateWorkers: true });
  await isolated.run({}, channelOf('a'));
  await isolated.run({}, channelOf('b'));
  assert.deepEqual(closed.splice(0), ['a', 'b']);
  const pool = open(context);
  await pool.run({}, channelOf('c'));
  assert.deepEqual(closed, []);
  await pool.run({}, channelOf('d'));
  assert.deepEqual(closed, ['c']);
  await pool.destroy();
  assert.deepEqual(closed, ['c', 'd']);
});

test('pending tasks can be cancelled, those that run go on', async (context) => {
  const pool = open(context, { minThreads: 0 });
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const running = pool.run({ shared, bit: 0 }, { name: 'markAndWait', filename: usual });
  await until(() => Atomics.load(shared, 0) === 1);
  const pending = Array.from({ length: 9 }, () => pool.run(1, { name: 'nap' }));
  const ends = pending.map((task) =>
    assert.rejects(task, { name: 'CancelError', message: 'The task has been cancelled' }),
  );
  assert.equal(pool.queueSize, 9);
  pool.cancelPendingTasks();
  assert.equal(pool.queueSize, 0);
  await Promise.all(ends);
  Atomics.store(shared, 0, 0);
  assert.equal(await running, undefined);
});

test('a task queue of the user decides the order, and hears of a cancellation', async (context) => {
  const tasks: Task[] = [];
  let cancels = 0;
  const taskQueue = {
    get size() {
      return tasks.length;
    },
    push: (task: Task) => tasks.push(task),
    shift: () => tasks.pop() ?? null,
    remove: (task: Task) => tasks.splice(tasks.indexOf(task), 1),
    cancel: () => cancels++,
  };
  const pool = open(context, { filename: usual, taskQueue: taskQueue as never });
  const option = { option: 1 };
  const order: number[] = [];
  const marked = { a: 1, b: 0, [Tinypool.queueOptionsSymbol]: option };
  const all = [marked, { a: 2, b: 0 }, { a: 3, b: 0 }].map(async (task) => order.push(await pool.run(task)));
  assert.equal(tasks[0]?.[Tinypool.queueOptionsSymbol], option);
  await Promise.all(all);
  assert.deepEqual(order, [3, 2, 1]);
  pool.cancelPendingTasks();
  assert.equal(cancels, 1);
});

test('a task queue of the user may cancel tasks that wait', async (context) => {
  const tasks: Task[] = [];
  const taskQueue: TaskQueue = {
    get size() {
      return tasks.length;
    },
    push(task) {
      while (tasks.length > 0) tasks.pop()?.cancel();
      tasks.push(task);
    },
    shift: () => tasks.shift() ?? null,
    remove: (task) => void tasks.splice(tasks.indexOf(task), 1),
  };
  const pool = open(context, { filename: usual, taskQueue });
  const runs = [1, 2, 3].map((value) => pool.run(value, { name: 'echo' }));
  const cancelled = { name: 'CancelError', message: 'The task has been cancelled' };
  await Promise.all(runs.slice(0, 2).map((run) => assert.rejects(run, cancelled)));
  assert.equal(await runs[2], 3);
  assert.deepEqual([pool.queueSize, pool.completed], [0, 3]);
});

test('has the exports and the options of tinypool', async (context) => {
  assert.equal(kQueueOptions, Tinypool.queueOptionsSymbol);
  assert.equal(kTransferable, Tinypool.transferableSymbol);
  assert.equal(kValue, Tinypool.valueSymbol);
  const pool = open(context, { argv: [1, 'b'] as never, terminateTimeout: 0, teardown: 'namedTeardown' });
  const [runtime, useAtomics]: [string, boolean] = [pool.options.runtime, pool.options.useAtomics];
  assert.deepEqual([runtime, useAtomics], ['worker_threads', true]);
  assert.deepEqual((await pool.run(undefined, { name: 'id' })).argv, ['1', 'b']);
  await pool.recycleWorkers();
});

test('moves values, and has the helpers of tinypool', async (context) => {
  const pool = open(context, { filename: usual });
  const buffer = new ArrayBuffer(10);
  const moved = await pool.run(Tinypool.move(buffer), { name: 'echo', transferList: [] });
  assert.deepEqual([buffer.byteLength, moved.byteLength], [0, 10]);
  const value = { [Tinypool.transferableSymbol]: {}, [Tinypool.valueSymbol]: {} };
  assert.deepEqual([isTransferable(value), isMovable(value)], [true, false]);
  markMovable(value);
  assert.equal(isMovable(value), true);
  for (const primitive of [null, 1, false, 'text']) assert.equal(Tinypool.move(primitive), primitive);
});

test('can be destroyed while a task spins, and used again', async (context) => {
  const pool = open(context);
  const spinning = pool.run(undefined, { name: 'spin' });
  setImmediate(() => void pool.destroy());
  await assert.rejects(spinning, { message: 'Terminating worker thread' });
  assert.equal(await pool.run({}), 0);
});

test('times are recorded when asked for, since tinypool has none', async (context) => {
  for (const recordTiming of [undefined, true]) {
    const pool = open(context, { filename: usual, recordTiming });
    await pool.run({ a: 4, b: 6 });
    assert.equal(pool.histogram.runTime.max > 0, recordTiming === true);
    assert.equal(pool.options.recordTiming, recordTiming === true);
  }
});

test('each task is one async resource', async (context) => {
  const pool = open(context);
  const types: string[] = [];
  const hook = createHook({ init: (_id, type) => types.push(type) }).enable();
  await pool.run({});
  hook.disable();
  assert.equal(types.filter((type) => type === 'Tinypool.Task').length, 1);
});

test('workers never spin with useAtomics: false, and with atomics: "disabled" of Piscina', async (context) => {
  const spinners = (pool: unknown): number =>
    (pool as { core: { table: { layout: { spinners: number } } } }).core.table.layout.spinners;
  assert.equal(spinners(open(context)), usableCores() - 1);
  const pool = open(context, { filename: usual, useAtomics: false });
  assert.equal(spinners(pool), 0);
  assert.deepEqual(await Promise.all([1, 2, 3].map((value) => pool.run(value, { name: 'echo' }))), [1, 2, 3]);
  const piscina = (atomics: 'sync' | 'disabled'): Piscina => {
    const made = new Piscina({ filename: usual, minThreads: 1, maxThreads: 1, atomics });
    context.after(() => made.destroy());
    return made;
  };
  assert.equal(spinners(piscina('sync')), usableCores() - 1);
  assert.equal(spinners(piscina('disabled')), 0);
});
