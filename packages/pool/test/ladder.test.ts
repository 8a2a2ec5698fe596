import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AbortError, type Pool, type PoolOptions, TimeoutError } from '@plimsoll/pool';
import { task } from '@plimsoll/pool/worker';
import { caught, fixture, poolFor, until } from './support.js';

/** Longer than any healthy run needs. */
const LONG = 60_000;

interface Told {
  readonly seen: unknown[];
  readonly thread: number;
}

const poolOf = (t: TestContext, options: PoolOptions = {}): Pool =>
  poolFor(t, { filename: fixture('patient.mjs'), ...options });
const told = async (pool: Pool): Promise<Told> => (await pool.run(0, { name: 'told' })) as Told;
const counter = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));

/** Runs a function until it has begun, then aborts it. */
async function abortOnceBegun(
  pool: Pool,
  name: string,
  grace: number,
  reason?: unknown,
): Promise<Error & Record<string, unknown>> {
  const begun = counter();
  const controller = new AbortController();
  const failure = caught(pool.run(begun, { name, signal: controller.signal, grace }));
  await until(() => Atomics.load(begun, 0) === 1);
  controller.abort(reason);
  return failure;
}

test('a loop sees that it is aborted, and its worker stays', async (t) => {
  const pool = poolOf(t);
  const { thread } = await told(pool);
  const error = await abortOnceBegun(pool, 'loop', LONG, new RangeError('enough'));
  assert.ok(error instanceof AbortError);
  assert.ok(error.cause instanceof RangeError);
  assert.deepEqual(await told(pool), { seen: [['loop', true, 'enough']], thread });
  assert.equal(pool.threads.length, 1);
});

test('the signal of a task that waits is aborted, with the reason', async (t) => {
  const pool = poolOf(t);
  const { thread } = await told(pool);
  const error = await abortOnceBegun(pool, 'wait', LONG, { code: 7 });
  assert.equal(error.code, 'PLIMSOLL_POOL_ABORTED');
  assert.deepEqual(error.cause, { code: 7 });
  assert.deepEqual(await told(pool), { seen: [['wait', true, { code: 7 }]], thread });
});

test('a reason that cannot be cloned aborts all the same; without a reason it is an AbortError', async (t) => {
  const pool = poolOf(t);
  const { thread } = await told(pool);
  const reason = Object.assign(new Error('odd'), { callback: () => 1 });
  assert.equal((await abortOnceBegun(pool, 'loop', LONG, reason)).cause, reason);
  assert.deepEqual(await told(pool), { seen: [['loop', true, 'odd']], thread });
  await abortOnceBegun(pool, 'wait', LONG);
  assert.deepEqual((await told(pool)).seen, [['wait', true, 'AbortError']]);
});

test('a signal that is asked for after the abort is aborted', async (t) => {
  const pool = poolOf(t);
  await abortOnceBegun(pool, 'late', LONG, 'late');
  assert.deepEqual((await told(pool)).seen, [['late', true, 'late']]);
});

test('a task that does not hear is stopped after its grace, and its worker is replaced', async (t) => {
  const pool = poolOf(t);
  const { thread } = await told(pool);
  const error = await abortOnceBegun(pool, 'deaf', 30, 'enough');
  assert.equal(error.cause, 'enough');
  const after = await told(pool);
  assert.notEqual(after.thread, thread);
  assert.equal(pool.threads.length, 1);
});

test('the timeout counts the time in the queue; it asks first, too', async (t) => {
  const pool = poolOf(t);
  const { thread } = await told(pool);
  const gate = counter();
  const held = pool.run(gate, { name: 'held' });
  const queued = await caught(pool.run('never', { name: 'quick', timeout: 20, grace: LONG }));
  assert.ok(queued instanceof TimeoutError);
  Atomics.store(gate, 0, 1);
  await held;
  assert.deepEqual(await told(pool), { seen: [], thread }, 'a task ran that had timed out');
  // Until it is called in time.
  for (const timeout of [200, 2000, 20_000]) {
    const begun = counter();
    const error = await caught(pool.run(begun, { name: 'loop', timeout, grace: LONG }));
    assert.ok(error instanceof TimeoutError);
    assert.equal(error.message, `Task 'loop' took longer than its timeout of ${timeout} ms`);
    const { seen, thread: after } = await told(pool);
    assert.equal(after, thread);
    if (Atomics.load(begun, 0) === 0) continue;
    assert.deepEqual(seen, [['loop', true, error.message]]);
    return;
  }
  assert.fail('it was never called');
});

test('a task that waits is removed at once, whatever its grace', async (t) => {
  const pool = poolOf(t);
  const gate = counter();
  const held = pool.run(gate, { name: 'held' });
  const controllers = [1, 2, 3].map(() => new AbortController());
  const runs = controllers.map(({ signal }, index) =>
    caught(pool.run(index, { name: 'quick', signal, grace: LONG })),
  );
  for (const controller of controllers) controller.abort();
  for (const error of await Promise.all(runs)) assert.equal(error.code, 'PLIMSOLL_POOL_ABORTED');
  assert.equal(pool.queueSize, 0);
  Atomics.store(gate, 0, 1);
  assert.deepEqual(await held, [false, false]);
  assert.deepEqual((await told(pool)).seen, []);
});

test('what ends while it is asked to settles as aborted, also when its worker dies', async (t) => {
  const pool = poolOf(t);
  const gate = new Int32Array(new SharedArrayBuffer(8));
  const controller = new AbortController();
  const held = caught(pool.run(gate, { name: 'held', signal: controller.signal, grace: LONG }));
  await until(() => Atomics.load(gate, 1) === 1);
  controller.abort();
  Atomics.store(gate, 0, 1);
  assert.equal((await held).code, 'PLIMSOLL_POOL_ABORTED');
  const error = await abortOnceBegun(pool, 'dies', LONG, 'enough');
  assert.equal(error.code, 'PLIMSOLL_POOL_ABORTED');
  assert.equal(error.cause, 'enough');
  assert.equal(pool.completed, 2);
  assert.equal(typeof (await told(pool)).thread, 'number');
});

test('a second reason changes nothing', async (t) => {
  const pool = poolOf(t);
  await told(pool);
  // Until the abort comes before the timeout, which comes within the grace.
  for (const timeout of [200, 2000, 20_000]) {
    const begun = counter();
    const controller = new AbortController();
    const { signal } = controller;
    const start = performance.now();
    const run = caught(pool.run(begun, { name: 'deaf', signal, timeout, grace: timeout * 1.5 }));
    await until(() => Atomics.load(begun, 0) === 1 || performance.now() - start > timeout);
    controller.abort('first');
    const isFirst = performance.now() - start < timeout - 5;
    const { cause } = await run;
    if (!isFirst) continue;
    assert.equal(cause, 'first');
    return;
  }
  assert.fail('it was never called in time');
});

test('plain tasks run on while another one has its grace, and close() waits for it', async (t) => {
  const pool = poolOf(t, { minThreads: 2, maxThreads: 2 });
  const begun = counter();
  const controller = new AbortController();
  const deaf = caught(pool.run(begun, { name: 'deaf', signal: controller.signal, grace: 200 }));
  await until(() => Atomics.load(begun, 0) === 1);
  controller.abort();
  const values = Array.from({ length: 50 }, (_, index) => index);
  assert.deepEqual(await Promise.all(values.map((value) => pool.run(value, { name: 'quick' }))), values);
  await pool.close();
  assert.equal((await deaf).code, 'PLIMSOLL_POOL_ABORTED');
  assert.equal(pool.threads.length, 0);
});

test('destroy() does not wait for a grace', async (t) => {
  const pool = poolOf(t);
  const begun = counter();
  const controller = new AbortController();
  const { signal } = controller;
  const runs = [
    caught(pool.run(begun, { name: 'deaf', signal, grace: Number.POSITIVE_INFINITY })),
    caught(pool.run(1, { name: 'quick', signal, grace: LONG })),
  ];
  await until(() => Atomics.load(begun, 0) === 1);
  controller.abort();
  await pool.destroy();
  for (const error of await Promise.all(runs)) assert.equal(error.code, 'PLIMSOLL_POOL_ABORTED');
});

test('a task that may be asked shares its worker with no other one', async (t) => {
  const pool = poolOf(t, { concurrentTasksPerWorker: 4 });
  const { signal } = new AbortController();
  const options = Array.from({ length: 24 }, (_, index) => (index % 3 === 0 ? { signal, grace: LONG } : {}));
  const runs = options.map((option) => pool.run(counter(), { name: 'together', ...option }));
  const alone = await Promise.all(runs);
  for (const [index, isAlone] of alone.entries()) if (index % 3 === 0) assert.equal(isAlone, true);
  assert.ok(alone.includes(false), 'no two plain tasks ran together');
});

test('what a task leaves behind does not see the abort of a later one', async (t) => {
  const pool = poolOf(t);
  const { signal } = new AbortController();
  const asked = new Int32Array(new SharedArrayBuffer(8));
  await pool.run(asked, { name: 'leaves', signal, grace: LONG });
  const later = new AbortController();
  const begun = counter();
  const stays = caught(pool.run(begun, { name: 'stays', signal: later.signal, grace: LONG }));
  await until(() => Atomics.load(begun, 0) === 1);
  later.abort();
  const before = Atomics.load(asked, 1);
  // One of them may have asked before the abort.
  await until(() => Atomics.load(asked, 1) >= before + 2);
  Atomics.store(begun, 0, 2);
  assert.equal((await stays).code, 'PLIMSOLL_POOL_ABORTED');
  Atomics.store(asked, 0, 1);
  const { seen } = await told(pool);
  assert.deepEqual(seen.filter(Array.isArray), [['stays', true]]);
  assert.ok(seen.includes(false) && !seen.includes(true));
});

test('aborts at any moment: each task ends once, and nobody is replaced', async (t) => {
  const pool = poolOf(t, { minThreads: 2, maxThreads: 2 });
  await until(() => pool.idleThreads === 2);
  let destroyed = 0;
  pool.on('workerDestroy', () => destroyed++);
  const ends = { fulfilled: 0, rejected: 0 };
  for (let round = 0; round < 300; round++) {
    const controller = new AbortController();
    const buffer = new ArrayBuffer(20_000);
    const moved = round % 2 === 0 ? { transferList: [buffer] } : {};
    const { signal } = controller;
    const run = pool.run(buffer, { name: 'whenCalled', signal, grace: LONG, ...moved });
    for (let turn = 0; turn < round % 7; turn++) await null;
    if (round % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    const [result] = await Promise.allSettled([run]);
    ends[result.status]++;
    if (result.status === 'rejected') assert.equal(result.reason.code, 'PLIMSOLL_POOL_ABORTED');
    else assert.equal(result.value, 20_000);
  }
  assert.equal(ends.fulfilled + ends.rejected, 300);
  assert.ok(ends.rejected > 0);
  assert.equal(destroyed, 0);
  await until(() => pool.idleThreads === 2);
});

test('a proxy has a grace, too', async (t) => {
  const pool = poolOf(t);
  const { thread } = await told(pool);
  const late = await caught(pool.proxy<{ loop(): string }>({ timeout: 30, grace: LONG }).loop());
  assert.ok(late instanceof TimeoutError);
  assert.equal((await told(pool)).thread, thread);
});

test('grace is checked; outside of a worker nothing is aborted', async (t) => {
  const pool = poolOf(t);
  for (const grace of ['1', -1, Number.NaN]) {
    const error = await caught(pool.run(0, { name: 'quick', grace: grace as number, timeout: 1 }));
    assert.equal(error.code, 'PLIMSOLL_POOL_BAD_OPTION');
    assert.match(error.message, /options\.grace/);
  }
  assert.equal(await pool.run(1, { name: 'quick', grace: 10 }), 1);
  assert.equal(task.aborted, false);
  assert.equal(task.signal.aborted, false);
});
