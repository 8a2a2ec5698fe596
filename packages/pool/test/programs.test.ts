import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrongPrograms } from './random-programs.js';

/** About three milliseconds each. `npm run stress:pool -- --programs=COUNT SEED` runs others. */
const COUNT = 10_000;

test('ten thousand random programs of everything with everything: nothing hangs, and the books are right', async () => {
  assert.deepEqual(await wrongPrograms({ count: COUNT }), []);
});
