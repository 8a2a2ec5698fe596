// The four workloads of the original suite, and the mixed one, at its sizes and at the number of CPUs; writes bench.json and
// bench.md. With `--from FILE` it measures nothing: it analyses the rounds of FILE again, by the rules of the code as it is, and
// writes both. `--quick`: half a second of light work at two sizes, into .cache/study-bench.
import { type BenchResult, readOptions } from '@plimsoll/lab';
import { benchSchema } from '@plimsoll/lab/schemas';
import { readResult, resultOf } from '../common/cli.js';
import type { Command } from '../common/command.js';
import { RESULTS, scratch, writeOutput } from '../common/paths.js';
import { benchPage } from './page.js';
import { analyseAgain } from './reanalyse.js';

/** The work of the original suite: its rounds are longer than the tool's own, so it gets more time. */
const ORIGINAL_WORK = [
  'file.operations=1000',
  'crypto.iterations=100000',
  'zlib.bytes=102400',
  'dns.operations=50',
];
const FULL = ['--sizes', 'cpus,4,8,12', '--time', '120', ...ORIGINAL_WORK.flatMap((set) => ['--set', set])];
const QUICK = ['--sizes', '4,8', '--time', '0.5', '--scale', '0.05'];

export const benchStudy: Command = {
  name: 'bench',
  run(args) {
    const { values } = readOptions(args, { quick: { type: 'boolean' }, from: { type: 'string' } });
    const result =
      values.from === undefined
        ? measure(values.quick ?? false)
        : analyseAgain(readResult(values.from, benchSchema));
    const out = values.quick ? scratch('bench') : RESULTS;
    writeOutput(out, 'bench.json', `${JSON.stringify(result, null, 2)}\n`);
    writeOutput(out, 'bench.md', benchPage(result, values.from !== undefined));
    return 0;
  },
};

const measure = (isQuick: boolean): BenchResult =>
  resultOf(['bench', ...(isQuick ? QUICK : FULL), '--seed', '2026'], benchSchema);
