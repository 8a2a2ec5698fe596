// `npm test [-- FILTER…]`: install, build and type-check, lint, run every test (or those whose path has a FILTER in it).
import { join } from 'node:path';
import { root, run, setup } from './setup.mjs';
import { testFiles } from './test-files.mjs';

setup();
run(process.execPath, [
  join(root, 'node_modules/@biomejs/biome/bin/biome'),
  'check',
  '--error-on-warnings',
  '.',
]);
run(process.execPath, ['--test', '--test-reporter=spec', ...testFiles(process.argv.slice(2))]);
