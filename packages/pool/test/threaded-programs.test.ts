import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrongPrograms } from './random-programs.js';

/** Other seeds than those without threads, of `programs.test.ts`. */
const FIRST = 10_000;

test('random programs with threads, which end at random: nothing hangs, and the books are right', async () => {
  assert.deepEqual(await wrongPrograms({ count: 30, first: FIRST, isReal: true }), []);
});
