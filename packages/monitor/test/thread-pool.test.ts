import assert from 'node:assert/strict';
import { pbkdf2 } from 'node:crypto';
import { lookup } from 'node:dns';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { monitorThreadPool } from '@plimsoll/monitor';
import { countByName } from '../dist/worker/tasks.js';
import { fixture, holdThreads, IS_LINUX, ofThreads, runNode, until } from './support.js';

const SIZE = 4;
const QUICK = { resolution: 2, slowResolution: 1000 };

// Official builds of Node, which the tests run on, tell all of it.
const skip = !IS_LINUX;

test('busy threads and waiting jobs are counted, by planted ones', { skip }, async (t) => {
  using monitor = monitorThreadPool(QUICK);
  const { threadPool } = monitor;
  await stat('.');
  monitor.enable();
  await until(() => threadPool.size === SIZE && threadPool.busy === 0 && threadPool.queued === 0);
  assert.equal(JSON.parse(JSON.stringify(threadPool)).size, SIZE);
  assert.match(inspect(threadPool), /^\{ size: 4, busy: \d, queued: \d+, utilization: /);
  const three = holdThreads(t, 3);
  // A thread counts as busy from when it wakes up, just before it takes its job.
  await until(() => threadPool.busy === 3 && threadPool.queued === 0);
  const eleven = holdThreads(t, 11);
  await until(() => threadPool.busy === SIZE);
  // Ten have no thread. The monitor's own are in the queue, too, and are not counted; one may be just coming.
  await until(() => threadPool.queued === 10);
  await until(() => (threadPool.utilization ?? 0) > 0.8);
  await three.release();
  await eleven.release();
  await until(() => threadPool.busy === 0 && threadPool.queued === 0);
});

test('lookups that wait for their half of the pool are counted', { skip }, async (t) => {
  using monitor = monitorThreadPool(QUICK);
  await stat('.');
  const held = holdThreads(t, SIZE);
  let done = 0;
  for (let job = 0; job < 20; job++) lookup('localhost', () => done++);
  monitor.enable();
  await until(() => monitor.threadPool.queued === 20);
  await held.release();
  await until(() => done === 20);
});

test('a long queue is counted up to its limit, and the thread goes on', { skip }, async (t) => {
  using monitor = monitorThreadPool(QUICK);
  const held = holdThreads(t, SIZE);
  const jobs = 6000;
  let done = 0;
  for (let job = 0; job < jobs; job++) pbkdf2('a', 'b', 100, 64, 'sha512', () => done++);
  monitor.enable();
  await until(() => (monitor.threadPool.queued ?? 0) > 3000);
  await held.release();
  await until(() => done === jobs);
  await until(() => monitor.threadPool.queued === 0);
});

test('the size is that of the threads, whatever the variable says', { skip }, async () => {
  const sizes: Record<string, number> = { '7': 7, '': 1, abc: 1, '-1': 1024, '2.9': 2 };
  for (const [text, size] of Object.entries(sizes)) {
    const env = { ...process.env, UV_THREADPOOL_SIZE: text };
    const { stdout } = await runNode([fixture('size.cjs')], { env });
    assert.deepEqual(JSON.parse(stdout), { first: size, changed: size }, `UV_THREADPOOL_SIZE='${text}'`);
  }
});

test('threads are counted by their names, where libuv gives them one', { skip }, async () => {
  await stat('.');
  const named = ofThreads('comm').filter((name) => name.trim() === 'libuv-worker').length;
  assert.equal(countByName(), named === 0 ? undefined : SIZE);
});
