// The four workloads of the original suite, and the mixed one, at its sizes and at the number of CPUs; writes bench.json and
// bench.md. With `--from FILE` it measures nothing: it analyses the runs of FILE again, by the rules of the code as it is, and
// writes both. `--quick`: five blocks of light work at two sizes, into .cache/study-bench.
import { type BenchResult, benchSchema } from 'plimsoll/lab';
import { readOptions } from '../common/arguments.js';
import { readResult, resultOf } from '../common/cli.js';
import type { Command } from '../common/command.js';
import { RESULTS, scratch, writeOutput } from '../common/paths.js';
import { benchPage } from './page.js';
import { analyseAgain } from './reanalyse.js';

const FULL = ['--sizes', 'cpus,4,8,12'];
const QUICK = ['--sizes', '4,8', '--quick', '--scale', '0.05'];

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
