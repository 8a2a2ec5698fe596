import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { BenchResult } from '@plimsoll/lab';
import { benchSchema } from '@plimsoll/lab/schemas';
import { benchPage } from '#studies/bench/page.js';
import { analyseAgain } from '#studies/bench/reanalyse.js';
import { published, ROOT, study } from './support.js';

const read = (): BenchResult => benchSchema.parse(JSON.parse(published('bench.json')));

describe('npm run study:bench', () => {
  test('the published result analysed again is itself, and so is its page', () => {
    const again = analyseAgain(read());
    assert.equal(`${JSON.stringify(again, null, 2)}\n`, published('bench.json'));
    assert.equal(benchPage(again, true), published('bench.md'));
  });

  test('other rounds lead to other verdicts, and no note of the old ones', () => {
    const result = read();
    const workloads = result.workloads.map((workload) => ({
      ...workload,
      sizes: workload.sizes.map((size) =>
        size.size === 8
          ? { ...size, rounds: size.rounds.map((round) => ({ ...round, workMs: round.workMs * 3 })) }
          : size,
      ),
    }));
    const method = { ...result.method, startedAt: '2030-01-01T00:00:00.000Z' };
    const page = benchPage(analyseAgain({ ...result, workloads, method }), true);
    assert.match(page, /^\| crypto \| 8 \| 1494 ms .* \| worse \| \*\*differs\*\* \|$/m);
    assert.doesNotMatch(page, /Notes on this measurement|gained about a fifth/);
  });

  test('a quick run measures the five workloads', async () => {
    const { code, stderr } = await study('bench', '--quick');
    assert.equal(code, 0, stderr);
    const page = readFileSync(join(ROOT, '.cache/study-bench/bench.md'), 'utf8');
    for (const name of ['file', 'crypto', 'zlib', 'dns', 'mixed'])
      assert.match(page, new RegExp(`^## ${name}$`, 'm'));
    assert.doesNotMatch(page, /undefined|NaN|\[object/);
  });
});
