import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeWorkload } from '#plimsoll/report/work.js';
import { resolveParameters } from '#plimsoll/workloads/parameters.js';

test("the defaults are the original suite's", () => {
  assert.deepEqual(resolveParameters('file'), { operations: 1000, bytes: 102_400 });
  assert.deepEqual(resolveParameters('crypto'), {
    operations: 100,
    iterations: 100_000,
    digest: 'sha512',
    keyBytes: 64,
  });
  assert.equal(resolveParameters('zlib').bytes, 102_400);
  assert.equal(resolveParameters('dns').operations, 50);
});

test('--quick makes operations cheaper, --ops and --set win over it, --scale multiplies costs and no counts', () => {
  assert.equal(resolveParameters('crypto', { quick: true }).iterations, 10_000);
  assert.equal(resolveParameters('file', { quick: true, operations: 7 }).operations, 7);
  assert.equal(resolveParameters('crypto', { quick: true, set: { iterations: '5' } }).iterations, 5);
  const scaled = resolveParameters('crypto', { scale: 0.5 });
  assert.deepEqual([scaled.iterations, scaled.operations, scaled.keyBytes], [50_000, 100, 64]);
  assert.equal(resolveParameters('zlib', { scale: 1e-9 }).bytes, 1, 'never nothing');
});

test('unknown parameters and values out of range are refused', () => {
  assert.throws(() => resolveParameters('dns', { set: { names: 'x' } }));
  assert.throws(() => resolveParameters('crypto', { set: { iterations: '0' } }));
  assert.throws(() => resolveParameters('crypto', { set: { iterations: 'many' } }));
});

test('descriptions tell the numbers', () => {
  assert.equal(
    describeWorkload('crypto', resolveParameters('crypto')),
    '100 × pbkdf2, 100,000 iterations, sha512, 64 bytes',
  );
});
