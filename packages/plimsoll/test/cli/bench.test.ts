import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { exitCodeOf } from '#plimsoll/cli/bench.js';
import { type BenchResult, benchSchema } from '#plimsoll/results/bench.js';
import { type CliRun, fixture, plimsoll } from '../support/cli.js';
import { freePort } from '../support/port.js';

const linux = process.platform === 'linux' ? {} : { skip: 'counts threads in /proc' };

test('--json - prints one document that fits the schema on stdout, everything else on stderr', async () => {
  const run = await plimsoll([
    ...['bench', 'file', 'crypto', 'zlib', 'dns', 'mixed'],
    ...['--ops', '8', '--scale', '0.01', '--time', '0.5', '--sizes', '1,4', '--seed', '7', '--json', '-'],
  ]);
  assert.equal(run.code, 0, run.stderr);
  const result = benchSchema.parse(JSON.parse(run.stdout));
  assert.deepEqual(
    result.workloads.map(({ name }) => name),
    ['file', 'crypto', 'zlib', 'dns', 'mixed'],
  );
  assert.equal(result.method.seed, 7);
  for (const { sizes } of result.workloads)
    for (const { size, observedThreads, rounds } of sizes) {
      if (process.platform === 'linux') assert.equal(observedThreads, size);
      assert.ok(rounds.length >= 1);
    }
  assert.match(run.stderr, /Which UV_THREADPOOL_SIZE suits which work/);
});

test('the exported JSON Schema names every field of the contract', () => {
  const path = new URL('../../dist/schema/bench.json', import.meta.url);
  const { properties } = JSON.parse(readFileSync(path, 'utf8'));
  for (const field of ['schema', 'kind', 'environment', 'method', 'workloads', 'findings'])
    assert.ok(field in properties, field);
});

describe('planted effects', linux, () => {
  const args = ['--sizes', '4,8', '--json', '-', '--quiet'];

  /** What is told of 8 threads compared with 4. */
  async function eightOf(run: CliRun) {
    assert.equal(run.code, 0, run.stderr);
    const { workloads, findings } = benchSchema.parse(JSON.parse(run.stdout));
    const workload = workloads[0] ?? assert.fail();
    const eight = workload.sizes.find(({ size }) => size === 8) ?? assert.fail();
    return { workload, eight, ids: findings.map(({ id }) => id) };
  }

  for (const [what, eightMs, verdict, best] of [
    ['twice as fast with twice the threads', 30, 'better', 8],
    ['as fast with any size', 60, 'same', 4],
  ] as const)
    test(`work that is ${what} is found to be so`, async () => {
      const env = { PLANTED: JSON.stringify({ 4: 60, 8: eightMs }) };
      const run = await plimsoll(['bench', fixture('planted.mjs'), ...args, '--time', '60'], { env });
      const { workload, eight } = await eightOf(run);
      assert.ok((workload.method?.generations ?? 0) >= 4, run.stderr);
      assert.equal(eight.verdict, verdict, run.stderr);
      assert.ok(Math.abs(eight.ratio - eightMs / 60) < 1e-6, `ratio ${eight.ratio}`);
      // The clock of the event loop's delay is the machine's.
      const isLate = workload.higherEventLoopDelay.includes(best);
      assert.equal(workload.recommended, isLate ? 12 - best : best);
    });

  test('twice the threads serve jobs that wait in the pool faster', async () => {
    const run = await plimsoll(['bench', fixture('sleeps-in-pool.mjs'), ...args, '--time', '10']);
    const { workload, eight, ids } = await eightOf(run);
    // Half the time; how exactly, and whether it is certain, depends on the machine's other work.
    assert.ok(eight.ratio < 0.8, `ratio ${eight.ratio}`);
    assert.ok(eight.verdict === 'better' || eight.verdict === 'unclear', run.stderr);
    if (eight.verdict === 'unclear') return;
    assert.equal(workload.recommended, 8);
    assert.ok(ids.includes('bench.pool-bound'));
  });
});

describe('a size whose process fails on the way is out, the others go on', () => {
  for (const [name, code] of [
    ['dies', 'PLIMSOLL_WORKLOAD_EXITED'],
    ['hangs', 'PLIMSOLL_WORKLOAD_HUNG'],
  ] as const)
    test(name, async () => {
      const work = fixture(`bad/${name}-at-eight.mjs`);
      const run = await plimsoll(['bench', work, '--sizes', '2,4,8', '--time', '60', '--json', '-']);
      assert.equal(run.code, 4, run.stderr);
      const [workload] = benchSchema.parse(JSON.parse(run.stdout)).workloads;
      assert.deepEqual(
        workload?.lost.map((lost) => [lost.size, lost.code]),
        [[8, code]],
      );
      assert.deepEqual(
        workload.sizes.map(({ size }) => size),
        [2, 4],
      );
      assert.equal(workload.failure, null);
      assert.match(run.stderr, /at size 8/);
      assert.deepEqual(run.left, []);
    });
});

test('work that owns a port asks to be measured one process at a time', async () => {
  const args = ['bench', fixture('owns-port.mjs'), '--sizes', '2,4', '--time', '3', '--json', '-'];
  const run = await plimsoll(args, { env: { OWNED_PORT: String(await freePort()) } });
  assert.equal(run.code, 0, run.stderr);
  const [workload] = benchSchema.parse(JSON.parse(run.stdout)).workloads;
  assert.equal(workload?.method?.mode, 'isolated');
  assert.ok((workload.method?.generations ?? 0) >= 1);
});

describe('--strict exits with 3 when the machine is too noisy to tell', () => {
  const noise = { aaRatio: 1.1, aaInterval: [1.05, 1.2] as [number, number], noisy: true };
  const result = (noisy: boolean, given: object = {}): BenchResult =>
    ({
      method: { interrupted: false },
      workloads: [{ failure: null, lost: [], noise: { ...noise, noisy } }],
      ...given,
    }) as unknown as BenchResult;

  test('of a result', () => {
    assert.equal(exitCodeOf(result(true), true), 3);
    assert.equal(exitCodeOf(result(true), false), 0, 'not without --strict');
    assert.equal(exitCodeOf(result(true, { method: { interrupted: true } }), true), 130);
  });

  test('of a run', async () => {
    const once = ['--time', '1', '--sizes', '4', '--strict', '--json', '-', '--quiet'];
    const run = await plimsoll(['bench', fixture('planted.mjs'), ...once], {
      env: { PLANTED: '{ "4": 60 }' },
    });
    assert.equal(run.code, exitCodeOf(benchSchema.parse(JSON.parse(run.stdout)), true), run.stderr);
  });
});
