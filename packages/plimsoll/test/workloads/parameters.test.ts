import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolveParameters } from '#plimsoll/workloads/parameters.js';

test('the defaults: as many operations at once as fill any pool, cheap enough for short rounds', () => {
  assert.deepEqual(resolveParameters('file'), { operations: 100, bytes: 102_400 });
  assert.deepEqual(resolveParameters('crypto'), {
    operations: 100,
    iterations: 1_000,
    digest: 'sha512',
    keyBytes: 64,
  });
  assert.equal(resolveParameters('zlib').bytes, 25_600);
  assert.equal(resolveParameters('dns').operations, 32);
});

test('--set wins over --ops, --scale multiplies costs and no counts', () => {
  assert.equal(resolveParameters('file', { operations: 7 }).operations, 7);
  assert.equal(resolveParameters('file', { operations: 7, set: { operations: '5' } }).operations, 5);
  const scaled = resolveParameters('crypto', { scale: 0.5 });
  assert.deepEqual([scaled.iterations, scaled.operations, scaled.keyBytes], [500, 100, 64]);
  assert.equal(resolveParameters('zlib', { scale: 1e-9 }).bytes, 1, 'never nothing');
});

test('unknown parameters and values out of range are refused', () => {
  assert.throws(() => resolveParameters('dns', { set: { names: 'x' } }));
  assert.throws(() => resolveParameters('crypto', { set: { iterations: '0' } }));
  assert.throws(() => resolveParameters('crypto', { set: { iterations: 'many' } }));
});
