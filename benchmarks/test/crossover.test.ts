import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RIVALS, TITLES } from '#benchmarks/crossover/arms.js';
import { CELLS, emptyMeasured, type Measured } from '#benchmarks/crossover/cells.js';
import { crossoverOf } from '#benchmarks/crossover/compare.js';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** The rates of the pool in times those of `inline`, from the shortest task on. */
const measured = (ratios: readonly number[]): Measured[] =>
  CELLS.slice(0, ratios.length).map((cell, index) => {
    const one = emptyMeasured(cell);
    one.windows.inline.push({ rate: 100, hostUs: 1 });
    one.windows.plimsoll.push({ rate: 100 * (ratios[index] as number), hostUs: 1 });
    return one;
  });

test('the length from which on somebody is faster lies between two lengths', () => {
  const of = (...ratios: number[]): number => crossoverOf(measured(ratios), '100 B', 'plimsoll');
  assert.equal(Math.round(of(0.01, 0.1, 10, 2, 2)), 32);
  assert.equal(of(2, 2, 2, 2, 2), 0);
  assert.equal(of(2, 2, 2, 2, 0.9), Number.POSITIVE_INFINITY);
  assert.ok(of(0.5, 1.1, 0.9, 1.5, 2) > 100, 'a single length above 1 does not count');
});

test('npm run bench:pool -- crossover: every cell runs, and the page says that it was no full run', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-crossover-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const page = join(folder, 'results/crossover.md');
  execFileSync(process.execPath, [MAIN, 'crossover', '--effort', 'smoke', '--page', page], {
    stdio: 'ignore',
  });
  const text = readFileSync(page, 'utf8');
  assert.match(text, /Estimates of a smoke run with 1 block\./);
  for (const rival of RIVALS) assert.ok(text.includes(TITLES[rival]));
  const { cells } = JSON.parse(readFileSync(join(folder, 'results/crossover.json'), 'utf8'));
  for (const { windows } of cells as Measured[])
    for (const arm of Object.values(windows))
      assert.ok(arm.every(({ rate }) => rate > 0) && arm.length === 1);
  assert.match(readFileSync(join(folder, 'pictures/crossover.svg'), 'utf8'), /<polyline/);
});
