import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool, type PoolOptions } from '@plimsoll/pool';
import { type Explanation, observe, type Phase, type TaskExplanation } from '@plimsoll/pool/observe';
import { adviceFor } from '../dist/observe/advice.js';
import { Breakdown, type Phases } from '../dist/observe/breakdown.js';
import { PHASES } from '../dist/observe/types.js';
import { caught, fixture, newGate, poolFor as plainPoolFor } from './support.js';

/** A pool that is observed from its first task on. */
function poolFor(t: TestContext, options: PoolOptions = {}): Pool {
  const pool = plainPoolFor(t, options);
  observe(pool);
  return pool;
}

const only = ({ tasks }: Explanation, name: string): TaskExplanation => {
  const found = tasks.filter((task) => task.name === name);
  assert.equal(found.length, 1, `${found.length} explanations of ${name}`);
  return found[0] as TaskExplanation;
};
const inTurn = async (pool: Pool, times: number, task: unknown, name: string): Promise<void> => {
  for (let time = 0; time < times; time++) await pool.run(task, { name });
};

for (const recordTiming of [true, false]) {
  test(`the phases of a task add up to all of its time, recordTiming ${recordTiming}`, async (t) => {
    const pool = poolFor(t, { explain: true, recordTiming });
    await caught(pool.run('no', { name: 'fail' }));
    await caught(pool.run('no', { name: 'failLater' }));
    await Promise.all([1, 2, 3, 4, 5].map(() => pool.run(20, { name: 'block' })));
    const explanation = observe(pool).explain();
    const block = only(explanation, 'block');
    assert.equal(block.count, 5);
    assert.equal(block.failed, 0);
    assert.equal(block.filename, pool.options.filename);
    assert.ok(block.phases.run.p50 >= 19, `${block.phases.run.p50} ms`);
    for (const { total, phases, count } of explanation.tasks) {
      const sum = PHASES.reduce((all, phase) => all + phases[phase].mean, 0);
      assert.ok(Math.abs(sum - total.mean) < 1e-6 * total.mean, `${sum} ms are not ${total.mean}`);
      assert.ok(Math.abs(PHASES.reduce((all, phase) => all + phases[phase].share, 0) - 1) < 1e-6);
      assert.ok(count > 0);
    }
    assert.equal(only(explanation, 'fail').failed, 1);
    assert.equal(only(explanation, 'failLater').failed, 1);
    assert.equal(pool.histogram.runTime.max > 0, recordTiming);
    const times = explanation.tasks.map(({ total, count }) => total.mean * count);
    assert.deepEqual(
      times,
      times.toSorted((one, other) => other - one),
      'the most time comes first',
    );
  });
}

test('the wait for a worker that starts is told from the wait for one that is busy', async (t) => {
  const idleTimeout = Number.POSITIVE_INFINITY;
  const filename = fixture('slow-start.mjs');
  const pool = poolFor(t, { explain: true, minThreads: 0, idleTimeout, filename });
  await pool.run(1);
  await inTurn(pool, 10, 1, 'buffers');
  const explanation = observe(pool).explain();
  const first = only(explanation, 'default').phases;
  // Its worker waits for 300 ms before it is ready.
  assert.ok(first.startup.mean >= 290, `${first.startup.mean} ms`);
  const later = only(explanation, 'buffers');
  assert.equal(later.phases.startup.p99, 0);
  assert.equal(later.phases.queue.p50 < first.startup.p50, true);
  assert.equal(later.foundFree, 10, 'each found the worker free');
});

test('a task without a free worker waits in the queue, and finds none free', async (t) => {
  const pool = poolFor(t, { explain: true });
  await pool.run(1, { name: 'echo' });
  const gate = newGate();
  const held = pool.run(gate.words, { name: 'hold' });
  const waiting = [1, 2, 3].map(() => pool.run(1, { name: 'thread' }));
  await sleep(50);
  gate.open();
  await Promise.all([held, ...waiting]);
  const { foundFree, phases } = only(observe(pool).explain(), 'thread');
  assert.equal(foundFree, 0);
  assert.equal(phases.wake.p99, 0);
  assert.ok(phases.queue.p50 > 45, `${phases.queue.p50} ms`);
});

test('large, moved and cloned values, several tasks at a time, and functions that cannot be loaded are followed too', async (t) => {
  const pool = poolFor(t, { explain: true, concurrentTasksPerWorker: 4 });
  const large = new Uint8Array(2 ** 20);
  assert.equal(await pool.run(large, { name: 'size' }), 2 ** 20);
  assert.equal(await pool.run(large, { name: 'size', transferList: [large.buffer] }), 2 ** 20);
  const cloned = /x/;
  assert.deepEqual(await pool.run(cloned, { name: 'echo' }), cloned);
  await Promise.all([1, 2, 3, 4, 5].map(() => pool.run(10, { name: 'sleep' })));
  await caught(pool.run(1, { name: 'none' }));
  await caught(pool.run(1, { name: 'returnFunction' }));
  const explanation = observe(pool).explain();
  assert.equal(only(explanation, 'size').count, 2);
  assert.equal(only(explanation, 'none').failed, 1);
  assert.equal(only(explanation, 'none').phases.run.p99, 0);
  assert.equal(only(explanation, 'returnFunction').failed, 1);
  assert.equal(only(explanation, 'sleep').promises.count, 5);
  for (const { phases } of explanation.tasks) {
    for (const phase of PHASES) {
      assert.ok(phases[phase].mean >= 0 && phases[phase].mean < 60_000, `${phase}: ${phases[phase].mean} ms`);
    }
  }
});

test('tasks that are cancelled or die with their worker are left out, and the others go on being followed', async (t) => {
  const pool = poolFor(t, { explain: true });
  await caught(pool.run(undefined, { name: 'blockForever', timeout: 100 }));
  await caught(pool.run(3, { name: 'exit' }));
  await caught(pool.run(3, { name: 'crash' }));
  await inTurn(pool, 5, 1, 'echo');
  const explanation = observe(pool).explain();
  assert.deepEqual(
    explanation.tasks.map(({ name, count }) => [name, count]),
    [['echo', 5]],
  );
});

test('explain() without its option is a coded error', async (t) => {
  const error = await caught((async () => observe(poolFor(t)).explain())());
  assert.ok(error instanceof RangeError);
  assert.equal(error.code, 'PLIMSOLL_POOL_BAD_OPTION');
});

test('small tasks one after another are advised to be sent together, long ones are not', async (t) => {
  const pool = poolFor(t, { explain: true });
  await inTurn(pool, 200, 1, 'echo');
  // All at once: then it does not matter how long a busy machine takes to wake the threads.
  await Promise.all(Array.from({ length: 25 }, () => pool.run(10, { name: 'block' })));
  const { advice } = observe(pool).explain();
  const small = advice.filter(({ id }) => id === 'sending-costs-more');
  assert.deepEqual(
    small.map(({ task }) => task?.name),
    ['echo'],
  );
  const { run = 1, sending = 0, count } = small[0]?.numbers ?? {};
  assert.ok(run < sending, `${run} ms < ${sending} ms`);
  assert.equal(count, 200);
  assert.match(small[0]?.message ?? '', /'echo' takes .* and costs .* to send/);
});

test('a function that waits for others is called asynchronous, and one that blocks its thread is not', async (t) => {
  const pool = poolFor(t, { explain: true, concurrentTasksPerWorker: 25 });
  const atOnce = (task: number, name: string): Promise<unknown> =>
    Promise.all(Array.from({ length: 25 }, () => pool.run(task, { name })));
  await atOnce(5, 'block');
  // A worker that has to wait for a core while it is busy is busy longer, so there may have to be more of what waits.
  const end = performance.now() + 60_000;
  do await atOnce(500, 'sleep');
  while (only(observe(pool).explain(), 'sleep').promises.busy >= 0.1 && performance.now() < end);
  const explanation = observe(pool).explain();
  const asynchronous = explanation.advice.filter(({ id }) => id === 'already-asynchronous');
  assert.deepEqual(
    asynchronous.map(({ task }) => task?.name),
    ['sleep'],
  );
  assert.ok(only(explanation, 'sleep').promises.busy < 0.1);
  assert.equal(only(explanation, 'block').promises.count, 0);
});

test('workers and host are described', async (t) => {
  const pool = poolFor(t, { explain: true, minThreads: 1, maxThreads: 2 });
  await Promise.all([1, 2, 3, 4].map(() => pool.run(30, { name: 'block' })));
  const { workers, host, duration } = observe(pool).explain();
  assert.equal(workers.minThreads, 1);
  assert.equal(workers.maxThreads, 2);
  assert.ok(workers.most >= 1 && workers.most <= 2);
  assert.ok(workers.cores > 0);
  assert.ok(host.utilization >= 0 && host.utilization <= 1);
  assert.ok(duration >= 59);
});

const ONE = Object.fromEntries(PHASES.map((phase) => [phase, 0])) as Record<Phase, number>;
/** An explanation of a pool whose tasks all took the same. */
function facts(phases: Partial<Phases>, more: { most?: number; cores?: number; idle?: number }) {
  const { most = 2, cores = 2, idle = -1 } = more;
  const breakdown = new Breakdown('/worker.js', 'work');
  for (let task = 0; task < 200; task++) breakdown.add({ ...ONE, ...phases }, false, false, idle);
  const spread = (phase: Phase) => ({
    ...{ mean: breakdown.phases[phase].mean, share: 0 },
    ...{ p50: breakdown.phases[phase].percentile(50), p99: breakdown.phases[phase].percentile(99) },
  });
  const total = { mean: 1, p50: 1, p99: breakdown.total.percentile(99) };
  const task: TaskExplanation = {
    ...{ filename: '/worker.js', name: 'work', count: 200, failed: 0, total, foundFree: 0, sending: total },
    phases: Object.fromEntries(PHASES.map((phase) => [phase, spread(phase)])) as TaskExplanation['phases'],
    promises: { count: breakdown.promised, busy: 1 - breakdown.promisedIdle / breakdown.promisedRun },
  };
  const workers = { minThreads: 1, maxThreads: 8, most, cores, quota: cores };
  const host = { utilization: 0.1 };
  return adviceFor({ duration: 1, tasks: [task], host, workers });
}

test('more workers than cores is advice for functions that keep their threads busy alone', () => {
  const [advice] = facts({ run: 10 }, { most: 8, cores: 1.5 });
  assert.equal(advice?.id, 'more-workers-than-cores');
  assert.match(
    advice?.message ?? '',
    /8 workers ran at a time, but the quota has 1\.5 cores: set maxThreads to 2$/,
  );
  assert.equal(advice?.numbers.cores, 1.5);
  assert.deepEqual(facts({ run: 10 }, { most: 2, cores: 1.5 }), []);
  assert.deepEqual(
    facts({ run: 10 }, { most: 8, cores: 1.5, idle: 9.9 }).map(({ id }) => id),
    ['already-asynchronous'],
  );
});

test('in a stream of tasks sending is what the host does for them', () => {
  const ids = (run: number) =>
    facts({ run, encode: 0.01, decode: 0.01, wake: 0, return: 3 }, {}).map(({ id }) => id);
  assert.deepEqual(ids(0.005), ['sending-costs-more']);
  assert.deepEqual(ids(0.5), []);
});

test('a pool with explain leaves its other options alone', async (t) => {
  const pool = new Pool({ filename: fixture('tasks.mjs'), explain: true, maxThreads: 1 });
  t.after(() => pool.destroy());
  assert.equal(await pool.run({ a: 1, b: 2 }), 3);
  assert.equal(pool.options.explain, true);
});

test('calls of a proxy are explained together with plain tasks of the function', async (t) => {
  const pool = poolFor(t, { explain: true });
  await pool.run(1, { name: 'echo' });
  assert.equal(await pool.proxy<{ echo: (value: number) => number }>().echo(2), 2);
  assert.equal(only(observe(pool).explain(), 'echo').count, 2);
});

test('of many functions the further ones are added up', async (t) => {
  const pool = poolFor(t, { explain: true });
  for (let index = 0; index < 300; index++) await caught(pool.run(1, { name: `none${index}` }));
  const { tasks } = observe(pool).explain();
  assert.equal(tasks.length, 257);
  assert.equal(only(observe(pool).explain(), '(others)').count, 300 - 256);
});
