// `node run-stage.mjs AT_A_TIME PRINTED ENTRIES FILE…`: runs test files in this order, in which `node --test` would not. What
// people read goes to standard output when PRINTED is `-`, else into that file; a line of JSON for each file's outermost tests
// with their time, and for each test that was skipped or failed, into ENTRIES.
import { appendFileSync, createWriteStream, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { root } from './run.mjs';

const [atATime, printed, entries, ...files] = process.argv.slice(2);
writeFileSync(entries, '');
const events = run({ files: files.map((file) => resolve(file)), concurrency: Number(atATime) });
events.on('test:pass', note);
events.on('test:fail', (data) => {
  process.exitCode = 1;
  note(data);
});
const people = printed === '-' ? process.stdout : createWriteStream(printed);
events.pipe(new spec()).pipe(people);

/** @param {import('node:test').EventData.TestPass | import('node:test').EventData.TestFail} data */
function note({ name, file, nesting, skip, details }) {
  const error = 'error' in details ? String(details.error.cause ?? details.error) : undefined;
  if (skip === undefined && error === undefined && nesting > 0) return;
  const seconds = nesting === 0 ? details.duration_ms / 1000 : 0;
  const entry = { name, file: file === undefined ? '' : relative(root, file), seconds, skip, error };
  appendFileSync(entries, `${JSON.stringify(entry)}\n`);
}
