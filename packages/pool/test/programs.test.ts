import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrongPrograms } from './random-programs.js';

/**
 * How many each line of Node runs: together ten thousand, each by one line. `npm test` runs on Node 20 alone and gets the fewest; the later
 * lines take half of the time for one. `npm run stress:pool -- --programs=COUNT SEED` runs others.
 */
const COUNTS: Record<number, number> = { 20: 400, 22: 2200, 24: 3700, 26: 3700 };

test('random programs of everything with everything: nothing hangs, and the books are right', async () => {
  const line = Number.parseInt(process.versions.node, 10);
  const before = Object.entries(COUNTS).filter(([other]) => Number(other) < line);
  const first = before.reduce((sum, [, count]) => sum + count, 0);
  assert.deepEqual(await wrongPrograms({ count: COUNTS[line] ?? 400, first }), []);
});

/** Those of a million that found something which the first ten thousand had not. */
for (const seed of [89_175, 124_553, 133_272, 585_514, 657_369, 2_225_432]) {
  test(`the program of seed ${seed}`, async () => {
    assert.deepEqual(await wrongPrograms({ count: 1, first: seed }), []);
  });
}
