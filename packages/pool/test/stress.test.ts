import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from './support.js';

interface Result {
  started: number;
  settled: number;
  twice: number;
  wrong: number;
  pending: number;
  leftThreads: number;
  works: unknown;
}
type Stress = (options: {
  seconds: number;
  seed: number;
  filename: URL;
  options?: object;
}) => Promise<Result>;

// A plain script outside the compiled folders; its name in a variable keeps the compiler from looking for types.
const script = new URL('../scripts/stress.mjs', import.meta.url).href;

for (const options of [{}, { concurrentTasksPerWorker: 4 }, { minThreads: 0, idleTimeout: 1 }]) {
  test(`random faults for three seconds: every promise settles once (${JSON.stringify(options)})`, async () => {
    const { stress } = (await import(script)) as { stress: Stress };
    const seed = Date.now() % 2 ** 31;
    const result = await stress({ seconds: 3, seed, filename: fixture('tasks.mjs'), options });
    const message = `seed ${seed}: ${JSON.stringify(result)}`;
    assert.equal(result.settled, result.started, message);
    assert.equal(result.twice + result.wrong + result.pending + result.leftThreads, 0, message);
    assert.equal(result.works, 2, message);
  });
}
