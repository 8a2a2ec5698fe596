// `npm run report`: one HTML page of everything in docs/results.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './run.mjs';
import { setup } from './setup.mjs';

setup();
const results = readdirSync(join(root, 'docs/results'))
  .filter((name) => /\.json(\.gz)?$/.test(name))
  .map((name) => `docs/results/${name}`);
const title = ['--title', 'plimsoll: everything that was measured'];
run(process.execPath, [
  'packages/plimsoll/bin/plimsoll.js',
  'report',
  ...results,
  ...title,
  '--out',
  'report.html',
]);
