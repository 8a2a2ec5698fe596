import assert from 'node:assert/strict';
import { test } from 'node:test';

interface Result {
  started: number;
  settled: number;
  wrong: number;
  twice: number;
  pending: number;
  leftThreads: number;
  right: Record<string, number>;
}
type Stress = (options: {
  seconds: number;
  seed: number;
  options?: object;
  complain?: (line: string) => void;
}) => Promise<Result>;

// A plain script outside the compiled folders; its name in a variable keeps the compiler from looking for types.
const script = new URL('../scripts/stress.mjs', import.meta.url).href;

/** Ends of tasks that are as they should be: values, errors, aborts … */
const LEAST_KINDS = 5;
const MOST_ROUNDS = 20;

for (const options of [{}, { concurrentTasksPerWorker: 4 }, { minThreads: 0, idleTimeout: 1 }]) {
  test(`random values and faults: each task gets its own end, once (${JSON.stringify(options)})`, async () => {
    const { stress } = (await import(script)) as { stress: Stress };
    const seed = Date.now() % 2 ** 31;
    const kinds = new Set<string>();
    // A busy machine has hardly started its threads after so many seconds.
    for (let next = seed; kinds.size <= LEAST_KINDS && next < seed + MOST_ROUNDS; next++) {
      const lines: string[] = [];
      const result = await stress({
        seconds: 1.5,
        seed: next,
        options,
        complain: (line) => lines.push(line),
      });
      const { started, settled, wrong, twice, pending, leftThreads, right } = result;
      const message = `seed ${next}: ${JSON.stringify(result)}\n${lines.join('\n')}`;
      assert.equal(settled, started, message);
      assert.deepEqual(
        { wrong, twice, pending, leftThreads },
        { wrong: 0, twice: 0, pending: 0, leftThreads: 0 },
        message,
      );
      for (const kind of Object.keys(right)) kinds.add(kind);
    }
    assert.ok(kinds.size > LEAST_KINDS, `seed ${seed}: ${[...kinds].join(', ')}`);
  });
}
