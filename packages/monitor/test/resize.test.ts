import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ResizeError, threadPool } from '@plimsoll/monitor';
import { fixture, holdThreads, IS_LINUX, runNode, threadsThatOpen, until } from './support.js';

// Official builds of Node for Linux, which the tests run on, can be resized.
const skip = !IS_LINUX;

const HAS_FFI = isBuiltin('node:ffi');

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'resolved',
    (error: ResizeError) => error.code,
  );

test('what is no size is refused, with what was received', { skip }, async () => {
  for (const size of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1025, '4', undefined, null, 4n]) {
    const error = (await threadPool.resize(size as number).catch((reason: unknown) => reason)) as ResizeError;
    assert.equal(error.code, 'PLIMSOLL_MONITOR_BAD_OPTION', String(size));
    assert.ok(error instanceof (typeof size === 'number' ? RangeError : TypeError), String(size));
    assert.match(error.message, /^size must be a whole number of threads from 1 to 1024, not /);
  }
  for (const timeoutMs of [0, -1, Number.NaN, '5', null])
    assert.equal(
      await codeOf(threadPool.resize(2, { timeoutMs: timeoutMs as number })),
      'PLIMSOLL_MONITOR_BAD_OPTION',
    );
  assert.equal(await codeOf(threadPool.resize(2, null as never)), 'PLIMSOLL_MONITOR_BAD_OPTION');
});

test('the first resize starts the pool, at the size that its variable has then', { skip }, async () => {
  const { stdout, stderr } = await runNode([fixture('resize-first.cjs')]);
  const { before, sizes, after } = JSON.parse(stdout) as { before: object; sizes: number[]; after: object };
  assert.deepEqual(before, { limit: HAS_FFI ? 1024 : 6 });
  assert.deepEqual(sizes, [2, 6]);
  assert.deepEqual(after, { size: 6, slowLimit: 3, limit: HAS_FFI ? 1024 : 6, threads: 6 });
  assert.equal(stderr, '');
});

test('as many jobs run at a time as the size says, and all of them in the end', { skip }, async (t) => {
  for (const size of [1, 3, 2, 4]) {
    await threadPool.resize(size);
    const held = holdThreads(t, 8);
    await until(() => threadsThatOpen() >= size);
    await sleep(50);
    assert.equal(threadsThatOpen(), size);
    await held.release();
  }
});

test('a larger size is there although every thread hangs, a smaller one gives up', { skip }, async (t) => {
  await threadPool.resize(2);
  const held = holdThreads(t, 2);
  await until(() => threadsThatOpen() === 2);
  assert.equal(await codeOf(threadPool.resize(1, { timeoutMs: 50 })), 'PLIMSOLL_MONITOR_RESIZE_TIMEOUT');
  assert.equal(threadPool.size, 2);
  assert.equal(await threadPool.resize(4), 4);
  await access('/');
  await until(() => threadsThatOpen() === 2);
  await held.release();
  assert.equal(await threadPool.resize(1), 1);
  await access('/');
});

test('calls run one after the other, and each tells of its own', { skip }, async () => {
  const sizes = Array.from({ length: 40 }, (_, index) => 1 + ((index * 7) % 4));
  const seen: number[] = [];
  await Promise.all(
    sizes.map(async (size) => {
      assert.equal(await threadPool.resize(size), size);
      seen.push(size);
    }),
  );
  assert.deepEqual(seen, sizes);
  assert.equal(threadPool.size, sizes.at(-1));
});

test('one thread runs jobs in the order of their calls, whatever the size was before', { skip }, async () => {
  for (const before of [4, 2, 3]) {
    await threadPool.resize(before);
    await threadPool.resize(1);
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 50 }, async (_, job) => order.push(await access('/').then(() => job))),
    );
    assert.deepEqual(
      order,
      Array.from({ length: 50 }, (_, job) => job),
    );
  }
});
