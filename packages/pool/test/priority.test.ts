import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Core } from '../dist/host/core.js';
import { fillOptions } from '../dist/host/options.js';
import { NO_EXTRAS } from '../dist/host/task.js';
import { fixture, poolFor } from './support.js';

/** More than what follows a priority until the pool lets workers take tasks by themselves again. */
const MANY = 3000;

const FILE = fileURLToPath(fixture('tasks.mjs'));

const open = (context: { after(fn: () => Promise<void>): void }): Core => {
  const options = fillOptions({ filename: FILE, name: 'echo', minThreads: 1, maxThreads: 1 });
  const core = new Core(options, () => {});
  context.after(() => core.destroy());
  return core;
};

const withPriority = (core: Core, value: unknown, priority: number): Promise<unknown> =>
  core.run(value, -1, { ...NO_EXTRAS, priority });

const plain = (core: Core, count: number): Promise<unknown>[] =>
  Array.from({ length: count }, (_, number) => core.run(number, -1, undefined));

/** Keeps the only worker busy until everything has been submitted. */
function block(run: (task: unknown) => Promise<unknown>): { blocked: Promise<unknown>; release(): void } {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const blocked = run({ shared, bit: 0 });
  while (Atomics.load(shared, 0) === 0) Atomics.wait(shared, 0, 0, 100);
  return {
    blocked,
    release() {
      Atomics.store(shared, 0, 0);
      Atomics.notify(shared, 0);
    },
  };
}

test('one task with a priority costs the tasks long after it nothing', async (t) => {
  const core = open(t);
  await withPriority(core, 1, 1);
  const soon = plain(core, 100);
  assert.ok(core.slots.inUse <= 1, 'right after a priority, tasks wait on the host');
  await Promise.all(soon);
  await Promise.all(plain(core, MANY));
  const { blocked, release } = block((task) =>
    core.run(task, core.handlers.idOf(FILE, 'markAndWait'), undefined),
  );
  const late = plain(core, 100);
  assert.equal(core.slots.inUse, 101, 'long after it, they wait in the table');
  release();
  await Promise.all([blocked, ...late]);
});

test('tasks of a low priority that still wait keep the order', async (t) => {
  const pool = poolFor(t, { name: 'record' });
  await pool.run(0, { name: 'echo' });
  const { blocked, release } = block((task) => pool.run(task, { name: 'markAndWait' }));
  const low = pool.run('low', { priority: -1 });
  const runs = Array.from({ length: MANY }, (_, number) => pool.run(number));
  const high = pool.run('high', { priority: 1 });
  release();
  await Promise.all([blocked, low, ...runs, high]);
  const order = await pool.run(undefined, { name: 'recorded' });
  assert.deepEqual(order, ['high', ...Array.from({ length: MANY }, (_, number) => number), 'low']);
});

test('a priority after the order has been given up is heeded again', async (t) => {
  const pool = poolFor(t, { name: 'record' });
  await pool.run(0, { name: 'echo', priority: 1 });
  await Promise.all(Array.from({ length: MANY }, () => pool.run(0, { name: 'echo' })));
  const { blocked, release } = block((task) => pool.run(task, { name: 'markAndWait' }));
  const runs = Array.from({ length: MANY }, (_, number) => pool.run(number));
  const high = pool.run('high', { priority: 1 });
  release();
  await Promise.all([blocked, ...runs, high]);
  const order = (await pool.run(undefined, { name: 'recorded' })) as unknown[];
  assert.equal(order[0], 'high');
  assert.deepEqual(
    order.slice(1),
    Array.from({ length: MANY }, (_, number) => number),
  );
});
