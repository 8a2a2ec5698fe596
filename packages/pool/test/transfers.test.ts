import assert from 'node:assert/strict';
import { test } from 'node:test';
import { move } from '@plimsoll/pool';
import { caught, fixture, poolFor, until } from './support.js';
import { folderOf } from './worker-folder.js';

/** What became of a task that was to transfer a buffer: its error, whether that says that the buffer is gone, and whether it is. */
async function fateOf(run: (bytes: Uint8Array) => Promise<unknown>) {
  const bytes = new Uint8Array(100);
  const { code, transferred } = await caught(run(bytes));
  return { code, saysGone: transferred === true, isGone: bytes.byteLength === 0 };
}
const kept = (code: string) => ({ code: `PLIMSOLL_POOL_${code}`, saysGone: false, isGone: false });
const gone = (code: string) => ({ code: `PLIMSOLL_POOL_${code}`, saysGone: true, isGone: true });

test('a task that was not taken still has what it was to transfer', async (t) => {
  const pool = poolFor(t, { maxQueue: 1 });
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

function abortable(): { signal: AbortSignal; abort(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

test('what has left for a worker is gone, and the error says so', async (t) => {
  const folder = folderOf(t, { 'exits.mjs': 'process.exit(3);\n' });
  const pool = poolFor(t);
  await pool.ready();
  assert.deepEqual(await fateOf((bytes) => pool.run(move(bytes), { name: 'missing' })), gone('LOAD_FAILED'));
  assert.deepEqual(
    await fateOf((bytes) => pool.run(move(bytes), { name: 'die', filename: fixture('streams.mjs') })),
    gone('WORKER_EXITED'),
  );
  assert.deepEqual(
    await fateOf((bytes) => pool.run(move(bytes), { name: 'sleep', timeout: 20 })),
    gone('TIMEOUT'),
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

test('an error of the function itself is left as it is', async (t) => {
  const pool = poolFor(t, { filename: fixture('tasks.mjs') });
  const { message, transferred } = await caught(
    pool.run(move(new Uint8Array(9)), { name: 'failWithFunction' }),
  );
  assert.deepEqual([message, transferred], ['carries a function', undefined]);
});
