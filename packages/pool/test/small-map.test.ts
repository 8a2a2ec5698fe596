import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SmallMap } from '../dist/shared/small-map.js';

const key = fc.integer({ min: -3, max: 6 });
const step = fc.oneof(
  fc.tuple(fc.constant('set' as const), key),
  fc.tuple(fc.constant('take' as const), key),
);

test('a small map has what a Map has, after any steps', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const map = new Map<number, object>();
      const small = new SmallMap<object>();
      for (const [kind, number] of steps) {
        if (kind === 'set') {
          const value = {};
          map.set(number, value);
          small.set(number, value);
        } else {
          assert.equal(small.take(number), map.get(number));
          map.delete(number);
        }
        assert.equal(small.size, map.size);
        for (let each = -3; each <= 6; each++) {
          assert.equal(small.has(each), map.has(each));
          assert.equal(small.get(each), map.get(each));
        }
      }
    }),
  );
});
