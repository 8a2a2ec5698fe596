import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  clampPoolSize,
  DEFAULT_POOL_SIZE,
  LARGEST_POOL_SIZE,
  poolSizeOf,
  slowJobLimit,
} from '#plimsoll/libuv/pool-size.js';

const sizes: readonly [string | null, number][] = [
  [null, 4],
  ['', 1],
  ['0', 1],
  ['abc', 1],
  ['0x10', 1],
  ['2.9', 2],
  ['  6', 6],
  ['+7', 7],
  ['1024', 1024],
  ['5000', 1024],
  ['-1', 1024],
];

test('UV_THREADPOOL_SIZE is read as libuv reads it', () => {
  for (const [text, size] of sizes) assert.equal(poolSizeOf(text, '1.46.0'), size, JSON.stringify(text));
});

test('since libuv 1.52 sixteen characters and more are as good as none', () => {
  assert.equal(poolSizeOf('0000000000000007', '1.51.0'), 7);
  assert.equal(poolSizeOf('0000000000000007', '1.52.1'), 4);
  assert.equal(poolSizeOf('000000000000007', '1.52.1'), 7);
});

test('the limits are libuv’s', () => {
  assert.deepEqual([DEFAULT_POOL_SIZE, LARGEST_POOL_SIZE], [4, 1024]);
  assert.deepEqual([0, 1, 7, 1024, 1025].map(clampPoolSize), [1, 1, 7, 1024, 1024]);
});

test('half of the pool, rounded up, serves slow I/O', () => {
  assert.deepEqual([1, 2, 3, 4, 5, 1024].map(slowJobLimit), [1, 1, 2, 2, 3, 512]);
});
