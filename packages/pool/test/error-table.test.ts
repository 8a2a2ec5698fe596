import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

interface ErrorTable {
  readonly DOCUMENTS: readonly URL[];
  errorTable(): string;
  tableIn(text: string): string | undefined;
}

const script = new URL('../scripts/error-table.mjs', import.meta.url).href;
const { DOCUMENTS, errorTable, tableIn } = (await import(script)) as ErrorTable;

for (const document of DOCUMENTS) {
  test(`the table of error codes is that of errors.ts: ${document.pathname.split('/').slice(-2).join('/')}`, () => {
    const hint = 'run node packages/pool/scripts/error-table.mjs';
    assert.equal(tableIn(readFileSync(document, 'utf8')), errorTable(), hint);
  });
}
