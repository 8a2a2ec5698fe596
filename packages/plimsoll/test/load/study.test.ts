import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type LoadResult, loadSchema } from '#plimsoll/results/load.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

interface Claim {
  readonly claim: string;
  readonly verdict: string;
  readonly why: string;
}

/** Figures of one table: [average, maximum, minimum] in seconds by size, and what else the text rests on. */
async function claims(
  of: (size: number) => { mean: number; max: number; min: number; late: number },
): Promise<Claim[]> {
  const { agreement } = await import(`${root}scripts/study-load/agreement.mjs`);
  const cells = [4, 8, 16, 64, 256].map((size) => {
    const { mean, max, min, late } = of(size);
    const operationMs = { mean: mean * 1000, max: max * 1000, min: min * 1000 };
    return {
      ...{ size, operationMs, completionMs: { mean: 5000 }, bystanderMs: { p99: late } },
      ...{ eventLoopDelayMs: { p99: late }, cpuSeconds: 19.6, wallMs: 10_000 },
      runs: [{ operationMs, superseded: false }],
    };
  });
  return agreement({ table: undefined, cells, cpus: 2, originalCpus: 12, baseline: 4 });
}

const verdicts = (found: readonly Claim[]): string[] => found.map(({ verdict }) => verdict);

test('the study says what agrees from the figures alone', async () => {
  const alike = await claims((size) => ({
    mean: 5 + size / 100,
    max: 20 - Math.log2(size),
    min: size / 100,
    late: 5,
  }));
  // The average at 256 lies above that at 4, so too large a size does cost more.
  assert.deepEqual(verdicts(alike), ['agrees', 'agrees', 'agrees', 'differs']);

  const otherwise = await claims((size) => ({
    mean: 5 - size / 100,
    max: 10 + size / 100,
    min: 1,
    late: size * 10,
  }));
  assert.deepEqual(verdicts(otherwise), ['differs', 'differs', 'differs', 'agrees']);
  assert.match(otherwise[0]?.why ?? '', /requests are taken on late/);
  assert.match(otherwise[2]?.why ?? '', /already at 4 threads the server used 2.0 of 2 CPUs/);
});

test('the whole study at small scale: six tables, every cell, a page; a second one measures nothing', {
  skip: process.platform !== 'linux',
}, () => {
  const out = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
  const study = () =>
    spawnSync(
      process.execPath,
      [join(root, 'scripts/study-load.mjs'), '--scale', '0.002', '--sizes', '4,8', '--out', out],
      { encoding: 'utf8' },
    );
  const read = (): LoadResult => loadSchema.parse(JSON.parse(readFileSync(join(out, 'load.json'), 'utf8')));
  try {
    const first = study();
    assert.equal(first.status, 0, first.stderr);
    const result = read();
    assert.equal(result.method.tables.length, 6);
    assert.equal(result.cells.length, 12);
    for (const { mode, size, observedThreads } of result.cells)
      assert.deepEqual(observedThreads, Array(mode === 'pm2-cluster' ? 2 : 1).fill(size));
    const page = readFileSync(join(out, 'load.md'), 'utf8');
    assert.equal(page.match(/^## case \d, PM2/gm)?.length, 6);
    assert.match(
      page,
      /\| 4 \| \*\*0\.446\*\* \| 18\.723 \| 9\.620 \| /,
      "the original's figures beside these",
    );
    assert.doesNotMatch(page, /NaN|undefined|Infinity|null/);

    const second = study();
    assert.equal(second.status, 0, second.stderr);
    assert.deepEqual(read().cells, result.cells);
  } finally {
    rmSync(out, { recursive: true });
  }
});

test('the published page is what the published result says, failed requests included', async () => {
  const { page } = await import(`${root}scripts/study-load/page.mjs`);
  const plimsoll = await import(`${root}packages/plimsoll/dist/lab.js`);
  const published = (name: string): string => readFileSync(join(root, 'docs/results', name), 'utf8');
  const result = loadSchema.parse(JSON.parse(published('load.json')));
  assert.equal(page(plimsoll, result, 1), published('load.md'));
  assert.match(published('load.md'), /requests that failed, .*: 2 at 512 threads in case 3, PM2 fork mode/);
});
