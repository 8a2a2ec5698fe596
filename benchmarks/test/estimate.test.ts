import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { estimateRatio } from '#benchmarks/common/estimate.js';

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
});
