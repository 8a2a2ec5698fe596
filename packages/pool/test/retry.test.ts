import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Pool, type PoolOptions, TimeoutError, WorkerError } from '@plimsoll/pool';
import { ArrayTaskQueue } from '@plimsoll/pool/piscina';
import { caught, fixture, piscinaFor, poolFor, until } from './support.js';

/** Longer than any healthy run needs. */
const LONG = 60_000;
const failed = 'PLIMSOLL_POOL_START_FAILED';
const open = 'PLIMSOLL_POOL_CIRCUIT_OPEN';
const CODES = {
  exit: 'PLIMSOLL_POOL_WORKER_EXITED',
  crash: 'PLIMSOLL_POOL_WORKER_CRASHED',
  oom: 'PLIMSOLL_POOL_OUT_OF_MEMORY',
};

const poolOf = (t: TestContext, options: PoolOptions = {}): Pool => {
  const pool = poolFor(t, { filename: fixture('mortal.mjs'), ...options });
  pool.on('error', () => {});
  return pool;
};
const counters = (): Int32Array => new Int32Array(new SharedArrayBuffer(8));

for (const how of ['exit', 'crash', 'oom'] as const) {
  test(`a task that died with its worker (${how}) runs again, as often as it may`, async (t) => {
    const pool = poolOf(t, { resourceLimits: { maxOldGenerationSizeMb: 16 } });
    const calls = counters();
    const retry = { max: 2 };
    assert.equal(await pool.run({ calls, times: 2, how }, { name: 'dies', retry }), 2);
    const error = await caught(pool.run({ calls, times: 99, how }, { name: 'dies', retry: { max: 1 } }));
    assert.ok(error instanceof WorkerError);
    assert.equal(error.code, CODES[how]);
    assert.equal(calls[0], 5);
    assert.equal(pool.completed, 2);
  });

  test(`only what \`on\` names is retried: not ${how}`, async (t) => {
    const pool = poolOf(t, { resourceLimits: { maxOldGenerationSizeMb: 16 } });
    const on = (['exit', 'crash', 'oom'] as const).filter((other) => other !== how);
    const calls = counters();
    const error = await caught(pool.run({ calls, times: 1, how }, { name: 'dies', retry: { on } }));
    assert.equal(error.code, CODES[how]);
    assert.equal(calls[0], 1);
  });
}

test('the pool may retry every task, and a task may say otherwise', async (t) => {
  const pool = poolOf(t, { name: 'dies', retry: { max: 1 } });
  const [pools, own, none] = [counters(), counters(), counters()];
  assert.equal(await pool.run({ calls: pools, times: 1 }), 1);
  assert.equal(await pool.run({ calls: own, times: 3 }, { retry: { max: 3 } }), 3);
  const error = await caught(pool.run({ calls: none, times: 1 }, { retry: { max: 0 } }));
  assert.equal(error.code, CODES.exit);
  assert.equal(none[0], 1);
  const proxied = counters();
  const api = pool.proxy<{ dies(options: object): number }>();
  assert.equal(await api.dies({ calls: proxied, times: 1 }), 1);
});

test('a task without options of its own is retried no more often than the pool says', async (t) => {
  const pool = poolOf(t, { name: 'dies', retry: { max: 2 } });
  const [run, proxied] = [counters(), counters()];
  const queued = pool.run({ calls: run, times: 99 });
  const called = pool.proxy<{ dies(options: object): number }>().dies({ calls: proxied, times: 99 });
  assert.equal((await caught(queued)).code, CODES.exit);
  assert.equal((await caught(called)).code, CODES.exit);
  assert.deepEqual([run[0], proxied[0]], [3, 3]);
});

test('what a task throws is not retried', async (t) => {
  const pool = poolOf(t, { retry: { max: 5 } });
  const calls = counters();
  assert.ok((await caught(pool.run({ calls }, { name: 'throws' }))) instanceof RangeError);
  assert.equal(calls[0], 1);
});

test('what was transferred is gone, so the task cannot run again', async (t) => {
  const pool = poolOf(t);
  const buffer = new ArrayBuffer(20_000);
  const options = { name: 'diesWith', transferList: [buffer], retry: { max: 5 } };
  const error = await caught<WorkerError>(pool.run(buffer, options));
  assert.equal(error.code, 'PLIMSOLL_POOL_NOT_RETRYABLE');
  assert.ok(error instanceof WorkerError);
  assert.equal(error.exitCode, 20_000);
  assert.equal((error.cause as WorkerError).code, CODES.exit);
  assert.equal(typeof (await pool.run(0, { name: 'thread' })), 'number');
});

/** A task that has died once and waits for its backoff. */
async function inBackoff(pool: Pool, options: object = {}): Promise<[Promise<unknown>, Int32Array]> {
  const calls = counters();
  const retry = { max: 1, backoff: LONG };
  const run = pool.run({ calls, times: 1 }, { name: 'dies', retry, ...options });
  run.catch(() => {});
  await until(() => calls[0] === 1);
  // By the worker that has come in the place of the dead one.
  await pool.run(0, { name: 'thread' });
  return [run, calls];
}

test('abort and timeout end a task in its backoff', async (t) => {
  const pool = poolOf(t);
  const controller = new AbortController();
  const [run, calls] = await inBackoff(pool, { signal: controller.signal });
  controller.abort('enough');
  assert.equal((await caught(run)).cause, 'enough');
  // It has run once, if the worker was there in time.
  for (let timeout = 500; calls[0] === 1; timeout *= 3) {
    const options = { name: 'dies', timeout, retry: { backoff: LONG } };
    assert.ok((await caught(pool.run({ calls, times: 9 }, options))) instanceof TimeoutError);
    assert.equal(pool.queueSize, 0);
  }
  assert.equal(calls[0], 2);
});

test('close() waits for a task that runs again; with force it rejects it, and destroy() does', async (t) => {
  const waiting = poolOf(t);
  const calls = counters();
  const run = waiting.run({ calls, times: 2 }, { name: 'dies', retry: { backoff: 30 } });
  const closed = waiting.close();
  assert.equal(await run, 2);
  await closed;
  assert.equal(waiting.threads.length, 0);
  const forced = poolOf(t);
  const [rejected] = await inBackoff(forced);
  await forced.close({ force: true });
  assert.equal((await caught(rejected)).code, 'PLIMSOLL_POOL_ABORTED');
  const destroyed = poolOf(t);
  const [lost] = await inBackoff(destroyed);
  await destroyed.destroy();
  assert.equal((await caught(lost)).code, 'PLIMSOLL_POOL_CLOSED');
});

test('innocent tasks on a worker that dies run again when their owner allows it', async (t) => {
  const pool = poolOf(t, { concurrentTasksPerWorker: 3 });
  const [gates, calls] = [counters(), counters()];
  const allowed = pool.run(gates, { name: 'waits', retry: { max: 1 } });
  const other = caught(pool.run(gates, { name: 'waits' }));
  await until(() => Atomics.load(gates, 1) === 2);
  const guilty = caught(pool.run({ calls, times: 1 }, { name: 'dies' }));
  assert.equal((await guilty).code, CODES.exit);
  assert.equal((await other).code, CODES.exit);
  await until(() => Atomics.load(gates, 1) === 3);
  Atomics.store(gates, 0, 1);
  assert.equal(typeof (await allowed), 'number');
});

test('a task runs again through a queue of the user’s, also one that throws', async (t) => {
  let isBroken = false;
  class Own extends ArrayTaskQueue {
    override unshift(task: never): void {
      if (isBroken) throw new Error('full');
      this.tasks.unshift(task);
    }
  }
  const filename = fileURLToPath(fixture('mortal.mjs'));
  const pool = piscinaFor(t, { filename, taskQueue: new Own(), retry: {} });
  const calls = counters();
  assert.equal(await pool.run({ calls, times: 1 }, { name: 'dies' }), 1);
  isBroken = true;
  const error = await caught(pool.run({ calls, times: 9 }, { name: 'dies' }));
  assert.equal(error.message, 'full');
});

test('many tasks that kill their workers at the same time are each retried as often as they may', async (t) => {
  const pool = poolOf(t, { maxThreads: 3 });
  const runs = Array.from({ length: 12 }, (_, index) => ({ calls: counters(), times: index % 4 }));
  const retry = { max: 2, backoff: 1 };
  const results = await Promise.allSettled(runs.map((run) => pool.run(run, { name: 'dies', retry })));
  for (const [index, result] of results.entries()) {
    assert.equal(result.status, index % 4 === 3 ? 'rejected' : 'fulfilled');
    assert.equal(runs[index]?.calls[0], (index % 4) + (index % 4 === 3 ? 0 : 1));
  }
  assert.equal(pool.completed, 12);
});

/** Moves its end into the past, so that no time of this process matters. */
function endPause(pool: Pool): void {
  const { breaker } = (pool as unknown as { core: { breaker: { until: number } } }).core;
  assert.ok(breaker.until > 0);
  breaker.until = 1;
}

/** A pool whose workers count their starts, and fail in them until `loads[1]` is 1. */
function unbootable(t: TestContext, breaker: { failures: number; pause: number }, maxThreads = 1) {
  const loads = counters();
  const filename = fixture('cannot-boot.mjs');
  return { loads, pool: poolOf(t, { filename, workerData: loads, minThreads: 0, maxThreads, breaker }) };
}

test('a file that cannot boot opens the breaker: no further worker is started until the pause is over', async (t) => {
  const { pool, loads } = unbootable(t, { failures: 3, pause: LONG });
  const codes: unknown[] = [];
  for (let run = 0; run < 6; run++) codes.push((await caught(pool.run(run))).code);
  assert.deepEqual(codes, [failed, failed, failed, open, open, open]);
  assert.equal(loads[0], 3);
  const { cause } = await caught<WorkerError>(pool.run(0));
  assert.equal((cause as WorkerError).code, failed);
  assert.equal((cause as WorkerError).exitCode, 7);
  assert.equal(pool.threads.length, 0);
  // One is tried; it fails, and that is enough.
  endPause(pool);
  assert.equal((await caught(pool.run(0))).code, failed);
  assert.equal((await caught(pool.run(0))).code, open);
  assert.equal(loads[0], 4);
  Atomics.store(loads, 1, 1);
  endPause(pool);
  assert.equal(await pool.run('boots'), 'boots');
  Atomics.store(loads, 1, 0);
  assert.equal(await pool.run('boots'), 'boots');
});

test('a pause of the breaker ends by itself', async (t) => {
  const { pool, loads } = unbootable(t, { failures: 1, pause: 20 });
  assert.equal((await caught(pool.run(0))).code, failed);
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal((await caught(pool.run(0))).code, failed);
  assert.equal(loads[0], 2);
});

for (const failures of [1, 3])
  test(`after a pause one worker is tried, whatever tasks wait: ${failures} failures`, async (t) => {
    const { pool, loads } = unbootable(t, { failures, pause: LONG }, 4);
    for (let run = 0; run < failures; run++) assert.equal((await caught(pool.run(run))).code, failed);
    for (const key of [undefined, 'k']) {
      const before = Atomics.load(loads, 0);
      endPause(pool);
      const runs = [1, 2, 3, 4].map((run) => caught(pool.run(run, { key: key && `${key}${run}` })));
      for (const error of await Promise.all(runs)) assert.equal(error.code, failed);
      assert.equal(Atomics.load(loads, 0), before + 1);
    }
  });

test('ready() is kept when the last worker dies during a pause', { timeout: LONG }, async (t) => {
  const words = counters();
  const filename = fixture('second-start-fails.mjs');
  const breaker = { failures: 1, pause: 2000 };
  const pool = poolOf(t, { filename, workerData: words, maxThreads: 2, breaker });
  await pool.ready();
  const dying = caught(pool.run('die'));
  const waiting = caught(pool.run(1));
  await until(() => words[0] === 2 && pool.threads.length === 1);
  pool.resize({ minThreads: 2 });
  const ready = pool.ready();
  pool.clear();
  Atomics.store(words, 1, 1);
  await Promise.all([dying, waiting]);
  await ready;
  assert.equal(pool.threads.length, 2);
});

test('a pool with an open breaker keeps no worker coming, and serves what its other workers can', async (t) => {
  const loads = counters();
  Atomics.store(loads, 1, 1);
  const filename = fixture('cannot-boot.mjs');
  const pool = poolOf(t, {
    filename,
    workerData: loads,
    maxThreads: 2,
    idleTimeout: Number.POSITIVE_INFINITY,
    breaker: { failures: 1, pause: LONG },
  });
  assert.equal(await pool.run(1), 1);
  Atomics.store(loads, 1, 0);
  const values = Array.from({ length: 200 }, (_, index) => index);
  assert.deepEqual(await Promise.all(values.map((value) => pool.run(value))), values);
  await until(() => pool.threads.length === 1);
  const runs = values.map((value) => pool.run(value));
  assert.equal(pool.threads.length, 1);
  assert.deepEqual(await Promise.all(runs), values);
  assert.equal(loads[0], 2);
});

test('a breaker that is told never to open starts a worker for each task', async (t) => {
  const loads = counters();
  const pool = poolOf(t, {
    filename: fixture('cannot-boot.mjs'),
    workerData: loads,
    minThreads: 0,
    breaker: { failures: Number.POSITIVE_INFINITY },
  });
  for (let run = 0; run < 7; run++)
    assert.equal((await caught(pool.run(run))).code, 'PLIMSOLL_POOL_START_FAILED');
  assert.equal(loads[0], 7);
});

test('bad retry options of a task reject it', async (t) => {
  const pool = poolOf(t);
  for (const retry of [1, null, { on: ['abort'] }, { max: 0.5 }, { backoff: -1 }]) {
    const error = await caught(pool.run(0, { name: 'thread', retry: retry as never }));
    assert.equal(error.code, 'PLIMSOLL_POOL_BAD_OPTION');
    assert.match(error.message, /^options\.retry/);
  }
});
