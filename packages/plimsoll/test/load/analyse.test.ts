import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { BlockRun } from '#plimsoll/lab/blocks.js';
import { analyseTable } from '#plimsoll/load/analyse.js';
import type { LoadTarget, Table } from '#plimsoll/load/options.js';
import { runsToResume } from '#plimsoll/load/resume.js';
import type { LoadMeasurement } from '#plimsoll/load/run.js';
import { loadRecommendation } from '#plimsoll/report/findings/load.js';
import type { LoadResult } from '#plimsoll/results/load.js';
import { createRandom } from '#plimsoll/stats/random.js';

const table: Table = {
  mode: 'node',
  instances: 1,
  traffic: { name: '1', kind: 'closed', parallel: 1, requests: 15 },
};
const target: LoadTarget = {
  kind: 'sample',
  modes: ['node'],
  instances: 1,
  operation: { kind: 'stat' },
  operationsPerRequest: 10,
  description: '10 × fs.stat',
};
const SIZES = [2, 4, 64];
const options = { sizes: SIZES, baseline: 4, target };

const summary = (value: number) => ({
  count: 150,
  min: value,
  max: value,
  mean: value,
  p50: value,
  p95: value,
  p99: value,
});

interface Planted {
  /** Milliseconds to the end of an operation, on average. */
  readonly done: number;
  /** The operations' own latency. */
  readonly latency?: number;
  readonly bystander: number;
  readonly problems?: string[];
  readonly errors?: number;
  readonly threads?: number;
}

const measurement = (size: number, planted: Planted, noise: number): LoadMeasurement => ({
  observedThreads: [planted.threads ?? size],
  operationMs: summary((planted.latency ?? planted.done) * noise),
  completionMs: summary(planted.done * noise),
  httpMs: summary(1),
  bystanderMs: summary(planted.bystander * noise),
  eventLoopDelayMs: { p50: 1, p99: 1, max: 1 },
  wallMs: planted.done * 2,
  throughput: 100,
  cpuSeconds: 1,
  maxRssBytes: 2 ** 20,
  errors: planted.errors ?? 0,
  firstFailure: null,
  sent: 15,
  sentLate: 0,
  dropped: 0,
  unfinished: 0,
  generator: { lagP99Ms: 1, utilization: 0.1 },
  problems: planted.problems ?? [],
});

/** Eight blocks in which every run deviates by up to 1 %. */
function planted(of: (size: number) => Planted, blocks = 8): BlockRun<LoadMeasurement>[] {
  const random = createRandom(3);
  return Array.from({ length: blocks }, (_, block) =>
    [...SIZES, 'twin' as const].map((arm, order) => ({
      block,
      order,
      arm,
      disturbances: [],
      superseded: false,
      result: measurement(
        arm === 'twin' ? 4 : arm,
        of(arm === 'twin' ? 4 : arm),
        1 + (random.next() - 0.5) / 50,
      ),
    })),
  ).flat();
}

const recommendation = (of: (size: number) => Planted, blocks?: number) => {
  const { recommendation: ranked } = analyseTable(table, { runs: planted(of, blocks) }, options);
  return ranked === null ? null : loadRecommendation(ranked);
};

describe('which size a load recommends', () => {
  test('the fastest, beyond the noise', () => {
    const found = recommendation((size) => ({ done: size === 4 ? 1000 : 1500, bystander: 5 }));
    assert.equal(found?.size, 4);
    assert.equal(found?.confidence, 'proven');
  });

  test('the smallest of those that are as fast', () => {
    assert.equal(recommendation(() => ({ done: 1000, bystander: 5 }))?.size, 2);
  });

  test('not one that makes the bystander wait', () => {
    const found = recommendation((size) => ({ done: 1000, bystander: size === 2 ? 8020 : 5 }));
    assert.equal(found?.size, 4);
    assert.deepEqual(found?.higherBystanderLatency, [2]);
    assert.match(
      found?.because ?? '',
      /2 is no faster, and the bystander waits up to \d\.\d\d s \(p99\) instead of \d\.\d\d ms/,
    );
  });

  test('not one whose latency looks short because it takes requests on late', () => {
    const found = recommendation((size) => ({
      done: size === 64 ? 1300 : 1000,
      latency: size === 64 ? 200 : 900,
      bystander: 5,
    }));
    assert.equal(found?.best === 64, false);
    assert.ok(!found?.asGood.includes(64));
  });

  test('none with a single block, but an estimate', () => {
    const found = recommendation((size) => ({ done: size === 4 ? 1000 : 1500, bystander: 5 }), 1);
    assert.equal(found?.size, null);
    assert.equal(found?.estimate, 4);
    assert.equal(found?.confidence, null);
  });

  for (const [name, at, trouble, says] of [
    [
      'the client itself was late at some size',
      64,
      { problems: ['generator-bound'] },
      /client itself was too busy or too late at 64/,
    ],
    ['requests failed at the baseline', 4, { errors: 3 }, /requests failed at 4, the baseline among them/],
  ] as const)
    test(`none when ${name}`, () => {
      const found = recommendation((size) => ({
        done: 1000,
        bystander: 5,
        ...(size === at ? { ...trouble, problems: 'problems' in trouble ? [...trouble.problems] : [] } : {}),
      }));
      assert.equal(found?.size, null);
      assert.equal(found?.estimate, null);
      assert.match(found?.because ?? '', says);
    });

  test('not one at which requests failed, however fast the others were', () => {
    const found = recommendation((size) => ({
      done: size === 64 ? 500 : 1000,
      bystander: 5,
      errors: size === 64 ? 3 : 0,
    }));
    assert.deepEqual([found?.size, found?.best === 64, found?.asGood], [2, false, [2, 4]]);
    assert.match(found?.because ?? '', /requests failed at 64, which is therefore out/);
  });

  test('none when the sizes did not take effect', () => {
    const found = recommendation(() => ({ done: 1000, bystander: 5, threads: 7 }));
    assert.equal(found?.size, null);
    assert.match(found?.because ?? '', /7 threads were counted at every size/);
  });
});

test('the runs of a result are taken over in the order in which they were done', () => {
  const runs = planted((size) => ({ done: size, bystander: 5 }), 2);
  const { cells } = analyseTable(table, { runs }, options);
  const back = runsToResume({ cells } as unknown as LoadResult, table);
  assert.deepEqual(back, runs);
  assert.deepEqual(runsToResume({ cells } as unknown as LoadResult, { ...table, mode: 'cluster' }), []);
});

test('an interrupted block is shown, but nothing is compared', () => {
  const runs = planted(() => ({ done: 1000, bystander: 5 }), 1).slice(0, 2);
  const { cells, recommendation: none } = analyseTable(table, { runs }, options);
  assert.deepEqual(
    cells.map(({ size, ratio }) => [size, ratio]),
    [
      [2, null],
      [4, null],
    ],
  );
  assert.equal(none, null);
});
