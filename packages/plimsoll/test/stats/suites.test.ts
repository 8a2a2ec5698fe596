import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { blockOrders } from '#plimsoll/lab/block-order.js';
import { comparePaired } from '#plimsoll/stats/paired-comparison.js';
import { createRandom, type Random } from '#plimsoll/stats/random.js';
import { probabilityOfBest, rankSizes } from '#plimsoll/stats/ranking.js';

const SIZES = [2, 4, 8, 16];
const BASELINE = 4;

interface World {
  /** Share of the runs that something outside makes up to `highest` longer, on the log scale. */
  spikes?: number;
  highest?: number;
  /** True time of a size, in milliseconds. */
  truth(size: number): number;
  /** Scale of the skewed noise on the log scale. */
  spread: number;
  /** Drift over the whole suite, as a share. */
  drift: number;
}

/** The runs of a suite on a machine that drifts, jitters with a long right tail, and now and then is hit by a spike. */
function simulate(
  { truth, spread, drift, spikes = 0.03, highest = 0.3 }: World,
  blocks: number,
  random: Random,
): Map<number | 'twin', number[]> {
  const times = new Map<number | 'twin', number[]>([...SIZES, 'twin' as const].map((arm) => [arm, []]));
  const runs = blocks * (SIZES.length + 1);
  let position = 0;
  for (const order of blockOrders(SIZES, blocks, random))
    for (const arm of order) {
      // Exponential minus its mean: skewed to the right, as run times are.
      const skewed = -Math.log(1 - random.next()) - 1;
      const spike = random.next() < spikes ? highest * random.next() : 0;
      const drifted = 1 + (drift * position++) / runs;
      times
        .get(arm)
        ?.push(truth(arm === 'twin' ? BASELINE : arm) * drifted * Math.exp(spread * skewed + spike));
    }
  return times;
}

function analyse(times: Map<number | 'twin', number[]>) {
  const of = (arm: number | 'twin'): number[] => times.get(arm) as number[];
  const others = new Map(SIZES.filter((size) => size !== BASELINE).map((size) => [size, of(size)]));
  const { noise, comparisons } = comparePaired({ baseline: of(BASELINE), twin: of('twin'), others });
  const samples = SIZES.map((size) => ({ size, times: of(size), delays: of(size).map(() => 0) }));
  return {
    noise,
    comparisons,
    ranking: rankSizes(
      samples,
      noise,
      of('twin').map(() => [0, 0] as const),
    ),
  };
}

describe('suites in which nothing differs', () => {
  const SUITES = 2000;
  for (const world of [
    { name: 'skewed, calm', spread: 0.02, drift: 0 },
    { name: 'skewed, noisy, drifting by 30 %', spread: 0.08, drift: 0.3 },
  ])
    test(`${world.name}: at most 5 % of ${SUITES} suites give any false verdict`, () => {
      const random = createRandom(2026);
      let wrong = 0;
      let noisy = 0;
      let significant = 0;
      for (let suite = 0; suite < SUITES; suite++) {
        const { noise, comparisons } = analyse(simulate({ ...world, truth: () => 100 }, 10, random));
        if ([...comparisons.values()].some(({ verdict }) => verdict === 'better' || verdict === 'worse'))
          wrong++;
        if (noise.noisy) noisy++;
        if ([...comparisons.values()].some(({ p }) => p < 0.05)) significant++;
      }
      assert.ok(wrong <= 0.05 * SUITES, `${wrong} of ${SUITES} suites gave a false verdict`);
      // Without the threshold's help: this is what Holm's adjustment alone promises.
      assert.ok(
        significant <= 0.055 * SUITES,
        `${significant} of ${SUITES} suites had an adjusted p below 0.05`,
      );
      assert.ok(noisy <= 0.05 * SUITES, `${noisy} of ${SUITES} suites were falsely called noisy`);
    });
});

describe('suites in which something differs', () => {
  const world: World = { spread: 0.05, drift: 0.1, truth: (size) => (size >= 8 ? 50 : 100) };

  test('twice as fast is found, and the smallest of the fast sizes is recommended', () => {
    const random = createRandom(11);
    let found = 0;
    let recommended = 0;
    for (let suite = 0; suite < 500; suite++) {
      const { comparisons, ranking } = analyse(simulate(world, 10, random));
      if (comparisons.get(8)?.verdict === 'better' && comparisons.get(16)?.verdict === 'better') found++;
      if (ranking.recommended === 8) recommended++;
    }
    assert.ok(found >= 475, `found in ${found} of 500`);
    assert.ok(recommended >= 475, `recommended in ${recommended} of 500`);
  });

  test('spikes never make a slow size the same as a fast one, nor prove it as good', () => {
    const random = createRandom(14);
    const truth = (size: number): number => (size === 2 ? 150 : 100);
    let same = 0;
    let proven = 0;
    for (let suite = 0; suite < 300; suite++) {
      const times = simulate({ truth, spread: 0.02, drift: 0, spikes: 0.05, highest: 2 }, 20, random);
      const { comparisons, ranking } = analyse(times);
      if (comparisons.get(2)?.verdict === 'same') same++;
      if (ranking.recommended === 2 && ranking.confidence === 'proven') proven++;
    }
    assert.equal(same, 0);
    assert.equal(proven, 0);
  });

  test('the estimate covers the truth as often as it says', () => {
    const random = createRandom(12);
    let covered = 0;
    for (let suite = 0; suite < 1000; suite++) {
      const { comparisons } = analyse(simulate(world, 10, random));
      const interval = comparisons.get(8)?.interval;
      if (interval !== undefined && interval.low <= 0.5 && 0.5 <= interval.high) covered++;
    }
    assert.ok(covered >= 930, `covered in ${covered} of 1000`);
  });

  test('five blocks give no verdict, however large the difference', () => {
    const { comparisons, ranking } = analyse(simulate(world, 5, createRandom(13)));
    for (const { verdict } of comparisons.values()) assert.equal(verdict, 'unclear');
    assert.equal(ranking.recommended, null);
    assert.deepEqual(ranking.asGood, [8, 16], 'but the estimates lean the right way');
  });
});

const constant = (value: number, blocks = 10): number[] =>
  Array.from({ length: blocks }, (_, i) => value * (1 + i * 1e-4));

test('a baseline that differs from itself is noise, and nothing is ranked', () => {
  const { noise, comparisons } = comparePaired({
    baseline: constant(100),
    twin: constant(110),
    others: new Map([[8, constant(50)]]),
  });
  assert.equal(noise.noisy, true);
  assert.equal(comparisons.get(8)?.verdict, 'unclear');
  const sample = (size: number) => ({ size, times: constant(100), delays: constant(1) });
  assert.equal(rankSizes([sample(4), sample(8)], noise, [[0, 0]]).recommended, null);
});

test('equal beyond doubt is called the same', () => {
  const { comparisons } = comparePaired({
    baseline: constant(100),
    twin: constant(100),
    others: new Map([
      [8, constant(101)],
      [16, constant(99)],
      [32, constant(96)],
    ]),
  });
  assert.equal(comparisons.get(8)?.verdict, 'same');
  assert.equal(comparisons.get(16)?.verdict, 'same', 'less than the threshold is nothing, however certain');
  assert.equal(comparisons.get(32)?.verdict, 'better');
});

describe('event-loop delay', () => {
  const noise = comparePaired({ baseline: constant(100), twin: constant(100), others: new Map() }).noise;
  const aa = constant(1).map((value) => [value, value] as const);

  test('a size that is as fast but makes the loop late is not as good', () => {
    const ranking = rankSizes(
      [
        { size: 4, times: constant(101), delays: constant(20) },
        { size: 8, times: constant(100), delays: constant(2) },
        { size: 16, times: constant(100), delays: constant(30) },
      ],
      noise,
      aa,
    );
    assert.equal(ranking.recommended, 8);
    assert.deepEqual(ranking.higherEventLoopDelay, [4, 16]);
    assert.equal(ranking.confidence, 'proven');
  });

  test('less than a millisecond is nothing', () => {
    const ranking = rankSizes(
      [
        { size: 4, times: constant(100), delays: constant(0.9) },
        { size: 8, times: constant(100), delays: constant(0.1) },
      ],
      noise,
      aa,
    );
    assert.equal(ranking.recommended, 4);
  });

  test('a slow size gets no credit for a calm loop', () => {
    const ranking = rankSizes(
      [
        { size: 1, times: constant(200), delays: constant(0) },
        { size: 4, times: constant(100), delays: constant(9) },
      ],
      noise,
      aa,
    );
    assert.equal(ranking.recommended, 4);
  });
});

test('the probability of being best sums to one and is shared by equals', () => {
  const chances = probabilityOfBest(
    new Map([
      [1, [9, 9, 9]],
      [2, [5, 5, 5]],
      [4, [5, 5, 5]],
    ]),
    1,
  );
  assert.deepEqual([...chances.values()], [0, 0.5, 0.5]);
});

test('an unclear comparison says how many more blocks it is likely to need', () => {
  const wobbly = [90, 108, 95, 112, 93, 109, 97, 111, 92, 96];
  const { comparisons } = comparePaired({
    baseline: constant(100),
    twin: constant(100),
    others: new Map([[8, wobbly]]),
  });
  assert.equal(comparisons.get(8)?.verdict, 'unclear');
  assert.ok((comparisons.get(8)?.blocksToResolve ?? 1) >= 1);
});
