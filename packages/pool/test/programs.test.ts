import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrongPrograms } from './random-programs.js';

/** Some ten seconds. `npm run stress:pool -- --programs=COUNT SEED` runs others. */
const COUNT = 2_500;

test('random programs of everything with everything: nothing hangs, and the books are right', async () => {
  // Ten thousand on the four lines of Node that CI has.
  const line = Number.parseInt(process.versions.node, 10);
  assert.deepEqual(await wrongPrograms({ count: COUNT, first: ((line - 20) / 2) * COUNT }), []);
});

/** Those of a million that found something which the first ten thousand had not. */
for (const seed of [89_175, 585_514, 657_369]) {
  test(`the program of seed ${seed}`, async () => {
    assert.deepEqual(await wrongPrograms({ count: 1, first: seed }), []);
  });
}
