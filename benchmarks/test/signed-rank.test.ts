import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { hodgesLehmann, signedRankInterval } from '#benchmarks/common/signed-rank.js';

const near = (actual: number, expected: number, tolerance = 1e-9): void =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

describe('against published values', () => {
  test("depression scale (Hollander & Wolfe 1973, in R's documentation of wilcox.test)", () => {
    const first = [1.83, 0.5, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.3];
    const second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    const differences = first.map((value, index) => value - (second[index] as number));
    near(hodgesLehmann(differences), 0.46, 1e-3);
    const { low, high, level } = signedRankInterval(differences, 0.95);
    near(low, 0.01, 1e-9);
    near(high, 0.786, 1e-9);
    assert.ok(level >= 0.95 && level < 0.97);
  });

  // Two-sided 5 % critical values of the smaller rank sum, as every textbook table has them.
  const critical = { 6: 0, 7: 2, 8: 3, 9: 5, 10: 8, 12: 13, 15: 25, 20: 52, 25: 89 };
  for (const [n, most] of Object.entries(critical))
    test(`critical value for n = ${n} is ${most}`, () => {
      assert.ok(signedRankInterval(withSmallerSum(Number(n), most)).low > 0);
      assert.ok(signedRankInterval(withSmallerSum(Number(n), most + 1)).low < 0);
    });
});

/** Values 1 … n of which negative ones have ranks that sum up to `sum`. */
function withSmallerSum(n: number, sum: number): number[] {
  let rest = sum;
  const values: number[] = [];
  for (let rank = n; rank >= 1; rank--) {
    const negative = rank <= rest;
    if (negative) rest -= rank;
    values.push(negative ? -rank : rank);
  }
  return values;
}

test('with five values nothing can be significant, and the interval says what it covers', () => {
  assert.deepEqual(signedRankInterval([1, 2, 3, 4, 5]), { low: 1, high: 5, level: 0.9375 });
  assert.equal(signedRankInterval([3]).level, 0);
});

const sample = fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 6, maxLength: 20 });
const distinct = fc.uniqueArray(fc.integer({ min: -10_000, max: 10_000 }), { minLength: 6, maxLength: 18 });

describe('properties', () => {
  test('estimate and interval move and scale with the values', () => {
    fc.assert(
      fc.property(distinct, fc.integer({ min: -50, max: 50 }), (values, shift) => {
        const moved = values.map((value) => 2 * value + shift);
        near(hodgesLehmann(moved), 2 * hodgesLehmann(values) + shift, 1e-6);
        near(signedRankInterval(moved).low, 2 * signedRankInterval(values).low + shift, 1e-6);
      }),
    );
  });

  test('the interval holds the estimate', () => {
    fc.assert(
      fc.property(sample, (values) => {
        const { low, high, level } = signedRankInterval(values);
        assert.ok(low <= hodgesLehmann(values) && hodgesLehmann(values) <= high);
        assert.ok(level >= 0.95 && level < 1);
      }),
    );
  });
});
