import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import * as timers from 'node:timers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { caught, fixture, poolFor, until } from './support.js';

const real = timers.setTimeout;
const pause = (ms: number): Promise<void> => new Promise((resolve) => void real(resolve, ms));

/** Every timer and clock that a test runner replaces, as something that never fires and a clock that stands still. */
function fakeEverything(t: TestContext): () => void {
  const nothing = { ref: () => nothing, unref: () => nothing, refresh: () => nothing, hasRef: () => false };
  const frozen = Object.assign(() => [1, 0] as [number, number], { bigint: () => 1_000_000_000n });
  const module = process.getBuiltinModule('node:timers') as unknown as Record<string, unknown>;
  const fakes: (() => void)[] = [];
  const fake = (object: object, name: string, value: unknown): void => {
    const before = Object.getOwnPropertyDescriptor(object, name);
    Object.defineProperty(object, name, { value, configurable: true, writable: true });
    fakes.push(() => {
      if (before === undefined) delete (object as Record<string, unknown>)[name];
      else Object.defineProperty(object, name, before);
    });
  };
  for (const name of ['setTimeout', 'setInterval', 'setImmediate']) {
    fake(globalThis, name, () => nothing);
    fake(module, name, () => nothing);
  }
  for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate']) {
    fake(globalThis, name, () => {});
    fake(module, name, () => {});
  }
  fake(globalThis, 'queueMicrotask', () => {});
  fake(process, 'hrtime', frozen);
  fake(performance, 'now', () => 0);
  fake(Date, 'now', () => 0);
  const restore = (): void => {
    for (const undo of fakes.splice(0).reverse()) undo();
  };
  t.after(restore);
  return restore;
}

test('fake timers that come and go while tasks run hold nothing up', async (t) => {
  const pool = poolFor(t, { maxThreads: 2 });
  await pool.run(1, { name: 'echo' });
  const before = pool.run(50, { name: 'block' });
  await pause(20);
  const restore = fakeEverything(t);
  await before;
  const runs = Array.from({ length: 3000 }, (_, number) => pool.run(number, { name: 'echo' }));
  assert.deepEqual(
    await Promise.all(runs),
    Array.from({ length: 3000 }, (_, number) => number),
  );
  assert.equal(
    (await caught(pool.run(undefined, { name: 'blockForever', timeout: 20 }))).name,
    'TimeoutError',
  );
  assert.deepEqual(await pool.run({ large: 'x'.repeat(100_000) }, { name: 'echo' }), {
    large: 'x'.repeat(100_000),
  });
  const across = pool.run(50, { name: 'sleep' });
  restore();
  await across;
  assert.equal(await pool.run(1, { name: 'echo' }), 1);
});

test('a host that sleeps while timers are swapped wakes up', async (t) => {
  const pool = poolFor(t);
  await pool.run(1, { name: 'echo' });
  const run = pool.run(200, { name: 'block' });
  await pause(100);
  fakeEverything(t);
  await run;
});

test('a pool that is made under fake timers starts, drains and closes', async (t) => {
  fakeEverything(t);
  const pool = poolFor(t, { minThreads: 2, maxThreads: 2 });
  let drained = 0;
  pool.on('drain', () => drained++);
  await Promise.all(Array.from({ length: 10 }, (_, number) => pool.run(number, { name: 'echo' })));
  await pool.close();
  assert.ok(drained > 0);
});

test("node:test's mocked timers while tasks run, and after their reset", async (t) => {
  const pool = poolFor(t);
  t.mock.timers.enable();
  assert.equal(await pool.run(1, { name: 'echo' }), 1);
  const across = pool.run(20, { name: 'block' });
  t.mock.timers.reset();
  await across;
  assert.equal(await pool.run(2, { name: 'echo' }), 2);
});

test('fake timers inside a worker do not hold up the worker', async (t) => {
  const pool = poolFor(t, { filename: fixture('fakes-timers.mjs') });
  await pool.run(undefined, { name: 'fake' });
  const runs = Array.from({ length: 200 }, (_, number) => pool.run(number, { name: 'work' }));
  assert.equal((await Promise.all(runs)).length, 200);
  await until(() => pool.idleThreads === 1);
  assert.equal(await pool.run(7, { name: 'work' }), 7);
});

test('a pool that is imported after timers and clocks were faked works, and measures real time', async () => {
  const argv = ['--no-warnings', fileURLToPath(fixture('fakes-first.mjs'))];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { timeout: 240_000 });
  const { last, duration, longest, wait } = JSON.parse(stdout) as {
    [Name in 'last' | 'duration' | 'longest' | 'wait']: number;
  };
  assert.equal(last, 2999);
  assert.ok(longest >= 29 && longest < duration, stdout);
  assert.ok(wait > 0 && wait < duration, stdout);
});
