import assert from 'node:assert/strict';
import { test } from 'node:test';

interface Wrong {
  readonly seed: number;
  readonly faults: readonly string[];
  readonly log: readonly string[];
}

interface Programs {
  runPrograms(options: { count: number; first?: number; isReal?: boolean }): Promise<{ wrong: Wrong[] }>;
}

const url = new URL('../scripts/stress/programs.mjs', import.meta.url);
const { runPrograms } = (await import(url.href)) as Programs;

/** Without threads about three milliseconds each. `npm run stress:pool -- --programs=COUNT SEED` runs others. */
const COUNT = 10_000;
const REAL_COUNT = 60;

const shown = ({ seed, faults, log }: Wrong): string =>
  `seed ${seed}: ${faults.join('; ')} (${log.join(' ')})`;

test('ten thousand random programs of everything with everything: nothing hangs, and the books are right', async () => {
  const { wrong } = await runPrograms({ count: COUNT });
  assert.deepEqual(wrong.map(shown), []);
});

test('some of them with threads, which end at random', async () => {
  const { wrong } = await runPrograms({ count: REAL_COUNT, first: COUNT, isReal: true });
  assert.deepEqual(wrong.map(shown), []);
});
