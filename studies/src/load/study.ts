// Fills the six tables of the original load test, every cell, and writes load.json.gz and load.md. An interrupted study goes on
// where it was: what .cache/study-load/load.json holds is not measured again (remove it to start anew). Only the full study writes
// to docs/results by itself. An operation costs a hundredth of the original's, so that every size gets five turns and more in nine
// minutes a table: with fewer operations instead the queue, which is what is studied, would be another one. `--scale 100`: at full
// cost, which takes half a day. `--quick`: two sizes, one generation of servers a table. `--from FILE`: the page of an earlier result.
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { readOptions } from '@plimsoll/lab';
import { positive } from '../common/arguments.js';
import { readResult, runCommand } from '../common/cli.js';
import type { Command } from '../common/command.js';
import { RESULTS, scratch, writeOutput } from '../common/paths.js';
import { loadPage } from './page.js';
import { loadSchema } from './result.js';

const MAIN = fileURLToPath(new URL('./cli/main.js', import.meta.url));
const QUICK = { scale: '0.02', sizes: '4,8', time: '0.5' };
const SCALE = 1;
const TABLE_SECONDS = 540;

export const loadStudy: Command = {
  name: 'load',
  run(args) {
    const { values } = readOptions(args, {
      quick: { type: 'boolean' },
      scale: { type: 'string' },
      sizes: { type: 'string' },
      time: { type: 'string' },
      out: { type: 'string' },
      from: { type: 'string' },
    });
    const chosen = { ...(values.quick ? QUICK : {}), ...values };
    const scale = positive(chosen.scale, '--scale', SCALE);
    const seconds = positive(chosen.time, '--time', TABLE_SECONDS);
    const isFull = scale === SCALE && seconds === TABLE_SECONDS && chosen.sizes === undefined;
    const out = resolve(values.out ?? (isFull ? RESULTS : scratch('load')));
    const measuring = join(values.out === undefined ? scratch('load') : out, 'load.json');
    if (values.from === undefined) measure(measuring, { scale, seconds, sizes: chosen.sizes });
    const result = readResult(values.from ?? measuring, loadSchema);
    const packed = gzipSync(JSON.stringify(result, rounded));
    writeOutput(out, 'load.json.gz', packed);
    writeOutput(out, 'load.md', loadPage(loadSchema.parse(JSON.parse(gunzipSync(packed).toString()))));
    return 0;
  },
};

interface Measured {
  readonly scale: number;
  /** Of each table. */
  readonly seconds: number;
  readonly sizes: string | undefined;
}

/** Further digits are noise, and most of the file. */
const KEPT_DIGITS = 4;

const rounded = (_: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(KEPT_DIGITS)) : value;

function measure(file: string, { scale, seconds, sizes }: Measured): void {
  mkdirSync(dirname(file), { recursive: true });
  const args = [
    ...['load', '--mode', 'pm2-fork,pm2-cluster', '--case', 'all', '--seed', '2026'],
    ...(sizes === undefined ? [] : ['--sizes', sizes]),
    ...['--scale', String(scale), '--time', String(seconds), '--resume', '--json', file],
  ];
  runCommand(args, process.execPath, MAIN);
}
