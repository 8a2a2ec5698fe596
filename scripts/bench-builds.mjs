// `npm run bench:builds -- OLD [NEW] [--blocks N] [--ms N] [--node PATH] [--page FILE]`: two builds of @plimsoll/pool beside each
// other, small tasks at one and two workers with 1, 32 and 1,000 tasks under way (`--workers 1 --windows 1`: one cell). OLD and NEW
// are folders of the package with their `dist`, NEW by default this one. In each process both take turns of 40 ms, because the rate of one build varies more than
// twofold from process to process; which build comes first alternates.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { medianOf, medianRatio } from './ratio.mjs';
import { root } from './run.mjs';

/** A build is no slower when it has so much of the other one's rate. */
const ENOUGH = 0.97;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    blocks: { type: 'string', default: '12' },
    ms: { type: 'string', default: '1200' },
    node: { type: 'string', default: process.execPath },
    workers: { type: 'string', default: '1,2' },
    windows: { type: 'string', default: '1,32,1000' },
    page: { type: 'string' },
  },
});
const [old, recent = join(root, 'packages/pool')] = positionals.map((path) => resolve(path));
const blocks = Number(values.blocks);
const milliseconds = Number(values.ms);
const [allWorkers, allWindows] = [values.workers, values.windows].map((list) => list.split(',').map(Number));
if (
  old === undefined ||
  ![blocks, milliseconds, ...allWorkers, ...allWindows].every((number) => number > 0)
) {
  console.error(
    'usage: npm run bench:builds -- OLD [NEW] [--blocks N] [--ms N] [--node PATH] [--workers 1,2] [--windows 1,32] [--page FILE]',
  );
  process.exit(2);
}

/** @typedef {{ rate: number, cpu: number }} Slice */
const child = join(root, 'packages/pool/scripts/bench-child.mjs');

/**
 * Of each build, its medians of tasks a second and of microseconds of CPU for each; and the ratios of neighbouring turns.
 *
 * @param {boolean} isOldFirst @param {number} workers @param {number} window
 */
function measure(isOldFirst, workers, window) {
  const builds = isOldFirst ? [old, recent] : [recent, old];
  const args = [child, ...builds, workers, window, milliseconds].map(String);
  const { status, stdout, stderr } = spawnSync(values.node, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the builds ended with ${status}: ${stderr}`);
  /** @type {Slice[][]} */
  const slices = JSON.parse(stdout);
  const [before = [], after = []] = isOldFirst ? slices : slices.reverse();
  /** @param {keyof Slice} metric */
  const medians = (metric) => ({
    old: medianOf(before.map((slice) => slice[metric])),
    recent: medianOf(after.map((slice) => slice[metric])),
    ratio: medianOf(after.map((slice, turn) => slice[metric] / (before[turn]?.[metric] ?? Number.NaN))),
  });
  return { rate: medians('rate'), cpu: medians('cpu') };
}

const lines = [
  '| workers | under way | old, tasks/s | new, tasks/s | new ÷ old [95 %] | old, µs of CPU | new, µs of CPU | new ÷ old [95 %] |',
  '|---|---|---|---|---|---|---|---|',
];
let isSlower = false;
for (const workers of allWorkers) {
  for (const window of allWindows) {
    const runs = Array.from({ length: blocks }, (_, block) => measure(block % 2 === 0, workers, window));
    /** @param {keyof Slice} metric @param {(value: number) => string} format */
    const columns = (metric, format) => {
      const { text, high } = medianRatio(runs.map((run) => run[metric].ratio));
      if (metric === 'rate' && high < ENOUGH) isSlower = true;
      return [
        ...[runs.map((run) => run[metric].old), runs.map((run) => run[metric].recent)]
          .map(medianOf)
          .map(format),
        text,
      ];
    };
    const rates = columns('rate', (value) => Math.round(value).toLocaleString('en'));
    const cpu = columns('cpu', (value) => value.toFixed(2));
    const cells = [workers, window.toLocaleString('en'), ...rates, ...cpu];
    const line = `| ${cells.join(' | ')} |`;
    lines.push(line);
    console.log(line);
  }
}
const version = spawnSync(values.node, ['--version'], { encoding: 'utf8' }).stdout.trim();
const how = `Node.js ${version}, ${cpus().length} × ${cpus()[0]?.model}; ${blocks} processes a cell, in each of which the builds take turns of 40 ms, ${milliseconds} ms each.`;
console.log(how);
if (values.page !== undefined) writeFileSync(values.page, `${how}\n\n${lines.join('\n')}\n`);
process.exitCode = isSlower ? 1 : 0;
