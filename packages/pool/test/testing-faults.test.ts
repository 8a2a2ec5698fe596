import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Pool, type PoolError, type PoolOptions, type RunOptions, type WorkerError } from '@plimsoll/pool';
import { type Fault, TestPool, type TestPoolOptions } from '@plimsoll/pool/testing';
import { caught, fixture } from './support.js';

const MINUTE = 60_000;
const CODES = {
  exit: 'PLIMSOLL_POOL_WORKER_EXITED',
  crash: 'PLIMSOLL_POOL_WORKER_CRASHED',
  oom: 'PLIMSOLL_POOL_OUT_OF_MEMORY',
  load: 'PLIMSOLL_POOL_LOAD_FAILED',
  start: 'PLIMSOLL_POOL_START_FAILED',
  open: 'PLIMSOLL_POOL_CIRCUIT_OPEN',
};

function poolFor(t: TestContext, options: TestPoolOptions = {}): TestPool {
  const pool = new TestPool({ filename: fixture('deadly.cjs'), minThreads: 1, maxThreads: 1, ...options });
  pool.on('error', () => {});
  t.after(() => pool.destroy());
  return pool;
}

/** What the caller of a task is told of a fault, but for the names of errors of Node and the threads. */
function told(error: Partial<WorkerError>): object {
  const { code, exitCode, taskName, filename, message = '' } = error;
  const cause = error.cause as (Error & { code?: unknown }) | undefined;
  const causes = cause && { name: cause.name, code: cause.code, message: cause.message };
  return { name: error.name, code, exitCode, taskName, filename, message, causes };
}

interface Case {
  readonly fault: Fault;
  readonly options?: PoolOptions;
  /** Of the pool without threads. */
  readonly own?: TestPoolOptions;
  readonly run: RunOptions;
}

const CASES: Record<string, Case> = {
  'an exit': { fault: { kind: 'exit', exitCode: 3 }, run: { name: 'exits' } },
  'a crash': { fault: { kind: 'crash', error: new RangeError('crashed') }, run: { name: 'crashes' } },
  'a full heap': {
    fault: { kind: 'oom' },
    options: { resourceLimits: { maxOldGenerationSizeMb: 16 } },
    run: { name: 'fills' },
  },
  'no answer': { fault: { kind: 'hang' }, run: { name: 'sleeps', timeout: 50 } },
  'no answer, with a grace': { fault: { kind: 'hang' }, run: { name: 'sleeps', timeout: 50, grace: 20 } },
  'a file that cannot be loaded': {
    fault: { kind: 'load', error: new SyntaxError('this file fails to load') },
    options: { filename: fixture('broken.mjs') },
    own: { load: () => ({ default: () => 'loaded' }) },
    run: {},
  },
  'a worker that cannot start': {
    fault: { kind: 'start', exitCode: 7 },
    options: { filename: fixture('cannot-boot.mjs'), workerData: new Int32Array(new SharedArrayBuffer(8)) },
    run: {},
  },
};

for (const [what, { fault, options = {}, own, run }] of Object.entries(CASES)) {
  test(`the caller is told of ${what} as by a real worker`, async (t) => {
    const common = { filename: fixture('deadly.cjs'), minThreads: 1, maxThreads: 1, ...options };
    const [real, simulated] = [new Pool(common), poolFor(t, { ...common, ...own })];
    real.on('error', () => {});
    t.after(() => real.destroy());
    const injected = simulated.inject(fault);
    const [one, other] = await Promise.all([real, simulated].map((pool) => caught(pool.run(0, run))));
    assert.deepEqual(told(other as never), told(one as never));
    assert.equal(injected.hits, 1);
    if (fault.kind === 'start' || fault.kind === 'load') return;
    assert.equal(await simulated.run('after'), 'after');
    assert.deepEqual(
      simulated.threads.map(({ threadId }) => threadId),
      [2],
    );
  });
}

test('the which call, how many, and of which function', async (t) => {
  const pool = poolFor(t);
  const codeOf = (name: string): Promise<unknown> =>
    pool.run(1, { name }).then(
      () => 'fine',
      ({ code }) => code,
    );
  const third = pool.inject({ kind: 'exit', nth: 3 });
  const records = pool.inject({ kind: 'crash', name: 'record', nth: 2, times: 2 });
  const names = ['record', 'join', 'record', 'record', 'record', 'join'];
  const codes = [];
  for (const name of names) codes.push(await codeOf(name));
  // The third call is the second of `record` as well: what was injected first hits, the other one with the next call.
  assert.deepEqual(codes, ['fine', 'fine', CODES.exit, CODES.crash, CODES.crash, 'fine']);
  assert.deepEqual([third.hits, records.hits], [1, 2]);
  const all = pool.inject({ kind: 'load', times: Number.POSITIVE_INFINITY });
  for (let call = 0; call < 5; call++) assert.equal(await codeOf('join'), CODES.load);
  assert.equal(all.hits, 5);
});

test('a worker dies before the function does anything, or after it has done all', async (t) => {
  const calls: string[] = [];
  const load = () => ({
    default: (name: string) => calls.push(name),
    later: async (name: string) => calls.push(name),
  });
  const pool = poolFor(t, { load });
  for (const name of ['default', 'later'])
    for (const when of ['before', 'after'] as const) {
      pool.inject({ kind: 'exit', when });
      assert.equal((await caught(pool.run(`${name} ${when}`, { name }))).code, CODES.exit);
    }
  assert.deepEqual(calls, ['default after', 'later after']);
  pool.inject({ kind: 'oom', when: 'after' });
  // Done twice: what `retry` must be used for with care.
  await pool.run('twice', { retry: { on: ['oom'], max: 1 } });
  assert.deepEqual(calls.slice(2), ['twice', 'twice']);
  pool.inject({ kind: 'hang', when: 'after' });
  assert.equal((await caught(pool.run('silent', { timeout: MINUTE }))).code, 'PLIMSOLL_POOL_TIMEOUT');
  assert.equal(calls.at(-1), 'silent');
});

test('retries, with their backoff; what they are not for; what was transferred', async (t) => {
  const pool = poolFor(t, { retry: { on: ['crash', 'oom'], max: 2, backoff: 1000 } });
  pool.inject({ kind: 'crash', times: 2 });
  assert.equal(await pool.run(1), 1);
  assert.equal(pool.duration, 3000);
  const oom = pool.inject({ kind: 'oom', times: 5 });
  assert.equal((await caught(pool.run(1))).code, CODES.oom);
  assert.equal(oom.hits, 3);
  const none = poolFor(t, { retry: { on: ['crash'] } });
  none.inject({ kind: 'exit' });
  assert.equal((await caught(none.run(1))).code, CODES.exit);
  none.inject({ kind: 'crash' });
  const buffer = new ArrayBuffer(20_000);
  const error = await caught(none.run(buffer, { name: 'sizeOf', transferList: [buffer] }));
  assert.equal(error.code, 'PLIMSOLL_POOL_NOT_RETRYABLE');
});

test('a retry in the middle of close() is waited for', async (t) => {
  const pool = poolFor(t, { retry: { max: 1, backoff: 5000 } });
  pool.inject({ kind: 'exit' });
  const run = pool.run(1);
  await pool.close();
  assert.equal(await run, 1);
  assert.equal(pool.duration, 5000);
});

test('the breaker, until its pause is over', async (t) => {
  const pool = poolFor(t, { minThreads: 0, breaker: { failures: 2, pause: 1000 } });
  const fault = pool.inject({ kind: 'start', times: 2, error: new Error('no such preload') });
  const codes = [];
  for (let run = 0; run < 4; run++) codes.push((await caught(pool.run(run))).code);
  assert.deepEqual(codes, [CODES.start, CODES.start, CODES.open, CODES.open]);
  const { cause } = await caught<PoolError>(pool.run(0));
  assert.match((cause as Error).message, /before it was ready, with exit code 1: no such preload$/);
  assert.equal(fault.hits, 2);
  await pool.advance(1000);
  assert.equal(await pool.run(5), 5);
});

test('those that share a worker die together, others do not', async (t) => {
  const pool = poolFor(t, { concurrentTasksPerWorker: 2, minThreads: 2, maxThreads: 2, manual: true });
  pool.inject({ kind: 'crash', nth: 3 });
  const runs = [1, 2, 3, 4].map((value) =>
    pool.run(value).then(
      () => 'fine',
      ({ code }) => code,
    ),
  );
  const steps = await pool.runAll();
  const died = steps
    .filter(({ kind }) => kind === 'call')
    .slice(0, 3)
    .map(({ threadId }) => threadId);
  const alike = died.map((threadId) => (threadId === died[2] ? CODES.crash : 'fine'));
  assert.deepEqual(await Promise.all(runs), [...alike, 'fine']);
});

test('map() ends with the reason, or goes on with retry', async (t) => {
  const pool = poolFor(t, { minThreads: 2, maxThreads: 2 });
  pool.inject({ kind: 'exit', nth: 4 });
  const got: unknown[] = [];
  const items = [1, 2, 3, 4, 5, 6];
  const loop = async (options = {}): Promise<void> => {
    for await (const value of pool.map(items, options)) got.push(value);
  };
  assert.equal((await caught(loop())).code, CODES.exit);
  assert.deepEqual(got.splice(0), [1, 2, 3]);
  pool.inject({ kind: 'exit', nth: 4 });
  await loop({ retry: { max: 1 } });
  assert.deepEqual(got, items);
});

test('bad faults are refused', (t) => {
  const pool = poolFor(t);
  const bad: unknown[] = [
    undefined,
    'crash',
    {},
    { kind: 'abort' },
    { kind: 'crash', nth: 0 },
    { kind: 'crash', nth: 1.5 },
    { kind: 'crash', times: 0 },
    { kind: 'crash', times: '1' },
    { kind: 'crash', when: 'now' },
    { kind: 'crash', name: 1 },
    { kind: 'crash', exitCode: 1 },
    { kind: 'exit', exitCode: 256 },
    { kind: 'load', when: 'after' },
    { kind: 'start', when: 'after' },
    { kind: 'start', name: 'default' },
  ];
  for (const fault of bad)
    assert.throws(
      () => pool.inject(fault as never),
      { code: 'PLIMSOLL_POOL_BAD_OPTION' },
      JSON.stringify(fault),
    );
});
