// `npm test [-- --fast --no-skips FILTER…]`: install, build and type-check, lint, run every test, or those whose path has a
// FILTER in it. --fast leaves out what is slow (test-files.mjs); --no-skips fails when a test was skipped that this machine
// should run.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { OWN_LINE } from './node-lines.mjs';
import { root, run } from './run.mjs';
import { runTests } from './run-tests.mjs';
import { setup } from './setup.mjs';
import { testFiles } from './test-files.mjs';

const { values, positionals } = parseArgs({
  options: { fast: { type: 'boolean', default: false }, 'no-skips': { type: 'boolean', default: false } },
  allowPositionals: true,
});

setup();
run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'scripts']);
run(process.execPath, [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'check', '--error-on-warnings']);
const files = testFiles(positionals, { fast: values.fast });
if (files.length === 0) {
  console.error(`no test file has ${positionals.join(' or ')} in its path`);
  process.exit(2);
}
await runTests(process.execPath, OWN_LINE, files, values['no-skips']);
