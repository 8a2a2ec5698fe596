// `npm test [-- FILTER…]`: install, build and type-check, lint, run every test (or those whose path has a FILTER in it).
import { join } from 'node:path';
import { root, run, setup } from './setup.mjs';
import { testFiles, testRuns } from './test-files.mjs';

setup();
run(process.execPath, [
  join(root, 'node_modules/@biomejs/biome/bin/biome'),
  'check',
  '--error-on-warnings',
  '.',
]);
for (const args of testRuns(testFiles(process.argv.slice(2)))) run(process.execPath, args);
