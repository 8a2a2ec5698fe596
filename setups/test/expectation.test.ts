import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaints, merged } from '#setups/expectation.js';
import type { RowResult, SetupsResult } from '#setups/result.js';

const row = (name: string, cells: RowResult['cells']): RowResult => ({
  ...{ group: 'group', name, line: 20, version: 'v20.20.2', packages: {} },
  cells,
});

const result = (...rows: RowResult[]): SetupsResult => ({ rows }) as unknown as SetupsResult;

test('a row in which Piscina works and we do not is wrong', () => {
  const rows = [
    row('one', { plimsoll: 'Error: odd', piscina: null }),
    row('two', { plimsoll: 'odd', piscina: 'odd' }),
  ];
  assert.deepEqual(complaints(rows, null), [
    'group · one, Node 20, plimsoll: Piscina works here: Error: odd',
  ]);
});

test('a cell of ours that worked before and does not now is wrong, whatever Piscina does', () => {
  const rows = [row('one', { plimsoll: 'Error: odd', piscina: 'Error: odd' })];
  assert.deepEqual(complaints(rows, result(row('one', { plimsoll: null, piscina: 'Error: odd' }))), [
    'group · one, Node 20, plimsoll: worked before; now: Error: odd',
  ]);
});

test('the expectation stands for what was not run of Piscina', () => {
  const expected = result(row('one', { plimsoll: 'Error: odd', piscina: null }));
  assert.equal(complaints([row('one', { plimsoll: 'Error: odd' })], expected).length, 1);
  assert.equal(complaints([row('one', { plimsoll: null })], expected).length, 0);
});

test('the module that stands in for Piscina is ours too', () => {
  assert.equal(
    complaints([row('one', { plimsoll: null, 'plimsoll/piscina': 'odd', piscina: null })], null).length,
    1,
  );
});

test('a partial run keeps the other cells and rows of the expectation, and drops what is gone', () => {
  const expected = result(
    row('one', { plimsoll: 'odd', piscina: null }),
    row('two', { plimsoll: null }),
    row('gone', { plimsoll: null }),
  );
  const all = ['one', 'two', 'new'].map((name) => ({ group: 'group', name, line: 20 }));
  assert.deepEqual(merged(result(row('one', { plimsoll: null })), expected, all).rows, [
    row('one', { plimsoll: null, piscina: null }),
    row('two', { plimsoll: null }),
  ]);
});
