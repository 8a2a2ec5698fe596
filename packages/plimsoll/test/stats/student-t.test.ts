import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { studentCritical, studentTwoSidedP } from '#plimsoll/stats/student-t.js';

test('the critical values of the printed tables', () => {
  // df, two-sided p, t: Abramowitz & Stegun 26.10.
  for (const [df, p, t] of [
    [1, 0.05, 12.706],
    [2, 0.05, 4.303],
    [3, 0.01, 5.841],
    [4, 0.05, 2.776],
    [9, 0.05, 2.262],
    [30, 0.01, 2.75],
    [120, 0.05, 1.98],
  ] as const)
    assert.ok(Math.abs(studentCritical(p, df) - t) < 0.0006, `df ${df}, p ${p}: ${studentCritical(p, df)}`);
});

test('p and the critical value are each other’s inverse; p falls with t', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.double({ min: 1e-6, max: 0.999, noNaN: true }),
      (df, p) => {
        const t = studentCritical(p, df);
        assert.ok(Math.abs(studentTwoSidedP(t, df) - p) < 1e-6 * Math.max(1, p / 1e-3));
        assert.ok(studentTwoSidedP(t * 1.1, df) <= studentTwoSidedP(t, df));
        assert.equal(studentTwoSidedP(-t, df), studentTwoSidedP(t, df));
      },
    ),
  );
  assert.equal(studentTwoSidedP(0, 5), 1);
  assert.equal(studentTwoSidedP(Number.POSITIVE_INFINITY, 5), 0);
});
