// What is measured for the claims about times: sizes by `plimsoll bench`, two ways to read files by turns.
import type { BenchResult } from '@plimsoll/lab';
import { benchSchema } from '@plimsoll/lab/schemas';
import { resultOf } from '../common/cli.js';
import type { LifeCycle } from '../common/command.js';
import { measureStudy } from '../common/measure.js';
import type { StudyResult } from '../common/result.js';
import type { Condition, Effort, Study } from '../common/study.js';

/** The largest size that is measured: what people set. */
export const LARGE = 128;

const ARGUMENTS = [
  ...['crypto', 'zlib', 'dns', '--sizes', `cpus,8,32,${LARGE}`, '--baseline', 'cpus'],
  ...['--set', 'crypto.iterations=20000', '--set', 'dns.operations=256'],
];
const QUICK = ['--time', '0.3', '--scale', '0.1'];

/** The same for a reader. */
export const BENCH_COMMAND = `npx plimsoll bench ${ARGUMENTS.join(' ')}`;

export const measureSizes = (effort: Effort): BenchResult =>
  resultOf(
    ['bench', ...ARGUMENTS, ...(effort === 'quick' ? QUICK : ['--time', '40']), '--seed', '2026', '--quiet'],
    benchSchema,
  );

const CONDITION: Condition = {
  id: 'reads',
  title: 'Reading 200 files of 4 KB at a time',
  contenders: [
    { id: 'callback', title: 'fs.readFile' },
    { id: 'promises', title: 'fs.promises.readFile' },
  ],
  baseline: 'callback',
  metrics: [{ id: 'us', title: 'µs per read', better: 'less', digits: 1 }],
  judged: [['promises', 'callback', 'us']],
  parameters: { bytes: 4096, files: 200, bursts: 10 },
  seconds: 30,
};

const STUDY: Study = {
  name: 'folklore',
  title: CONDITION.title,
  description: [],
  packages: [],
  conditions: () => [CONDITION],
  findings: () => [],
};

const QUICK_MS = 500;

export const measureReads = (effort: Effort, cycle: LifeCycle): Promise<StudyResult> =>
  measureStudy(STUDY, {
    effort,
    timeMs: effort === 'quick' ? QUICK_MS : null,
    seed: 2026,
    ...cycle,
    onRound: () => {},
  });
