import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { TimeoutError } from '@plimsoll/pool';
import { caught } from './support.js';
import { MINUTE, poolFor, shown } from './testing-support.js';

test('nothing happens in a manual pool but by steps, which say what has happened', async (t) => {
  const pool = poolFor(t, { manual: true, maxThreads: 2, minThreads: 2 });
  const settled: number[] = [];
  for (const value of [1, 2, 3]) void pool.run(value).then(() => settled.push(value));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual([settled, pool.queueSize, pool.needsDrain], [[], 1, true]);
  const steps = [];
  for (let step = await pool.step(); step !== undefined; step = await pool.step()) {
    steps.push(step);
    if (step.kind === 'end') assert.equal(settled.length, steps.filter(({ kind }) => kind === 'end').length);
  }
  assert.deepEqual(shown(steps), [
    'start 1',
    'start 2',
    'call 1 default',
    'call 2 default',
    'end 1 default',
    'call 1 default',
    'end 2 default',
    'end 1 default',
  ]);
  assert.deepEqual(settled, [1, 2, 3]);
});

test('a seed changes the order of results, always in the same way, and never the order of starts', async (t) => {
  const orders = new Set<string>();
  for (let seed = 0; seed < 20; seed++) {
    const runs = [];
    for (const _twice of [1, 2]) {
      const called: number[] = [];
      const load = () => ({ default: (value: number) => void called.push(value) });
      const options = { minThreads: 3, maxThreads: 3, concurrentTasksPerWorker: 2 };
      const pool = poolFor(t, { seed, manual: true, load, ...options });
      const ended: number[] = [];
      const values = [0, 1, 2, 3, 4, 5, 6, 7, 8];
      for (const value of values) void pool.run(value).then(() => ended.push(value));
      runs.push({ steps: shown(await pool.runAll()), ended });
      assert.deepEqual(called, values);
    }
    assert.deepEqual(runs[0], runs[1]);
    orders.add(String(runs[0]?.ended));
  }
  assert.ok(orders.size > 10, `${orders.size} orders`);
});

test('an automatic pool with a seed is as well defined', async (t) => {
  const orderOf = async (seed: number): Promise<string> => {
    const pool = poolFor(t, { seed, minThreads: 4, maxThreads: 4 });
    const ended: number[] = [];
    await Promise.all([0, 1, 2, 3, 4, 5].map((value) => pool.run(value).then(() => ended.push(value))));
    return ended.join();
  };
  assert.equal(await orderOf(5), await orderOf(5));
  assert.equal(new Set(await Promise.all([1, 2, 3, 4, 5, 6].map(orderOf))).size > 2, true);
});

test('time is virtual: timeouts, graces and backoffs take none, and add up exactly', async (t) => {
  const pool = poolFor(t, { retry: { max: 3, backoff: MINUTE } });
  const start = performance.now();
  pool.inject({ kind: 'hang' });
  const late = await caught(pool.run(1, { timeout: 5 * MINUTE, grace: MINUTE }));
  assert.ok(late instanceof TimeoutError);
  assert.equal(pool.duration, 6 * MINUTE);
  pool.inject({ kind: 'exit', times: 3 });
  assert.equal(await pool.run(7), 7);
  assert.equal(pool.duration, 6 * MINUTE + 7 * MINUTE);
  assert.ok(performance.now() - start < MINUTE);
});

test('advance() brings about what is due, in its order, and nothing else', async (t) => {
  const pool = poolFor(t, { manual: true });
  const ended: string[] = [];
  for (const timeout of [300, 100, 200])
    pool.run(timeout, { timeout }).catch(({ code }) => ended.push(`${timeout} ${code}`));
  await pool.advance(99);
  assert.deepEqual(ended, []);
  await pool.advance(101);
  assert.deepEqual(ended, ['100 PLIMSOLL_POOL_TIMEOUT', '200 PLIMSOLL_POOL_TIMEOUT']);
  assert.equal(pool.duration, 200);
  assert.equal(pool.queueSize, 0);
});

test('pools do not share their time', async (t) => {
  const [one, other] = [poolFor(t), poolFor(t)];
  const controller = new AbortController();
  other.inject({ kind: 'hang' });
  const waits = caught(other.run(1, { signal: controller.signal }));
  await one.advance(MINUTE);
  assert.deepEqual([one.duration, other.duration], [MINUTE, 0]);
  controller.abort('enough');
  assert.equal((await waits).cause, 'enough');
});

test('no time passes while a function waits for something outside; runAll() waits for it', async (t) => {
  const pool = poolFor(t);
  assert.equal(await pool.run(50, { name: 'turns', timeout: 1 }), 50);
  assert.equal(pool.duration, 0);
  const manual = poolFor(t, { manual: true });
  const run = manual.run(50, { name: 'turns' });
  assert.deepEqual(shown(await manual.runAll()), ['start 1', 'call 1 turns', 'end 1 turns']);
  assert.equal(await run, 50);
});

test('the real time before a timeout is that of one task, not of those before it', async (t) => {
  const pool = poolFor(t, { load: () => ({ default: (time: number) => pause(time, time) }) });
  const end = performance.now() + 1500;
  while (performance.now() < end) assert.equal(await pool.run(100, { timeout: 1 }), 100);
  assert.equal(pool.duration, 0);
});

test('the timeout of a task that has ended does not keep the process alive', async (t) => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const pool = poolFor(t);
  const count = timers();
  assert.equal(await pool.run(50, { name: 'turns', timeout: MINUTE }), 50);
  await pool.runAll();
  assert.equal(timers(), count);
});
