import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fixture, poolFor } from './support.js';

const program = fileURLToPath(fixture('prints.mjs'));

function run(...args: string[]): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', timeout: 60_000 });
}

const expected = (count: number): string =>
  [0, 1, 2]
    .flatMap((task) => Array.from({ length: count }, (_, line) => `task ${task} line ${line}\n`))
    .join('');

for (const [name, count] of [
  ['log', 5],
  ['log', 3000],
  ['logLater', 5],
  ['logAndThrow', 5],
] as const) {
  test(`what tasks print appears before the process ends by itself: ${name}, ${count} lines`, () => {
    const { stdout, status } = run(name, String(count));
    assert.equal(status, 0);
    assert.equal(stdout, expected(count));
  });
}

test('what goes to stderr appears too', () => {
  assert.equal(run('error', '5').stderr, expected(5));
});

test('a task that ends or replaces the stream is settled', () => {
  assert.equal(run('replaced', '1').status, 0);
  assert.match(run('ended', '1').stdout, /^task 0 line 0\n/);
});

test('results are reported in the order in which they were written, also behind output', async (t) => {
  const pool = poolFor(t, { filename: fixture('printer.mjs'), concurrentTasksPerWorker: 8 });
  for (let round = 0; round < 50; round++) {
    // Too large for their slots: they stand in the worker's ring, which the host gives back as far as it has read.
    const texts = Array.from({ length: 8 }, (_, task) =>
      String.fromCharCode(97 + task).repeat(20_000 + round),
    );
    const settled: number[] = [];
    const runs = texts.map(async (text, task) => {
      const name = task < 4 ? 'printAndReturn' : 'returnOncePrinted';
      const result = await pool.run(text, { name });
      assert.ok(result === text, `round ${round}: the result of task ${task} is another one`);
      settled.push(task);
    });
    await Promise.all(runs);
    assert.deepEqual(settled, [0, 1, 2, 3, 4, 5, 6, 7], `round ${round}`);
  }
});
