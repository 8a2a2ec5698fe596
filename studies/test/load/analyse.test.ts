import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createRandom, evenLooks, PlimsollError, type Round } from '@plimsoll/lab';
import { analyseTable } from '#studies/load/analyse.js';
import type { MeasuredTable } from '#studies/load/measured-table.js';
import type { LoadTarget, Table } from '#studies/load/options.js';
import { loadRecommendation } from '#studies/load/report/reasons.js';
import type { LoadResult } from '#studies/load/result.js';
import { tableToResume } from '#studies/load/resume.js';
import type { LoadMeasurement } from '#studies/load/slice.js';

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
const options = { sizes: SIZES, baseline: 4, target, seed: 1 };

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
  disturbances: [],
});

const BLOCKS = 2;

/** Generations of two blocks in which every slice deviates by up to 1 %. */
function planted(of: (size: number) => Planted, generations = 6): Round<LoadMeasurement>[] {
  const random = createRandom(3);
  return Array.from({ length: generations * BLOCKS }, (_, index) =>
    [...SIZES, 'twin' as const].map((arm, order) => ({
      generation: Math.floor(index / BLOCKS),
      block: index % BLOCKS,
      order,
      arm,
      result: measurement(
        arm === 'twin' ? 4 : arm,
        of(arm === 'twin' ? 4 : arm),
        1 + (random.next() - 0.5) / 50,
      ),
    })),
  ).flat();
}

const measured = (
  rounds: Round<LoadMeasurement>[],
  generations = 6,
  lost = new Map<number, unknown>(),
): MeasuredTable => ({
  table,
  isolated: false,
  slices: {
    traffic: { kind: 'closed', parallel: 1, requests: 15 },
    blocks: BLOCKS,
    mostGenerations: 8,
  },
  outcome: {
    ...{ rounds, generations, lost, looks: evenLooks(generations, 8), disturbances: [] },
    ...{ stop: 'time', error: undefined },
  },
  seconds: 60,
});

const recommendation = (of: (size: number) => Planted, generations?: number) => {
  const { recommendation: ranked } = analyseTable(measured(planted(of, generations), generations), options);
  return ranked === null ? null : loadRecommendation(ranked);
};

describe('which size a load recommends', () => {
  test('the fastest, beyond the noise', () => {
    const found = recommendation((size) => ({ done: size === 4 ? 1000 : 1500, bystander: 5 }));
    assert.equal(found?.size, 4);
    assert.equal(found?.settled, true);
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

  test('none after a single generation, but an estimate', () => {
    const found = recommendation((size) => ({ done: size === 4 ? 1000 : 1500, bystander: 5 }), 1);
    assert.equal(found?.size, null);
    assert.equal(found?.estimate, 4);
    assert.equal(found?.settled, false);
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

const resultOf = (measurements: MeasuredTable): LoadResult => {
  const { table: about, cells } = analyseTable(measurements, options);
  return { tables: [about], cells } as unknown as LoadResult;
};

test('what was measured of a table is taken over, in the order in which it was done', () => {
  const complete = measured(planted((size) => ({ done: size, bystander: 5 })));
  assert.deepEqual(tableToResume(resultOf(complete), table), complete);
  assert.equal(tableToResume(resultOf(complete), { ...table, mode: 'cluster' }), null);
});

test('of a table that was interrupted only complete generations are taken over', () => {
  const rounds = planted((size) => ({ done: size, bystander: 5 }), 3);
  const cut = measured(rounds.slice(0, -3), 2);
  const interrupted = { ...cut, outcome: { ...cut.outcome, stop: 'interrupted' as const } };
  const back = tableToResume(resultOf(interrupted), table);
  assert.deepEqual(
    back?.outcome.rounds,
    rounds.filter(({ generation }) => generation < 2),
  );
});

test('an interrupted block is shown, but nothing is compared', () => {
  const rounds = planted(() => ({ done: 1000, bystander: 5 }), 1).slice(0, 2);
  const { cells, recommendation: none } = analyseTable(measured(rounds, 0), options);
  assert.deepEqual(
    cells.map(({ size, ratio }) => [size, ratio]),
    [
      [2, null],
      [4, null],
    ],
  );
  assert.equal(none, null);
});

test('the client was too busy only where half of the slices say so', () => {
  const rounds = planted(() => ({ done: 1000, bystander: 5 }));
  const busy = (share: number) =>
    rounds.map((round) => ({
      ...round,
      result: {
        ...round.result,
        problems: round.arm === 64 && round.generation < share * 6 ? ['generator-bound'] : [],
      },
    }));
  const size = (share: number) => analyseTable(measured(busy(share)), options).recommendation?.size;
  assert.deepEqual([size(1 / 3), size(1 / 2)], [2, null]);
});

test('a size whose server was lost is out with its reason, and the others are compared', () => {
  const rounds = planted((size) => ({ done: size === 4 ? 1000 : 1500, bystander: 5 })).filter(
    ({ arm, generation }) => arm !== 64 || generation < 2,
  );
  const lost = new Map([[64, new PlimsollError('PLIMSOLL_TARGET_DIED', 'it died')]]);
  const table64 = measured(rounds, 6, lost);
  const { table: about, cells, recommendation: ranked } = analyseTable(table64, options);
  assert.deepEqual(about.lost, [{ size: 64, code: 'PLIMSOLL_TARGET_DIED', message: 'it died' }]);
  assert.deepEqual(
    cells.map(({ size, ratio }) => [size, ratio === null]),
    [
      [2, false],
      [4, false],
      [64, true],
    ],
  );
  assert.equal(ranked?.size, 4);
});
