import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type Block,
  compareGenerations,
  comparePair,
  type GenerationsResult,
} from '#plimsoll/stats/generations.js';
import { evenLooks, FIRST_LOOK, lookBoundary, lookLevels } from '#plimsoll/stats/looks.js';
import { createRandom, type Random } from '#plimsoll/stats/random.js';
import { studentCritical } from '#plimsoll/stats/student-t.js';
import { fitTwoLevels } from '#plimsoll/stats/two-levels.js';

const SIZES = [2, 4, 8];
const BASELINE = 4;

interface World {
  truth(size: number): number;
  /** Scale of the skewed noise of a round, of the differences between processes, of the drift between blocks (log scale). */
  readonly spread: number;
  readonly process: number;
  readonly drift: number;
  /** Share of the rounds that something outside makes up to `highest` longer. */
  readonly spikes: number;
  readonly highest: number;
}

const CALM: Omit<World, 'truth'> = { spread: 0.02, process: 0.005, drift: 0.02, spikes: 0.02, highest: 0.3 };
const NOISY: Omit<World, 'truth'> = { spread: 0.08, process: 0.02, drift: 0.2, spikes: 0.1, highest: 0.7 };

/** Blocks of one generation, by processes of each arm or by one process for all. */
function generation(world: World, blocks: number, random: Random): Block[] {
  const arms = [...SIZES, 'twin' as const];
  const processes = new Map(arms.map((arm) => [arm, world.process * random.normal()]));
  return Array.from({ length: blocks }, () => {
    const drift = world.drift * random.normal();
    return new Map(
      arms.map((arm) => {
        const skewed = -Math.log(1 - random.next()) - 1;
        const spike = random.next() < world.spikes ? world.highest * random.next() : 0;
        const truth = Math.log(world.truth(arm === 'twin' ? BASELINE : arm));
        const log = truth + drift + (processes.get(arm) as number) + world.spread * skewed + spike;
        return [arm, { time: Math.exp(log), delay: 1 }];
      }),
    );
  });
}

/** A suite that is looked at after every generation and stops when it is settled. */
function suite(world: World, mostGenerations: number, random: Random): GenerationsResult {
  const generations: Block[][] = [];
  for (;;) {
    generations.push(generation(world, 3, random));
    if (generations.length < FIRST_LOOK) continue;
    const result = compareGenerations(generations, {
      ids: SIZES,
      baseline: BASELINE,
      looks: evenLooks(generations.length, mostGenerations),
      seed: 1,
    });
    if (result.settled || generations.length === mostGenerations) return result;
  }
}

/** A verdict that is not true, or an interval that does not hold the truth. */
function isFalse({ comparisons }: GenerationsResult, { truth }: World): boolean {
  return [...comparisons].some(([size, { verdict, low, high }]) => {
    const ratio = truth(size) / truth(BASELINE);
    const isWrong = (verdict === 'better' && ratio >= 1) || (verdict === 'worse' && ratio <= 1);
    return isWrong || ratio < low || ratio > high;
  });
}

describe('suites that stop when they know', () => {
  const SUITES = 80;
  for (const [name, world] of Object.entries({
    'nothing differs, calm': { ...CALM, truth: () => 100 },
    'nothing differs, noisy': { ...NOISY, truth: () => 100 },
    '2 is a twentieth slower, calm': { ...CALM, truth: (size: number) => (size === 2 ? 105 : 100) },
    '8 is a fifth faster, noisy': { ...NOISY, truth: (size: number) => (size === 8 ? 80 : 100) },
  }))
    test(`${name}: at most 5 % say something false; size and noise are the only luck`, () => {
      const random = createRandom(2026);
      let wrong = 0;
      let noisy = 0;
      for (let count = 0; count < SUITES; count++) {
        const result = suite(world, 12, random);
        if (isFalse(result, world)) wrong++;
        if (result.noisy) noisy++;
      }
      // Three standard deviations above 5 %: with 80 suites 5 % are 4 ± 1.9. docs/results/validity.md has 2,000.
      assert.ok(wrong <= 9, `${wrong} of ${SUITES} said something false`);
      assert.ok(noisy <= 9, `${noisy} of ${SUITES} were falsely called noisy`);
    });

  test('twice as fast is found and settled, and the smallest of the fast sizes is recommended', () => {
    const random = createRandom(11);
    const world: World = { ...CALM, truth: (size) => (size >= 4 ? 50 : 100) };
    for (let count = 0; count < 20; count++) {
      const { recommended, settled, comparisons } = suite(world, 12, random);
      assert.deepEqual([recommended, settled], [4, true]);
      assert.equal(comparisons.get(2)?.verdict, 'worse');
    }
  });
});

test('the boundary of the looks: a plain t-test at one look, wider with more, widest at the first', () => {
  assert.ok(Math.abs(lookBoundary(4, 0.95)(4) - 3.182) < 0.01);
  const boundary = lookBoundary(12, 0.95);
  assert.ok(boundary(12) > 2.201, 'more than the plain t of 11 degrees of freedom');
  assert.ok(boundary(4) > boundary(6) && boundary(6) > boundary(12));
  assert.equal(boundary(3), Number.POSITIVE_INFINITY);
  assert.throws(() => lookBoundary(3, 0.95), RangeError);
});

test('all looks together err as often as they may: simulated motions', () => {
  const random = createRandom(8);
  const shares = [0.3, 0.35, 0.6, 0.8, 1];
  const levels = lookLevels(shares, 0.05);
  assert.ok((levels[0] as number) < 0.002, 'an early look spends almost nothing');
  const limits = levels.map((level) => studentCritical(level, 1e5));
  let crossed = 0;
  const paths = 20_000;
  for (let path = 0; path < paths; path++) {
    let at = 0;
    crossed += shares.some((share, look) => {
      at += Math.sqrt(share - (shares[look - 1] ?? 0)) * random.normal();
      return Math.abs(at) / Math.sqrt(share) > (limits[look] as number);
    })
      ? 1
      : 0;
  }
  // 5 % of 20,000 are 1,000 ± 31.
  assert.ok(Math.abs(crossed - 0.05 * paths) < 125, `${crossed} of ${paths}`);
});

describe('a mean at two levels', () => {
  test('of one block each it is that of Student', () => {
    const values = [0.1, -0.1, 0.05, -0.05, 0.02, -0.02, 0.08, -0.08];
    const squares = values.reduce((sum, value) => sum + value ** 2, 0);
    const half = studentCritical(0.05, 7) * Math.sqrt(squares / 7 / 8);
    const fit = fitTwoLevels(values.map((value) => [value]));
    assert.ok(Math.abs(fit.halfWidth(0.05) / half - 1) < 0.1, `${fit.halfWidth(0.05)} is not near ${half}`);
  });

  test('generations that differ count as one value each, those that do not as their blocks', () => {
    const block = (index: number): number => 0.01 * ((index % 4) - 1.5);
    const of = (shift: number): number[][] =>
      [1, -1, 1, -1, 1, -1].map((sign) =>
        Array.from({ length: 8 }, (_, index) => sign * shift + block(index)),
      );
    const [alike, apart] = [fitTwoLevels(of(0)), fitTwoLevels(of(0.05))];
    assert.ok(alike.between < 0.02 && apart.between > 2, `${alike.between} ${apart.between}`);
    const plain = studentCritical(0.05, 47) * Math.sqrt(1.25e-4 / 48);
    assert.ok(alike.halfWidth(0.05) < 1.4 * plain);
    assert.ok(apart.halfWidth(0.05) > 0.75 * studentCritical(0.05, 5) * (0.055 / Math.sqrt(6)));
  });

  test('an outlier hardly moves it', () => {
    const blocks = Array.from({ length: 20 }, (_, index) => 0.01 * ((index % 5) - 2));
    assert.ok(Math.abs(fitTwoLevels([[...blocks, 9]]).mean) < 0.005);
  });

  test('the interval holds as often as it says, whether generations differ or not', () => {
    const random = createRandom(9);
    for (const spread of [0, 1])
      for (const [generations, blocks] of [
        [5, 8],
        [10, 3],
      ] as const) {
        let outside = 0;
        for (let trial = 0; trial < 600; trial++) {
          const groups = Array.from({ length: generations }, () => {
            const shift = spread * random.normal();
            return Array.from({ length: blocks }, () => shift + random.normal());
          });
          const fit = fitTwoLevels(groups);
          if (Math.abs(fit.mean) > fit.halfWidth(0.05)) outside++;
        }
        // 5 % of 600 are 30 ± 5.3; few generations that differ much hold a little less often.
        assert.ok(outside <= 54, `${outside} of 600 with ${generations} generations, ${spread}`);
      }
  });
});

/** Generations with given log ratios to the baseline, one block each. */
function planted(
  logs: ReadonlyMap<number | 'twin', readonly number[]>,
  delays = new Map<number, number>(),
): Block[][] {
  const count = logs.get(SIZES[0] as number)?.length ?? 0;
  return Array.from({ length: count }, (_, index) => [
    new Map(
      [...SIZES, 'twin' as const].map((arm) => {
        const log = arm === BASELINE ? 0 : ((logs.get(arm) as number[])[index] as number);
        const delay = arm === 'twin' ? 1 : (delays.get(arm) ?? 1);
        return [arm, { time: 100 * Math.exp(log), delay: delay + index * 1e-3 }];
      }),
    ),
  ]);
}

const around = (centre: number, count = 8): number[] =>
  Array.from({ length: count }, (_, index) => centre + 0.004 * ((index % 3) - 1));

const compare = (generations: readonly (readonly Block[])[]): GenerationsResult =>
  compareGenerations(generations, {
    ids: SIZES,
    baseline: BASELINE,
    looks: evenLooks(generations.length, 12),
    seed: 1,
  });

describe('the recommendation', () => {
  test('a size whose row says +91 % is never recommended', () => {
    // mixed on two cores: 2 takes +91 % [+73, +111], 8 about half. An earlier rule recommended 2.
    const noise = [0.1, -0.09, 0.05, -0.12, 0.08, -0.02, 0.03, -0.06];
    const logs = new Map<number | 'twin', number[]>([
      [2, noise.map((value) => Math.log(1.91) + value)],
      [8, noise.map((value) => Math.log(0.7) - 5 * value)],
      ['twin', noise.map((value) => value / 3)],
    ]);
    const { recommended, asGood, comparisons } = compare(planted(logs));
    assert.equal(comparisons.get(2)?.verdict, 'worse');
    assert.notEqual(recommended, 2);
    assert.ok(!asGood.includes(2));
  });

  test('no size is recommended whose row is shown to be slower than another row', () => {
    const log = fc.double({ min: -1, max: 1, noNaN: true });
    const column = fc.array(log, { minLength: 10, maxLength: 10 });
    const scale = fc.constantFrom(0, 0.001, 0.01, 0.1, 1);
    const arm = fc
      .tuple(log, scale, column)
      .map(([centre, by, values]) => values.map((value) => centre + by * value));
    fc.assert(
      fc.property(arm, arm, arm, fc.integer({ min: 1, max: 10 }), (two, eight, twin, count) => {
        const logs = new Map<number | 'twin', number[]>([
          [2, two.slice(0, count)],
          [8, eight.slice(0, count)],
          ['twin', twin.slice(0, count).map((value) => value / 10)],
        ]);
        const { recommended, comparisons, noisy } = compare(planted(logs));
        if (noisy || count < FIRST_LOOK) return assert.equal(recommended, null);
        const own = comparisons.get(recommended as number);
        assert.ok(own !== undefined && own.verdict !== 'worse');
        for (const [size, other] of comparisons)
          assert.ok(
            own.low <= other.high || own.high / other.low <= 1.03 + 1e-9,
            `${recommended} [${own.low}, ${own.high}] is above ${size} [${other.low}, ${other.high}]`,
          );
      }),
      { numRuns: 150 },
    );
  });

  test('of equals the smallest; a loss of 1 % is accepted, one of 4 % is not', () => {
    const of = (two: number) =>
      compare(
        planted(
          new Map<number | 'twin', number[]>([
            [2, around(two)],
            [8, around(0)],
            ['twin', around(0)],
          ]),
        ),
      ).recommended;
    assert.equal(of(0), 2);
    assert.equal(of(0.01), 2);
    assert.equal(of(0.04), 4);
  });

  test('a size that is as fast but delays the event loop more is not as good', () => {
    const equal = new Map<number | 'twin', number[]>([
      [2, around(0)],
      [8, around(0)],
      ['twin', around(0)],
    ]);
    const late = compare(planted(equal, new Map([[2, 30]])));
    assert.deepEqual([late.recommended, late.higherEventLoopDelay], [4, [2]]);
    const hardly = compare(planted(equal, new Map([[2, 1.8]])));
    assert.deepEqual([hardly.recommended, hardly.higherEventLoopDelay], [2, []], 'a millisecond is nothing');
  });

  test('a baseline that differs from its twin is noise, and nothing is recommended', () => {
    const logs = new Map<number | 'twin', number[]>([
      [2, around(0.5)],
      [8, around(-0.5)],
      ['twin', around(0.2)],
    ]);
    const { noisy, recommended, comparisons, settled } = compare(planted(logs));
    assert.deepEqual([noisy, recommended, settled], [true, null, false]);
    assert.equal(comparisons.get(8)?.verdict, 'unclear');
  });
});

test('the chances of being best sum to one', () => {
  const logs = new Map<number | 'twin', number[]>([
    [2, around(0.3)],
    [8, [0.1, -0.1, 0.2, -0.2, 0.1, -0.1, 0, 0]],
    ['twin', around(0)],
  ]);
  const { comparisons } = compare(planted(logs));
  const sum = [...comparisons.values()].reduce(
    (total, { probabilityOfBest }) => total + probabilityOfBest,
    0,
  );
  assert.ok(Math.abs(sum - 1) < 1e-9);
  assert.equal(comparisons.get(2)?.probabilityOfBest, 0);
  assert.ok((comparisons.get(2)?.expectedLoss ?? 0) > 0.3);
});

describe('one pair', () => {
  const pairs = (generations: readonly (readonly Block[])[]) =>
    generations.map((blocks) => {
      const of = (arm: number | 'twin') => blocks.map((block) => block.get(arm)?.time as number);
      return { values: of(8), reference: of('twin') };
    });

  test('is judged falsely in at most one suite of twenty, looked at after every generation', () => {
    const random = createRandom(41);
    const world = { ...CALM, process: 0.02, truth: () => 100 };
    const mostGenerations = 12;
    let wrong = 0;
    for (let trial = 0; trial < 400; trial++) {
      const generations: Block[][] = [];
      while (generations.length < mostGenerations) {
        generations.push(generation(world, 3, random));
        const { low, high } = comparePair(pairs(generations), {
          looks: evenLooks(generations.length, mostGenerations),
          comparisons: 1,
        });
        if (low > 1 || high < 1) {
          wrong++;
          break;
        }
      }
    }
    // 5 % of 400 are 20, with a standard deviation of 4.4.
    assert.ok(wrong <= 33, `${wrong} of 400`);
  });

  test('has an interval that several comparisons widen, none before the first look, and needs a generation', () => {
    const random = createRandom(42);
    const world = { ...CALM, truth: (size: number) => (size === 8 ? 130 : 100) };
    const some = pairs(Array.from({ length: 8 }, () => generation(world, 3, random)));
    const alone = comparePair(some, { looks: evenLooks(8, 8), comparisons: 1 });
    const beside = comparePair(some, { looks: evenLooks(8, 8), comparisons: 6 });
    assert.equal(alone.verdict, 'worse');
    assert.ok(beside.low < alone.low && beside.high > alone.high && beside.ratio === alone.ratio);
    const early = comparePair(some.slice(0, FIRST_LOOK - 1), {
      looks: evenLooks(FIRST_LOOK - 1, 8),
      comparisons: 1,
    });
    assert.deepEqual(
      [early.high, early.verdict, early.settled],
      [Number.POSITIVE_INFINITY, 'unclear', false],
    );
    assert.throws(() => comparePair([], { looks: [], comparisons: 1 }), RangeError);
  });
});
