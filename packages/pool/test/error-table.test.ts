import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CODES } from '../dist/errors.js';

/** All lines of the table whose rows begin with a code. */
const TABLE = /(?:^\|.*\n){2}(?:^\| `PLIMSOLL_POOL_.*\n)+/m;

const tableIn = (path: string): string =>
  TABLE.exec(readFileSync(new URL(path, import.meta.url), 'utf8'))?.[0] ?? '';

test('the reference has every error code of errors.ts in its table, and the README has the same table', () => {
  const table = tableIn('../../../docs/reference/pool.md');
  const codes = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code);
  assert.deepEqual(codes, [...CODES]);
  assert.equal(tableIn('../README.md'), table);
});
