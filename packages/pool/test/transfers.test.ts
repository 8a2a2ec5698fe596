import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { move, type Pool, type PoolOptions, type RunOptions } from '@plimsoll/pool';
import { caught, fixture, poolFor, until } from './support.js';
import { folderOf } from './worker-folder.js';

/** Bytes that are not copied. */
const LARGE = 20_000;

/** What became of a task that was to transfer a buffer: its error, whether that says that the buffer is gone, and whether it is. */
async function fateOf(run: (bytes: Uint8Array) => Promise<unknown>) {
  const bytes = new Uint8Array(LARGE);
  const { code, transferred } = await caught(run(bytes));
  return { code, saysGone: transferred === true, isGone: bytes.byteLength === 0 };
}
const kept = (code: string) => ({ code: `PLIMSOLL_POOL_${code}`, saysGone: false, isGone: false });
const gone = (code: string) => ({ code: `PLIMSOLL_POOL_${code}`, saysGone: true, isGone: true });

test('a task that was not taken still has what it was to transfer', async (t) => {
  const pool = poolFor(t, { maxQueue: 1, retry: { max: 1 } });
  // What a worker that starts has been posted is gone, as here it may be until the host has read that it is ready.
  await pool.ready();
  const run = (bytes: Uint8Array, options = {}): Promise<unknown> => pool.run(move(bytes), options);
  const uncloneable = { transferList: [] as never[], name: 'echo' };
  assert.deepEqual(
    await fateOf((bytes) =>
      pool.run({ bytes, bad: () => {} }, { ...uncloneable, transferList: [bytes.buffer] as never }),
    ),
    kept('UNCLONEABLE'),
  );
  const aborted = AbortSignal.abort();
  assert.deepEqual(await fateOf((bytes) => run(bytes, { signal: aborted })), kept('ABORTED'));
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const running = pool.run({ shared, bit: 0 }, { name: 'markAndWait' });
  await until(() => Atomics.load(shared, 0) === 1);
  const { signal, abort } = abortable();
  const waits = fateOf((bytes) => run(bytes, { signal }));
  assert.deepEqual(await fateOf(run), kept('QUEUE_FULL'));
  abort();
  assert.deepEqual(await waits, kept('ABORTED'));
  assert.deepEqual(await fateOf((bytes) => run(bytes, { timeout: 5 })), kept('TIMEOUT'));
  const cleared = fateOf(run);
  pool.clear();
  assert.deepEqual(await cleared, kept('ABORTED'));
  Atomics.store(shared, 0, 0);
  Atomics.notify(shared, 0);
  await running;
  await pool.close();
  assert.deepEqual(await fateOf(run), kept('CLOSED'));
});

function neverEnds(pool: Pool, bytes: Uint8Array, options: RunOptions): Promise<unknown> {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const transferList = [bytes.buffer as ArrayBuffer];
  return pool.run({ shared, bit: 0, bytes }, { name: 'markAndWait', transferList, ...options });
}

function abortable(): { signal: AbortSignal; abort(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

test('what has left for a worker is gone, and the error says so', async (t) => {
  const folder = folderOf(t, { 'exits.mjs': 'process.exit(3);\n' });
  const pool = poolFor(t);
  await pool.ready();
  assert.deepEqual(await fateOf((bytes) => pool.run(move(bytes), { name: 'missing' })), gone('LOAD_FAILED'));
  // While the worker is there: the task leaves at once, however long a worker takes to start.
  assert.deepEqual(await fateOf((bytes) => neverEnds(pool, bytes, { timeout: 20 })), gone('TIMEOUT'));
  assert.deepEqual(
    await fateOf((bytes) => pool.run(move(bytes), { name: 'die', filename: fixture('streams.mjs') })),
    gone('WORKER_EXITED'),
  );
  const retry = { max: 1 };
  assert.deepEqual(
    await fateOf((bytes) => pool.run(move(bytes), { name: 'die', filename: fixture('streams.mjs'), retry })),
    gone('NOT_RETRYABLE'),
  );
  const broken = poolFor(t, {
    filename: `${folder}/exits.mjs`,
    execArgv: ['--require', `${folder}/exits.mjs`],
  });
  // What starts after that fails with nobody waiting.
  broken.on('error', () => {});
  assert.deepEqual(await fateOf((bytes) => broken.run(move(bytes))), gone('START_FAILED'));
});

/** Keeps a worker busy until it is told to go on. */
function busy(pool: Pool, options: RunOptions = {}): { begun: Promise<void>; end(): Promise<unknown> } {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const running = pool.run({ shared, bit: 0 }, { name: 'markAndWait', ...options });
  return {
    begun: until(() => Atomics.load(shared, 0) === 1),
    end: () => {
      Atomics.store(shared, 0, 0);
      Atomics.notify(shared, 0);
      return running;
    },
  };
}
const buffers = (count: number): Uint8Array[] => Array.from({ length: count }, () => new Uint8Array(LARGE));
const countGone = (all: readonly Uint8Array[]): number =>
  all.filter((bytes) => bytes.byteLength === 0).length;

test('what some tasks transfer leaves for the only worker while that is busy', async (t) => {
  const pool = poolFor(t);
  const { begun, end } = busy(pool);
  await begun;
  const sent = buffers(40);
  const results = sent.map((bytes) => pool.run(move(bytes), { name: 'echo' }) as Promise<Uint8Array>);
  assert.equal(countGone(sent), 14);
  await end();
  assert.deepEqual(await Promise.all(results), buffers(40));
});

const careful: Record<string, [PoolOptions, RunOptions]> = {
  'one of two workers': [{ minThreads: 2, maxThreads: 2 }, {}],
  'a worker whose task may be aborted': [{}, { signal: new AbortController().signal }],
  'a worker whose task has a timeout': [{}, { timeout: 60_000 }],
  'a worker whose tasks run again': [{ retry: { max: 1 } }, {}],
  'a worker that is replaced after so many tasks': [{ maxTasksPerWorker: 9 }, {}],
  'a worker that is replaced for its heap': [{ maxHeapMb: 500 }, {}],
};
for (const [who, [options, running]] of Object.entries(careful)) {
  test(`nothing leaves for ${who} while that is busy`, async (t) => {
    const pool = poolFor(t, options);
    await pool.ready();
    const all = Array.from({ length: options.maxThreads ?? 1 }, () => busy(pool, running));
    await Promise.all(all.map(({ begun }) => begun));
    const sent = buffers(3);
    const results = sent.map((bytes) => pool.run(move(bytes), { name: 'echo' }) as Promise<Uint8Array>);
    assert.equal(countGone(sent), 0);
    await Promise.all(all.map(({ end }) => end()));
    assert.deepEqual(await Promise.all(results), buffers(3));
  });
}

test('what has left for a busy worker is lost with it, and what has not runs elsewhere', async (t) => {
  const source = `
    export const leave = (shared) => {
      Atomics.store(shared, 0, 1);
      Atomics.wait(shared, 1, 0);
      process.exit(3);
    };
    export const echo = (value) => value;\n`;
  const folder = folderOf(t, { 'leaves.mjs': source });
  const pool = poolFor(t, { filename: `${folder}/leaves.mjs` });
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const leaving = caught(pool.run(shared, { name: 'leave' }));
  await until(() => Atomics.load(shared, 0) === 1);
  const sent = buffers(16);
  const fates = Promise.allSettled(sent.map((bytes) => pool.run(move(bytes), { name: 'echo' })));
  Atomics.store(shared, 1, 1);
  Atomics.notify(shared, 1);
  assert.equal((await leaving).code, 'PLIMSOLL_POOL_WORKER_EXITED');
  const outcomes = await fates;
  for (const outcome of outcomes.slice(0, 14)) {
    assert(outcome.status === 'rejected');
    const { code, transferred } = outcome.reason;
    assert.deepEqual([code, transferred], ['PLIMSOLL_POOL_WORKER_EXITED', true]);
  }
  assert.deepEqual(
    outcomes.slice(14).map(({ status }) => status),
    ['fulfilled', 'fulfilled'],
  );
});

test('an error of the function itself is left as it is', async (t) => {
  const pool = poolFor(t, { filename: fixture('tasks.mjs') });
  const { message, transferred } = await caught(
    pool.run(move(new Uint8Array(9)), { name: 'failWithFunction' }),
  );
  assert.deepEqual([message, transferred], ['carries a function', undefined]);
});

test('a worker waits a moment for the next huge buffer before its event loop goes on', async (t) => {
  const source = `
    let lag;
    export default () => {
      const from = performance.now();
      lag = new Promise((resolve) => setImmediate(() => resolve(performance.now() - from)));
    };
    export const lagOf = () => lag;\n`;
  const pool = poolFor(t, { filename: `${folderOf(t, { 'lags.mjs': source })}/lags.mjs` });
  const lagAfter = async (bytes: number): Promise<number> => {
    await pool.run(move(new Uint8Array(bytes)));
    // Not what it waits for.
    await sleep(30);
    return pool.run(undefined, { name: 'lagOf' }) as Promise<number>;
  };
  assert((await lagAfter(2 ** 25 + 1)) >= 5);
  let tries = 0;
  while ((await lagAfter(100)) >= 5) assert(++tries < 200);
});
