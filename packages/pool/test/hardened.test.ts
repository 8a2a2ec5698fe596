import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSameGraph } from './graph.js';
import { caught, fixture, poolFor } from './support.js';

test('a worker whose prototypes are frozen gets every value as it is', { timeout: 240_000 }, async (t) => {
  const pool = poolFor(t, { filename: fixture('hardened.mjs') });
  const few = { toString: 1, constructor: { valueOf: 2 } };
  const many = Object.fromEntries([...'abcdefghi', 'toString', 'hasOwnProperty'].map((name) => [name, few]));
  const values = [
    few,
    many,
    [few, few],
    JSON.parse('{"__proto__": 1}'),
    new Map([['toString', new Error('one')]]),
  ];
  for (const value of values)
    assertSameGraph(await pool.run(value, { name: 'echo' }), structuredClone(value));
  const error = await caught(pool.run({ code: 'E', toString: 1 }, { name: 'fail' }));
  assert.ok(error instanceof TypeError);
  assert.equal(error.code, 'E');
  assert.equal(error.toString, 1);
});
