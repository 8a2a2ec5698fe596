import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
// @ts-expect-error a script without declarations
import { DOCUMENTS, errorTable, tableIn } from '../scripts/error-table.mjs';

for (const document of DOCUMENTS as readonly URL[]) {
  test(`the table of error codes is that of errors.ts: ${document.pathname.split('/').slice(-2).join('/')}`, () => {
    const hint = 'run node packages/bullmq/scripts/error-table.mjs';
    assert.equal(tableIn(readFileSync(document, 'utf8')), errorTable(), hint);
  });
}
