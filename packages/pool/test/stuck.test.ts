import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool, PoolError } from '@plimsoll/pool';
import { Core } from '../dist/host/core.js';
import { fillOptions } from '../dist/host/options.js';
import { geometryFor } from '../dist/host/state.js';
import { NO_EXTRAS } from '../dist/host/task.js';
import { caught, fixture, until } from './support.js';

/** A FIFO whose readers block inside a system call until the test ends. */
function fifo(t: TestContext): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'plimsoll-fifo-')));
  const path = join(directory, 'fifo');
  assert.equal(spawnSync('mkfifo', [path]).status, 0);
  t.after(() => rmSync(directory, { recursive: true }));
  return path;
}

/** Lets everybody read: until then this process could not end. */
function release(path: string): void {
  const end = openSync(path, 'r+');
  writeSync(end, '.'.repeat(100));
  closeSync(end);
}

/** The other end of a FIFO. Blocks this thread until somebody reads. */
function openForReader(path: string): number {
  for (const end = performance.now() + 30_000; performance.now() < end; ) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    }
  }
  return assert.fail('nobody reads');
}

const [READ, OPENAT] = process.arch === 'arm64' ? ['63', '56'] : ['0', '257'];

/** The system calls that threads of this process are inside of, with their arguments. */
const systemCalls = (): string[] =>
  readdirSync('/proc/self/task').map((thread) => {
    try {
      return readFileSync(`/proc/self/task/${thread}/syscall`, 'latin1');
    } catch {
      return ''; // It has ended.
    }
  });

/** So many have said that they read, and are inside the kernel. */
async function isReading(shared: Int32Array, tasks: number): Promise<void> {
  const areOpening = (): boolean =>
    systemCalls().filter((call) => call.startsWith(`${OPENAT} `)).length === tasks;
  await until(() => shared[0] === tasks && areOpening());
}

/** Waits, without a turn of this thread's event loop, until somebody is inside a read of a file descriptor. */
function waitForReader(path: string): void {
  const isReader = (call: string): boolean => {
    const [number, descriptor] = call.split(' ');
    return number === READ && isAt(`/proc/self/fd/${Number(descriptor)}`, path);
  };
  for (const end = performance.now() + 30_000; !systemCalls().some(isReader); )
    assert.ok(performance.now() < end, 'nobody is inside a read');
}

function isAt(link: string, path: string): boolean {
  try {
    return readlinkSync(link) === path;
  } catch {
    return false;
  }
}

/** What comes if nothing else does; this process does not wait for it. */
const late = (): Promise<string> => pause(60_000, 'late', { ref: false });

const skip = process.platform !== 'linux' && 'needs mkfifo';

test('what a worker ended before it hung is not kept from its caller', { skip }, async (t) => {
  const path = fifo(t);
  const pool = new Pool({ filename: fixture('stuck.cjs'), minThreads: 1, maxThreads: 1, closeTimeout: 200 });
  pool.on('error', () => {});
  await pool.run(1, { name: 'double' });
  const controller = new AbortController();
  const ended = pool.run(2, { name: 'double' });
  const read = caught(pool.run(path, { name: 'readQuietly', signal: controller.signal }));
  const writer = openForReader(path);
  try {
    // From its open to its read the worker could still be stopped.
    waitForReader(path);
    // Only now does the host hear of either task.
    controller.abort();
    assert.equal((await read).name, 'AbortError');
    assert.equal(await Promise.race([ended, late()]), 4);
    assert.equal((await caught(pool.destroy())).code, 'PLIMSOLL_POOL_CLOSE_TIMEOUT');
  } finally {
    closeSync(writer);
  }
});

test('a pool goes on however many threads hang in a native call', { skip }, async (t) => {
  const path = fifo(t);
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const pool = new Pool({ filename: fixture('stuck.cjs'), minThreads: 1, maxThreads: 1, closeTimeout: 200 });
  try {
    for (let task = 1; task <= 12; task++) {
      const controller = new AbortController();
      const read = caught(pool.run({ path, shared }, { name: 'read', signal: controller.signal }));
      await isReading(shared, task);
      controller.abort();
      assert.equal((await read).name, 'AbortError');
    }
    assert.equal(await pool.run(2, { name: 'double' }), 4);
    // Now the host keeps the order, and gives workers no more than they can run at a time.
    assert.equal(await Promise.race([pool.run(3, { name: 'double', priority: 1 }), late()]), 6);
    const failure = await caught(pool.destroy());
    assert.ok(failure instanceof PoolError);
    assert.match(failure.message, /^12 stopped workers cannot end/);
    assert.equal(failure.code, 'PLIMSOLL_POOL_CLOSE_TIMEOUT');
  } finally {
    release(path);
  }
});

test('what waits for a worker whose thread hangs goes on elsewhere, or ends', { skip }, async (t) => {
  const path = fifo(t);
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const pool = new Pool({ filename: fixture('stuck.cjs'), minThreads: 2, maxThreads: 2, closeTimeout: 200 });
  const key = 'k';
  const stopped = 'PLIMSOLL_POOL_WORKER_STOPPED';
  try {
    await pool.ready();
    const stream = pool.stream(9, { name: 'count', key, highWaterMark: 1 });
    await stream.next();
    const controller = new AbortController();
    const read = caught(pool.run({ path, shared }, { name: 'read', key, signal: controller.signal }));
    await isReading(shared, 1);
    const waiting = [1, 2].map((value) => pool.run(value, { name: 'double', key }));
    const parts = pool.broadcast(3, { name: 'double' });
    const item = caught(stream.next());
    controller.abort();
    assert.equal((await read).name, 'AbortError');
    assert.deepEqual(await Promise.race([Promise.all(waiting), late()]), [2, 4]);
    const [lost, done] = (await parts).sort((one, other) => other.status.localeCompare(one.status));
    assert.equal(lost?.status === 'rejected' && (lost.reason as PoolError).code, stopped);
    assert.equal(done?.status === 'fulfilled' && done.value, 6);
    assert.equal((await item).code, stopped);
    await pool.onIdle();
    assert.equal((await caught(pool.destroy())).code, 'PLIMSOLL_POOL_CLOSE_TIMEOUT');
  } finally {
    release(path);
  }
});

test('threads that can end have the time to, however short closeTimeout is', async () => {
  const pool = new Pool({ filename: fixture('stuck.cjs'), minThreads: 1, maxThreads: 1, closeTimeout: 1 });
  const failures: unknown[] = [];
  pool.on('error', (error) => failures.push(error));
  assert.equal(await pool.run(2, { name: 'double' }), 4);
  const begin = performance.now();
  const failure = await pool.destroy().then(() => undefined, String);
  // A machine that was away for so long sees no thread end.
  assert.ok(failure === undefined || performance.now() - begin >= 2000, failure);
  assert.deepEqual(failures, []);
});

test('when no place in the table is left, tasks are told so', { skip }, async (t) => {
  const path = fifo(t);
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const filename = fileURLToPath(fixture('stuck.cjs'));
  const options = fillOptions({ filename, minThreads: 0, maxThreads: 1, closeTimeout: 200 });
  const core = new Core(options, () => {}, undefined, { ...geometryFor(options, undefined), workers: 3 });
  const read = core.handlers.idOf(filename, 'read');
  const double = core.handlers.idOf(filename, 'double');
  try {
    for (let task = 1; task <= 3; task++) {
      const controller = new AbortController();
      const extras = { ...NO_EXTRAS, abortable: true, signal: controller.signal };
      const run = core.run({ path, shared }, read, extras);
      await isReading(shared, task);
      controller.abort();
      assert.equal((await caught(run)).name, 'AbortError');
    }
    const error = await caught(core.run(2, double, undefined));
    assert.equal(error.code, 'PLIMSOLL_POOL_START_FAILED');
    assert.match(error.message, /3 stopped workers cannot end.*no room for new workers/);
    release(path);
    // As their threads end, their places are free again.
    let result: unknown;
    while (result !== 4) result = await core.run(2, double, undefined).catch(() => pause(5));
  } finally {
    release(path);
    await core.destroy();
  }
});
