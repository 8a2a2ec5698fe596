// Writes the table of error codes into the documents: `node packages/pool/scripts/error-table.mjs`, after a build.
import { fileURLToPath } from 'node:url';
import { errorTableOf } from '../../../scripts/error-table.mjs';
import { ERRORS } from '../dist/errors.js';

const documents = ['../README.md', '../../../docs/reference/pool.md'];
const table = errorTableOf(
  ERRORS,
  'PLIMSOLL_POOL_',
  documents.map((path) => new URL(path, import.meta.url)),
);
export const { DOCUMENTS, errorTable, tableIn } = table;

if (process.argv[1] === fileURLToPath(import.meta.url)) table.writeTables();
