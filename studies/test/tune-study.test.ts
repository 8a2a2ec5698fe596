import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { captureEnvironment, Guardian } from '@plimsoll/lab';
import { PROGRAMS } from '#studies/tune/catalogue.js';
import { errorsOf, nullRules, ratioErrors, regretOf, rowOf, summaryOf } from '#studies/tune/compare.js';
import { tunePage } from '#studies/tune/page.js';
import { openPlace } from '#studies/tune/place.js';
import { SIZES } from '#studies/tune/plan.js';
import type { ProgramResult, Slice } from '#studies/tune/result.js';

/** Latencies by size, the same in every block; the twin is `twin` times the baseline. */
function result(
  name: string,
  meanMs: Readonly<Record<number, number>>,
  {
    recommended = 4,
    tune = meanMs,
    twin = 1,
  }: { recommended?: number | null; tune?: Record<number, number>; twin?: number } = {},
): ProgramResult {
  const slices = [0, 1, 2, 3, 4, 5].flatMap((block): Slice[] => [
    ...SIZES.map((size) => ({
      block,
      arm: size,
      meanMs: meanMs[size] ?? 10,
      perSecond: 1,
      overloaded: size === 64 && name === 'koa-scrypt',
    })),
    { block, arm: 'twin', meanMs: (meanMs[4] ?? 10) * twin, perSecond: 1, overloaded: false },
  ]);
  return {
    name,
    slices,
    failure: null,
    answer: {
      recommended,
      confidence: recommended === null ? 'cannot tell' : 'sure',
      headline: `UV_THREADPOOL_SIZE=${recommended}`,
      seconds: 40,
      stop: 'settled',
      sizes: SIZES.map((size) => ({
        size,
        ratio: (tune[size] ?? 10) / (tune[4] ?? 10),
        verdict: 'same',
        leftEarly: size === 1,
      })),
    },
  };
}
const rowsOf = (...results: ProgramResult[]) => results.flatMap((one) => rowOf(one) ?? []);

describe('the study of tune', () => {
  test('holds out half of its programs, and slows down at least eight', () => {
    assert.ok(PROGRAMS.length >= 20);
    assert.equal(PROGRAMS.filter(({ heldOut }) => heldOut).length * 2, PROGRAMS.length);
    assert.ok(PROGRAMS.filter(({ slow }) => slow !== undefined).length >= 8);
    assert.deepEqual(
      PROGRAMS.map(({ name }) => name),
      PROGRAMS.map(({ name }) => name).toSorted(),
    );
  });

  test('charges an answer for what its size is slower than the best', () => {
    const [row] = rowsOf(
      result('level-put', { 1: 40, 2: 20, 4: 10, 8: 8, 16: 5, 64: 6 }, { recommended: 8 }),
    );
    assert.ok(row);
    assert.ok(Math.abs(row.regret - 0.6) < 1e-9);
    assert.ok(Math.abs(regretOf(row.sizes, 4) - 1) < 1e-9);
  });

  test('takes "cannot tell" for size 4, and overload for a loss of everything', () => {
    const [row] = rowsOf(result('koa-scrypt', { 2: 5 }, { recommended: null }));
    assert.ok(row);
    assert.equal(row.hasVerdict, false);
    assert.ok(Math.abs(row.regret - 1) < 1e-9);
    assert.equal(regretOf(row.sizes, 64), Number.POSITIVE_INFINITY);
  });

  test('compares ratios of sizes that stayed, without that of size 4', () => {
    const rows = rowsOf(result('level-put', { 8: 8 }, { tune: { 8: 8.8 } }));
    const errors = ratioErrors(rows);
    assert.equal(errors.length, 4);
    assert.ok(Math.abs(Math.max(...errors) - 0.1) < 1e-9);
    assert.equal(errorsOf(rows).median, 0);
  });

  test('counts the worst regret where runs agree, and beside it every rule', () => {
    const rows = rowsOf(
      result('level-put', { 2: 9 }, { recommended: 2 }),
      result('jose-sign', { 2: 5 }, { recommended: 4, twin: 1.2 }),
    );
    const summary = summaryOf(rows);
    assert.equal(summary.agreeing, 1);
    assert.equal(summary.worstWhereRunsAgree, 0);
    assert.ok(summary.worstRegret > 0.9);
    assert.deepEqual(
      nullRules(8).map(({ size }) => size),
      [4, 8, 8, 16, 64],
    );
  });

  test('has a page with misses, failures and what was not measured', () => {
    const page = tunePage({
      ...{
        schema: 'plimsoll/1',
        kind: 'tune-study',
        effort: 'full',
        startedAt: '2026-11-26T00:00:00Z',
        seconds: 60,
      },
      environment: captureEnvironment({ directory: tmpdir() }),
      versions: {},
      programs: [
        result('jose-sign', { 2: 5 }, { recommended: 4 }),
        { name: 'rollup', slices: [], answer: null, failure: 'it did not listen' },
      ],
      cost: [{ server: 'hello', without: [100, 100], withController: [90, 91] }],
      errors: null,
    });
    assert.match(page, /median regret, held out \| ≤ 2\.0 % \| 100\.0 % \| \*\*missed\*\*/);
    assert.match(page, /`rollup` failed: it did not listen/);
    assert.match(page, /`sharp` was not measured/);
    assert.match(page, /idle controller, hello \| ≥ 0\.98 \| 0\.905 .*\*\*missed\*\*/);
  });
});

describe('a slow place', () => {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-places-'));
  after(() => rmSync(directory, { recursive: true, force: true }));
  const program = PROGRAMS.find(({ name }) => name === 'axios-proxy');
  const isRoot = process.getuid?.() === 0 && process.platform === 'linux';

  test('answers lookups late, and only there', { skip: isRoot ? false : 'needs root' }, async () => {
    assert.ok(program);
    const guardian = new Guardian();
    const place = await openPlace(program, directory, directory, {
      guardian,
      signal: new AbortController().signal,
    });
    try {
      const script = `const t = performance.now(); require('node:dns').lookup('host-1.plimsoll.test', (error, address) =>
        console.log(error?.code ?? address, performance.now() - t >= 19));`;
      const node = place.command.indexOf(process.execPath);
      const [file, ...words] = place.command.slice(0, node);
      const inside = spawnSync(file as string, [...words, process.execPath, '-e', script], {
        encoding: 'utf8',
      });
      assert.equal(inside.stdout.trim(), '127.0.0.1 true', inside.stderr);
    } finally {
      await place.close();
      await guardian.close();
    }
  });
});
