import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { benchExitCode } from '#plimsoll/cli/exit-code.js';
import { type BenchResult, benchSchema } from '#plimsoll/results/bench.js';
import { fixture, plimsoll } from '../support/cli.js';

const linux = process.platform === 'linux' ? {} : { skip: 'counts threads in /proc' };

test('--json - prints one document that fits the schema on stdout, everything else on stderr', async () => {
  const run = await plimsoll([
    ...['bench', 'file', 'crypto', 'zlib', 'dns', 'mixed'],
    ...[
      '--ops',
      '8',
      '--scale',
      '0.01',
      '--quick',
      '--blocks',
      '1',
      '--sizes',
      '1,4',
      '--seed',
      '7',
      '--json',
      '-',
    ],
  ]);
  assert.equal(run.code, 0, run.stderr);
  const result = benchSchema.parse(JSON.parse(run.stdout));
  assert.deepEqual(
    result.workloads.map(({ name }) => name),
    ['file', 'crypto', 'zlib', 'dns', 'mixed'],
  );
  assert.equal(result.method.seed, 7);
  for (const { sizes } of result.workloads)
    for (const { size, observedThreads, runs } of sizes) {
      if (process.platform === 'linux') assert.equal(observedThreads, size);
      assert.equal(runs.length, 1);
    }
  assert.match(run.stderr, /Which UV_THREADPOOL_SIZE suits which work/);
});

test('the exported JSON Schema names every field of the contract', () => {
  const path = new URL('../../dist/schema/bench.json', import.meta.url);
  const { properties } = JSON.parse(readFileSync(path, 'utf8'));
  for (const field of ['schema', 'kind', 'environment', 'method', 'noise', 'workloads', 'findings'])
    assert.ok(field in properties, field);
});

describe('planted effects', linux, () => {
  const careful = ['--sizes', '4,8', '--quick', '--blocks', '8', '--json', '-', '--quiet'];

  test('a workload that sleeps in the pool is found to be twice as fast with twice the threads', async () => {
    const run = await plimsoll(['bench', fixture('sleeps-in-pool.mjs'), ...careful]);
    assert.equal(run.code, 0, run.stderr);
    const { workloads, findings } = benchSchema.parse(JSON.parse(run.stdout));
    const eight = workloads[0]?.sizes.find(({ size }) => size === 8);
    assert.equal(eight?.verdict, 'better', run.stderr);
    assert.ok(eight.ratio > 0.45 && eight.ratio < 0.55, `ratio ${eight.ratio}`);
    assert.equal(workloads[0]?.recommended, 8);
    assert.ok(findings.some(({ id }) => id === 'bench.faster'));
    assert.ok(findings.some(({ id }) => id === 'bench.pool-bound'));
  });

  test('a workload that does not use the pool gives no size the better of another', async () => {
    const run = await plimsoll(['bench', fixture('does-not-use-pool.mjs'), ...careful]);
    assert.equal(run.code, 0, run.stderr);
    const { workloads, findings } = benchSchema.parse(JSON.parse(run.stdout));
    const eight = workloads[0]?.sizes.find(({ size }) => size === 8);
    assert.ok(eight?.verdict === 'same' || eight?.verdict === 'unclear', run.stderr);
    assert.equal(workloads[0]?.recommended, 4);
    assert.ok(!findings.some(({ id }) => id === 'bench.faster' || id === 'bench.slower'));
  });
});

describe('--strict exits with 3 when the machine is too noisy to tell', () => {
  const noise = { aaRatio: 1.1, aaInterval: [1.05, 1.2] as [number, number], threshold: 0.1, noisy: true };
  const result = (noisy: boolean, given: object = {}): BenchResult =>
    ({
      method: { interrupted: false },
      workloads: [{ failure: null, noise: { ...noise, noisy } }],
      ...given,
    }) as unknown as BenchResult;

  test('noisy', () => {
    assert.equal(benchExitCode(result(true), true), 3);
    assert.equal(benchExitCode(result(true), false), 0, 'not without --strict');
    assert.equal(benchExitCode(result(true, { method: { interrupted: true } }), true), 130);
  });

  test('quiet', async () => {
    const once = ['--quick', '--blocks', '1', '--sizes', '4', '--strict'];
    const run = await plimsoll(['bench', fixture('does-not-use-pool.mjs'), ...once]);
    assert.equal(run.code, 0, run.stderr);
  });
});
