import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupsThatFit } from '#plimsoll/lab/groups.js';

const PLENTY = { threads: null, bytes: 2 ** 40 };
const PROCESS = 2 ** 26;

test('with room for all there is one group', () => {
  assert.deepEqual(groupsThatFit([2, 4, 8, 64], 4, PLENTY, PROCESS), [[2, 8, 64]]);
  assert.deepEqual(groupsThatFit([4], 4, PLENTY, PROCESS), [[]], 'the baseline alone is measured too');
});

test('few threads: groups that fit beside the baseline and its twin', () => {
  const groups = groupsThatFit([2, 8, 16, 64], 4, { threads: 100, bytes: 2 ** 40 }, PROCESS);
  assert.deepEqual(groups, [[2, 8], [16], [64]]);
});

test('little memory parts them too, and a size that fits nowhere is still tried', () => {
  assert.deepEqual(groupsThatFit([2, 8], 4, { threads: null, bytes: 4.5 * PROCESS }, PROCESS), [[2], [8]]);
  assert.deepEqual(groupsThatFit([1024], 4, { threads: 100, bytes: 2 ** 40 }, PROCESS), [[1024]]);
});
