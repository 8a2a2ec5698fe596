// `npm run study:load [-- --scale X --sizes LIST --out DIRECTORY]`: fills the six tables of the original load test, every
// cell, and writes load.json and load.md. An interrupted study goes on where it was: what load.json holds is not measured
// again (remove the file to start anew). Only the full study writes to docs/results by itself.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { root, setup } from './setup.mjs';
import { page } from './study-load/page.mjs';

const { values } = parseArgs({
  options: { scale: { type: 'string', default: '1' }, sizes: { type: 'string' }, out: { type: 'string' } },
});
const isFull = values.scale === '1' && values.sizes === undefined;
const out = resolve(values.out ?? join(root, isFull ? 'docs/results' : '.cache/study-load'));

setup();
mkdirSync(out, { recursive: true });
const file = join(out, 'load.json');
measure();
const plimsoll = {
  ...(await import('../packages/plimsoll/dist/index.js')),
  ...(await import('../packages/plimsoll/dist/lab.js')),
};
const result = plimsoll.loadSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
writeFileSync(join(out, 'load.md'), page(plimsoll, result, Number(values.scale)));
console.error(`wrote ${relative(process.cwd(), join(out, 'load.md'))}`);

function measure() {
  const main = join(root, 'packages/plimsoll/dist/cli/main.js');
  const args = ['load', '--mode', 'pm2-fork,pm2-cluster', '--case', 'all', '--seed', '2026'];
  const sizes = values.sizes === undefined ? [] : ['--sizes', values.sizes];
  const { status } = spawnSync(
    process.execPath,
    [main, ...args, ...sizes, '--scale', values.scale, '--resume', '--json', file],
    { stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
}
