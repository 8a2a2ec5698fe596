import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { kendall } from '#studies/load/kendall.js';

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
