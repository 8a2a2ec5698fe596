import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrongPrograms } from './random-programs.js';

/** About three milliseconds each. `npm run stress:pool -- --programs=COUNT SEED` runs others. */
const COUNT = 10_000;

test('ten thousand random programs of everything with everything: nothing hangs, and the books are right', async () => {
  assert.deepEqual(await wrongPrograms({ count: COUNT }), []);
});

/** Those of a million that found something which ten thousand had not. */
for (const seed of [89_175, 585_514, 657_369]) {
  test(`the program of seed ${seed}`, async () => {
    assert.deepEqual(await wrongPrograms({ count: 1, first: seed }), []);
  });
}
