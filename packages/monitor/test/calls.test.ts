import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import * as calls from '../dist/worker/calls.js';
import { fixture, HAS_FIFOS, holdThreads, IS_LINUX, runNode, until } from './support.js';

const SIZE = 4;

test('what canaries call goes through the pool', { skip: !HAS_FIFOS }, async (t) => {
  const held = holdThreads(t, SIZE);
  const back: string[] = [];
  calls.fast(() => back.push('fast'));
  calls.slow(() => back.push('slow'));
  await sleep(100);
  assert.deepEqual(back, [], 'no thread is free');
  await held.release();
  await until(() => back.length === 2);
});

test('the slow one belongs to slow I/O: half of the pool is its', { skip: !HAS_FIFOS }, async (t) => {
  const held = holdThreads(t, SIZE - 1);
  const order: string[] = [];
  // One thread is free. It takes a slow job, then what stands in the queue before the next slow one.
  for (let job = 0; job < 3; job++) calls.slow(() => order.push('slow'));
  calls.fast(() => order.push('fast'));
  await until(() => order.length === 4);
  assert.notEqual(order.at(-1), 'fast', order.join());
  await held.release();
});

test('io_uring does not take the fast one past the pool', { skip: !IS_LINUX }, async () => {
  const { stdout } = await runNode([fixture('io-uring.mjs')], {
    env: { ...process.env, UV_USE_IO_URING: '1', UV_THREADPOOL_SIZE: '1' },
  });
  assert.deepEqual(JSON.parse(stdout), { fast: 'after the job', slow: 'after the job' });
});
