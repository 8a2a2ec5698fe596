import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { least, most } from '#plimsoll/collections/extremes.js';
import { itemAt } from '#plimsoll/collections/item-at.js';
import { lowerBound } from '#plimsoll/collections/lower-bound.js';

test('the lower bound is how many items of an ordered list come first', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 })),
      fc.integer({ min: -1, max: 21 }),
      (list, limit) => {
        const ordered = list.toSorted((a, b) => a - b);
        assert.equal(
          lowerBound(ordered, (value) => value < limit),
          ordered.filter((value) => value < limit).length,
        );
      },
    ),
  );
});

test('an item is there, or its absence is said', () => {
  assert.equal(itemAt(Float64Array.of(5, 0), 1), 0);
  assert.throws(() => itemAt([1], 1), RangeError);
  assert.throws(() => itemAt([1], -1), RangeError);
});

test('extremes of more values than a call takes arguments, and of none', () => {
  const values = Array.from({ length: 500_000 }, (_, index) => (index * 7919) % 500_000);
  assert.deepEqual([least(values), most(values)], [0, 499_999]);
  assert.deepEqual([least([]), most([])], [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
});
