import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poolSizeOf } from '#plimsoll/libuv/pool-size.js';

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
