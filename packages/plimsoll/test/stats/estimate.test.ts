import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { estimateRatio, judgeRatio } from '#plimsoll/stats/estimate.js';
import { kendall } from '#plimsoll/stats/kendall.js';

describe('a ratio', () => {
  test('is refused where nothing can be divided', () => {
    for (const [values, reference] of [
      [[], []],
      [[1, 2], [1]],
      [[0], [1]],
      [[1], [Number.NaN]],
      [[Number.POSITIVE_INFINITY], [1]],
    ])
      assert.equal(estimateRatio(values as number[], reference as number[]), null);
    assert.equal(estimateRatio(null, [1]), null);
    assert.equal(estimateRatio([20, 22], [10, 11])?.value, 2);
  });

  const reference = [100, 101, 99, 100, 102, 98];
  const times = (factor: number): number[] => reference.map((value) => value * factor);
  const quiet = { baseline: reference, twin: times(1.001) };

  test('is better, worse or the same as its interval says', () => {
    assert.equal(judgeRatio(times(0.5), reference, quiet)?.verdict, 'better');
    assert.equal(judgeRatio(times(2), reference, quiet)?.verdict, 'worse');
    assert.equal(judgeRatio(times(1.01), reference, quiet)?.verdict, 'same');
    assert.equal(judgeRatio(times(1.05), reference, null)?.verdict, 'worse');
  });

  test('never has a verdict that its interval contradicts', () => {
    const value = fc.double({ min: 0.5, max: 2, noNaN: true });
    const column = fc.array(value, { minLength: 6, maxLength: 9 });
    fc.assert(
      fc.property(column, column, (some, others) => {
        const count = Math.min(some.length, others.length);
        const found = judgeRatio(some.slice(0, count), others.slice(0, count), null);
        assert.ok(found !== null);
        const { low, high, verdict } = found;
        const leavesOutOne = low > 1 || high < 1;
        if (verdict === 'unclear') assert.ok(!leavesOutOne || (low >= 1 / 1.03 && high <= 1.03));
        else if (verdict !== 'same') assert.equal(leavesOutOne, true);
      }),
    );
  });

  test('is unclear with fewer than six blocks, or when twins differ', () => {
    const few = { baseline: reference.slice(1), twin: times(1.001).slice(1) };
    assert.equal(judgeRatio(times(2).slice(1), reference.slice(1), few)?.verdict, 'unclear');
    assert.equal(
      judgeRatio(times(2), reference, { baseline: reference, twin: times(1.5) })?.verdict,
      'unclear',
    );
  });
});

describe('kendall', () => {
  test('is the published tau of a sample without ties', () => {
    // Hollander & Wolfe, Nonparametric Statistical Methods (1973), p. 187 f., the example of R's cor.test: T = 26, tau = 0.444.
    const lightness = [44.4, 45.9, 41.9, 53.3, 44.7, 44.1, 50.7, 45.2, 60.1];
    const panel = [2.6, 3.1, 2.5, 5.0, 3.6, 4.0, 5.2, 2.8, 3.8];
    const pairs = lightness.map((x, index) => [x, panel[index] as number] as const);
    assert.ok(Math.abs(kendall(pairs) - 0.4444444) < 1e-7);
  });

  test('is 1, −1 and 0 where it must be, and leaves out pairs of one x', () => {
    assert.equal(
      kendall([
        [1, 1],
        [2, 2],
        [3, 9],
      ]),
      1,
    );
    assert.equal(
      kendall([
        [1, 9],
        [2, 2],
        [3, 1],
      ]),
      -1,
    );
    assert.equal(kendall([]), 0);
    assert.equal(
      kendall([
        [1, 5],
        [1, 6],
      ]),
      0,
    );
    assert.equal(
      kendall([
        [1, 5],
        [1, 6],
        [2, 7],
      ]),
      1,
    );
    assert.ok(
      Math.abs(
        kendall([
          [1, 10],
          [2, 30],
          [3, 20],
        ]) -
          1 / 3,
      ) < 1e-12,
    );
  });
});
