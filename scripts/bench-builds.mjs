// `npm run bench:builds -- OLD [NEW] [--blocks N] [--ms N] [--node PATH] [--page FILE]`: two builds of @plimsoll/pool beside each
// other, small tasks at one and two workers with 1, 32 and 1,000 tasks under way. OLD and NEW are folders of the package with
// their `dist`, NEW by default this one. Each run is a process of its own; the builds alternate, so that a disturbance hits both.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { medianOf, medianRatio } from './ratio.mjs';
import { root } from './run.mjs';

const WORKERS = [1, 2];
const WINDOWS = [1, 32, 1000];
/** A build is no slower when it has so much of the other one's rate. */
const ENOUGH = 0.97;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    blocks: { type: 'string', default: '10' },
    ms: { type: 'string', default: '700' },
    node: { type: 'string', default: process.execPath },
    page: { type: 'string' },
  },
});
const [old, recent = join(root, 'packages/pool')] = positionals.map((path) => resolve(path));
const blocks = Number(values.blocks);
const milliseconds = Number(values.ms);
if (old === undefined || !(blocks > 0) || !(milliseconds > 0)) {
  console.error('usage: npm run bench:builds -- OLD [NEW] [--blocks N] [--ms N] [--node PATH] [--page FILE]');
  process.exit(2);
}

const child = join(root, 'packages/pool/scripts/bench-child.mjs');

/** Tasks a second, and microseconds of CPU for each. @param {string} build @param {number} workers @param {number} window */
function measure(build, workers, window) {
  const args = [child, build, String(workers), String(window), String(milliseconds)];
  const { status, stdout, stderr } = spawnSync(values.node, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${build} ended with ${status}: ${stderr}`);
  const [rate = Number.NaN, cpu = Number.NaN] = stdout.trim().split(' ').map(Number);
  return { rate, cpu };
}

const lines = [
  '| workers | under way | old, tasks/s | new, tasks/s | new ÷ old [95 %] | old, µs of CPU | new, µs of CPU | new ÷ old [95 %] |',
  '|---|---|---|---|---|---|---|---|',
];
let isSlower = false;
for (const workers of WORKERS) {
  for (const window of WINDOWS) {
    /** @type {{ rate: number, cpu: number }[]} */
    const before = [];
    /** @type {{ rate: number, cpu: number }[]} */
    const after = [];
    for (let block = 0; block < blocks; block++) {
      const isFirst = block % 2 === 0;
      const first = measure(isFirst ? old : recent, workers, window);
      const second = measure(isFirst ? recent : old, workers, window);
      before.push(isFirst ? first : second);
      after.push(isFirst ? second : first);
    }
    /** @param {'rate' | 'cpu'} what */
    const ratioOf = (what) => {
      const ratios = after.map((run, block) => run[what] / (before[block]?.[what] ?? Number.NaN));
      const { text, high } = medianRatio(ratios);
      if (what === 'rate' && high < ENOUGH) isSlower = true;
      return text;
    };
    const rates = [before, after].map((runs) =>
      Math.round(medianOf(runs.map(({ rate }) => rate))).toLocaleString('en'),
    );
    const cpus = [before, after].map((runs) => medianOf(runs.map(({ cpu }) => cpu)).toFixed(2));
    const cells = [workers, window.toLocaleString('en'), ...rates, ratioOf('rate'), ...cpus, ratioOf('cpu')];
    const line = `| ${cells.join(' | ')} |`;
    lines.push(line);
    console.log(line);
  }
}
const version = spawnSync(values.node, ['--version'], { encoding: 'utf8' }).stdout.trim();
const how = `Node.js ${version}, ${cpus().length} × ${cpus()[0]?.model}; ${blocks} pairs of processes a cell, in alternating order, ${milliseconds} ms each.`;
console.log(how);
if (values.page !== undefined) writeFileSync(values.page, `${how}\n\n${lines.join('\n')}\n`);
process.exitCode = isSlower ? 1 : 0;
