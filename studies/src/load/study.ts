// Fills the six tables of the original load test, every cell, and writes load.json and load.md. An interrupted study goes on
// where it was: what load.json holds is not measured again (remove the file to start anew). Only the full study writes to
// docs/results by itself. `--quick`: two sizes at a five-hundredth of the cost. `--from FILE`: the page of an earlier result.
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadSchema } from 'plimsoll/lab';
import { positive, readOptions } from '../common/arguments.js';
import { readResult, runCommand } from '../common/cli.js';
import type { Command } from '../common/command.js';
import { RESULTS, scratch, writeOutput } from '../common/paths.js';
import { loadPage } from './page.js';

const QUICK = { scale: '0.002', sizes: '4,8' };

export const loadStudy: Command = {
  name: 'load',
  run(args) {
    const { values } = readOptions(args, {
      quick: { type: 'boolean' },
      scale: { type: 'string' },
      sizes: { type: 'string' },
      out: { type: 'string' },
      from: { type: 'string' },
    });
    const chosen = { ...(values.quick ? QUICK : {}), ...values };
    const scale = positive(chosen.scale, '--scale', 1);
    const isFull = scale === 1 && chosen.sizes === undefined;
    const out = resolve(values.out ?? (isFull ? RESULTS : scratch('load')));
    const file = values.from ?? join(out, 'load.json');
    if (values.from === undefined) measure(out, file, scale, chosen.sizes);
    writeOutput(out, 'load.md', loadPage(readResult(file, loadSchema), scale));
    return 0;
  },
};

function measure(out: string, file: string, scale: number, sizes: string | undefined): void {
  mkdirSync(out, { recursive: true });
  runCommand([
    ...['load', '--mode', 'pm2-fork,pm2-cluster', '--case', 'all', '--seed', '2026'],
    ...(sizes === undefined ? [] : ['--sizes', sizes]),
    ...['--scale', String(scale), '--resume', '--json', file],
  ]);
}
