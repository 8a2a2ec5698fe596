import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Claim } from '#studies/common/claims.js';
import { readResult } from '#studies/common/cli.js';
import { RESULTS } from '#studies/common/paths.js';
import { agreement } from '#studies/load/agreement.js';
import { type FilledCell, isFilled } from '#studies/load/filled-cell.js';
import { loadPage } from '#studies/load/page.js';
import { type LoadResult, loadSchema } from '#studies/load/result.js';
import { published, study } from '../support.js';

const result = readResult(join(RESULTS, 'load.json.gz'), loadSchema);
const like = result.cells.find(isFilled) as FilledCell;

/** What is said of a table with these figures: seconds, and the event-loop delay in milliseconds. */
function claims(of: (size: number) => { mean: number; max: number; min: number; late: number }): Claim[] {
  const cells = [4, 8, 16, 64, 256].map((size): FilledCell => {
    const { mean, max, min, late } = of(size);
    return {
      ...like,
      size,
      operationMs: { ...like.operationMs, mean: mean * 1000, max: max * 1000, min: min * 1000 },
      completionMs: { ...like.completionMs, mean: 5000 },
      bystanderMs: { ...like.bystanderMs, p99: late },
      eventLoopDelayMs: { ...like.eventLoopDelayMs, p99: late },
      cpuSeconds: 19.6,
      wallMs: 10_000,
      rounds: [],
    };
  });
  return agreement({ table: undefined, cells, cpus: 2, originalCpus: 12, baseline: 4 });
}

const verdicts = (found: readonly Claim[]): string[] => found.map(({ verdict }) => verdict);

test('the study says what agrees from the figures alone', () => {
  const alike = claims((size) => ({
    mean: 5 + size / 100,
    max: 20 - Math.log2(size),
    min: size / 100,
    late: 5,
  }));
  // The average at 256 lies above that at 4, so too large a size does cost more.
  assert.deepEqual(verdicts(alike), ['agrees', 'agrees', 'agrees', 'differs']);

  const otherwise = claims((size) => ({
    mean: 5 - size / 100,
    max: 10 + size / 100,
    min: 1,
    late: size * 10,
  }));
  assert.deepEqual(verdicts(otherwise), ['differs', 'differs', 'differs', 'agrees']);
  assert.match(otherwise[0]?.why ?? '', /requests are taken on late/);
  assert.match(otherwise[2]?.why ?? '', /already at 4 threads the server used 2.0 of 2 CPUs/);
});

test('at small scale: six tables, every cell, a page; a second one measures nothing', {
  skip: process.platform !== 'linux',
}, async () => {
  const out = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
  const read = (): LoadResult => loadSchema.parse(JSON.parse(readFileSync(join(out, 'load.json'), 'utf8')));
  try {
    const first = await study('load', '--quick', '--out', out);
    assert.equal(first.code, 0, first.stderr);
    const measured = read();
    assert.equal(measured.method.tables.length, 6);
    assert.equal(measured.cells.length, 12);
    for (const { mode, size, observedThreads } of measured.cells)
      assert.deepEqual(observedThreads, Array(mode === 'pm2-cluster' ? 2 : 1).fill(size));
    const page = readFileSync(join(out, 'load.md'), 'utf8');
    assert.equal(page.match(/^## case \d, PM2/gm)?.length, 6);
    assert.match(
      page,
      /\| 4 \| \*\*0\.446\*\* \| 18\.723 \| 9\.620 \| /,
      "the original's figures beside these",
    );
    assert.doesNotMatch(page, /NaN|undefined|Infinity|null/);

    const second = await study('load', '--quick', '--out', out);
    assert.equal(second.code, 0, second.stderr);
    assert.deepEqual(read().cells, measured.cells);
  } finally {
    rmSync(out, { recursive: true });
  }
});

test('the published page is what the published result says', () => {
  assert.equal(loadPage(result), published('load.md'));
  assert.equal(result.cells.filter(({ interval }) => interval === null).length, 0);
});

test('failed requests are said', () => {
  const cells = result.cells.map((cell) =>
    cell.mode === 'pm2-fork' && cell.case === '3' && cell.size === 512 ? { ...cell, errors: 2 } : cell,
  );
  assert.match(
    loadPage({ ...result, cells }),
    /requests that failed, .*: 2 at 512 threads in case 3, PM2 fork mode/,
  );
});
