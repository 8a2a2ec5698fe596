import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { exitCodeOf } from '#plimsoll/cli/bench.js';
import { type BenchResult, benchSchema } from '#plimsoll/results/bench.js';
import { fixture, plimsoll } from '../support/cli.js';

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

  test('a workload that sleeps in the pool is found to be twice as fast with twice the threads', async () => {
    const run = await plimsoll(['bench', fixture('sleeps-in-pool.mjs'), ...args, '--time', '20']);
    assert.equal(run.code, 0, run.stderr);
    const { workloads, findings } = benchSchema.parse(JSON.parse(run.stdout));
    const eight = workloads[0]?.sizes.find(({ size }) => size === 8);
    assert.equal(eight?.verdict, 'better', run.stderr);
    assert.ok(eight.ratio > 0.45 && eight.ratio < 0.55, `ratio ${eight.ratio}`);
    assert.equal(workloads[0]?.recommended, 8);
    assert.ok(findings.some(({ id }) => id === 'bench.pool-bound'));
  });

  test('a workload that does not use the pool gives no size the better of another', async () => {
    const run = await plimsoll(['bench', fixture('does-not-use-pool.mjs'), ...args, '--time', '5']);
    assert.equal(run.code, 0, run.stderr);
    const { workloads } = benchSchema.parse(JSON.parse(run.stdout));
    const eight = workloads[0]?.sizes.find(({ size }) => size === 8);
    assert.ok(eight?.verdict === 'same' || eight?.verdict === 'unclear', run.stderr);
    const { recommended, method, noise } = workloads[0] ?? assert.fail();
    // On a busy machine there may be too few generations to tell, or it is too noisy.
    const cannotTell = (method?.generations ?? 0) < 4 || noise?.noisy === true;
    assert.equal(recommended, cannotTell ? null : 4);
  });
});

describe('a size whose process fails on the way is out, the others go on', () => {
  for (const [name, args, code] of [
    ['dies', [], 'PLIMSOLL_WORKLOAD_EXITED'],
    ['hangs', ['--deadline', '2', '--time', '10'], 'PLIMSOLL_WORKLOAD_HUNG'],
  ] as const)
    test(name, async () => {
      const work = fixture(`bad/${name}-at-eight.mjs`);
      const run = await plimsoll(['bench', work, '--sizes', '2,4,8', '--time', '8', '--json', '-', ...args]);
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
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  const args = ['bench', fixture('owns-port.mjs'), '--sizes', '2,4', '--time', '3', '--json', '-'];
  const run = await plimsoll(args, { env: { OWNED_PORT: String(port) } });
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
    const run = await plimsoll(['bench', fixture('does-not-use-pool.mjs'), ...once]);
    assert.equal(run.code, exitCodeOf(benchSchema.parse(JSON.parse(run.stdout)), true), run.stderr);
  });
});
