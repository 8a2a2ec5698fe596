// Writes the table of error codes into the documents: `node packages/pool/scripts/error-table.mjs`, after a build.
import { readFileSync, writeFileSync } from 'node:fs';
import { ERRORS } from '../dist/errors.js';

/** The documents with a table of codes: its first column is the code. */
export const DOCUMENTS = ['../README.md', '../../../docs/reference/pool.md'].map(
  (path) => new URL(path, import.meta.url),
);

const quoted = (names) => names.replace(/\w+Error/g, '`$&`');

/** The table as Markdown. */
export function errorTable() {
  const rows = Object.entries(ERRORS).map(
    ([code, { thrownAs, when, remedy }]) => `| \`${code}\` | ${quoted(thrownAs)} | ${when} | ${remedy} |`,
  );
  return ['| code | class | when | what to do |', '|---|---|---|---|', ...rows].join('\n');
}

/** The table in a document: all lines of the one whose rows begin with a code. */
const TABLE = /(?:^\|.*\n){2}(?:^\| `PLIMSOLL_POOL_.*(?:\n|$))+/m;

/** @returns the table that the document has, without a line break at the end; undefined: none. */
export const tableIn = (text) => TABLE.exec(text)?.[0].trimEnd();

if (import.meta.main ?? process.argv[1] === new URL(import.meta.url).pathname) {
  for (const document of DOCUMENTS) {
    const text = readFileSync(document, 'utf8');
    writeFileSync(
      document,
      text.replace(TABLE, () => `${errorTable()}\n`),
    );
  }
}
