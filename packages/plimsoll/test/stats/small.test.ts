import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { eventLoopDelay } from '#plimsoll/stats/event-loop-delay.js';
import { median, quantile } from '#plimsoll/stats/quantile.js';
import { createRandom } from '#plimsoll/stats/random.js';

const near = (actual: number, expected: number, tolerance = 1e-9): void =>
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);

describe('quantile', () => {
  test('type 7, as R and NumPy', () => {
    near(quantile([1, 2, 3, 4], 0.25), 1.75);
    near(quantile([10, 1, 4], 0.9), 8.8);
    assert.equal(median([3, 1, 2]), 2);
    assert.throws(() => quantile([], 0.5), RangeError);
  });

  test('leaves its input as it was', () => {
    const values = [3, 1, 2];
    median(values);
    assert.deepEqual(values, [3, 1, 2]);
  });
});

describe('lateness of a timer due at a random moment', () => {
  test('a loop that turns every millisecond is never late', () => {
    assert.deepEqual(eventLoopDelay(new Array(100).fill(1), 1), { p50: 0, p99: 0, max: 0 });
  });

  test('one stall weighs what it lasted', () => {
    // Half of the 202 ms is one gap of 101 ms: half of all moments are late, by 0 to 100 ms, evenly.
    const { p50, p99, max } = eventLoopDelay([...new Array(101).fill(1), 101], 1);
    near(max, 100);
    near(p99, 100 - 0.01 * 202, 1e-9);
    assert.ok(p50 < 1);
  });

  test('agrees with moments drawn at random', () => {
    const random = createRandom(3);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 3, maxLength: 40 }), (gaps) => {
        const lateness = gaps.flatMap((gap) =>
          Array.from({ length: gap * 40 }, () => Math.max(0, gap - 1 - random.next() * gap)),
        );
        const { p50, p99 } = eventLoopDelay(gaps, 1);
        near(p50, quantile(lateness, 0.5), 4);
        near(p99, quantile(lateness, 0.99), 4);
      }),
      { numRuns: 50 },
    );
  });
});

describe('random numbers', () => {
  test('the same seed gives the same ones', () => {
    const draw = (seed: number): number[] =>
      createRandom(seed).shuffle(Array.from({ length: 50 }, (_, i) => i));
    assert.deepEqual(draw(5), draw(5));
    assert.notDeepEqual(draw(5), draw(6));
    assert.deepEqual(
      draw(5).toSorted((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => i),
    );
  });
});
