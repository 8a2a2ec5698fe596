import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
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

test('the slow one belongs to slow I/O, of which libuv takes one for each pass of its queue', {
  skip: !HAS_FIFOS,
}, async (t) => {
  const one = holdThreads(t, 1);
  holdThreads(t, SIZE - 1);
  const order: string[] = [];
  for (let job = 0; job < 3; job++) calls.slow(() => order.push('slow'));
  calls.fast(() => order.push('fast'));
  await one.release();
  await until(() => order.length === 4);
  assert.deepEqual(order, ['slow', 'fast', 'slow', 'slow']);
});

test('io_uring does not take the fast one past the pool', { skip: !IS_LINUX }, async () => {
  const { stdout } = await runNode([fixture('io-uring.mjs')], {
    env: { ...process.env, UV_USE_IO_URING: '1', UV_THREADPOOL_SIZE: '1' },
  });
  assert.deepEqual(JSON.parse(stdout), { fast: 'after the job', slow: 'after the job' });
});

test('without the permission to read, canaries wait for the pool all the same', async () => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const flag = major > 22 || (major === 22 && minor >= 13) ? '--permission' : '--experimental-permission';
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const args = [
    flag,
    '--allow-worker',
    `--allow-fs-read=${root}*`,
    '--no-warnings',
    fixture('permission.cjs'),
  ];
  const { stdout, stderr } = await runNode(args);
  assert.deepEqual([stdout, stderr], ['fs.read of /: false\nthey wait\n', '']);
});
