import type { Contender } from '../../contenders.js';
import type { Setup } from '../../setup.js';
import {
  ARGUMENTS,
  acrossFakes,
  common,
  ERRORS,
  OR_NEVER_MS,
  PAIR,
  RESULTS,
  type Runner,
  SUMS,
  suite,
  test,
  WORK,
} from './suite.js';

const runner: Runner = {
  module: 'esm',
  head: ["import { afterAll, test, vi } from 'vitest';"],
  test,
  after: (expression) => `afterAll(() => ${expression});`,
  fake: 'vi.useFakeTimers();',
  real: 'vi.useRealTimers();',
};

type Pool = 'threads' | 'forks' | 'vmThreads' | 'vmForks';

interface Given {
  readonly name: string;
  readonly tests?: Readonly<Record<string, readonly string[]>>;
  readonly text?: (contender: Contender) => string;
  readonly pool?: Pool;
  readonly flags?: readonly string[];
  readonly newest?: true;
  readonly others?: Partial<Setup>;
}

const COVERAGE = '@vitest/coverage-v8';

const vitest = ({ name, tests = {}, text, pool = 'forks', flags = [], newest, others }: Given): Setup => {
  const version = newest ? '5.1.1' : '4.1.12';
  return {
    ...common,
    name: `vitest ${version[0]}, ${name}`,
    packages: { vitest: version, ...(!newest && { [COVERAGE]: version, 'happy-dom': '20.14.6' }) },
    install: `vitest ${version[0]}`,
    lines: [newest ? 24 : 20],
    files: (contender) => ({
      'pool.test.js': text?.(contender) ?? suite(runner, contender, tests),
      'worker.js': contender.worker('esm', WORK),
    }),
    commands: (_, project) => [
      {
        argv: [project.node, project.bin('vitest'), 'run', `--pool=${pool}`, ...flags],
        timeoutMs: OR_NEVER_MS,
      },
    ],
    ...others,
  };
};

/** In environments of browsers Vite makes an http: URL of `new URL(…, import.meta.url)`, which no pool can load. */
const PATH = "process.cwd() + '/worker.js'";

const POOLS: readonly Pool[] = ['threads', 'forks', 'vmThreads', 'vmForks'];
const usual = { 'runs tasks': SUMS, arguments: ARGUMENTS };

export const vitests: readonly Setup[] = [
  ...POOLS.map((pool) => vitest({ name: `pool ${pool}`, tests: usual, pool })),
  vitest({ name: 'pool threads', tests: usual, pool: 'threads', newest: true }),
  vitest({ name: 'pool vmThreads', tests: usual, pool: 'vmThreads', newest: true, others: PAIR }),
  vitest({
    name: "pool vmThreads, errors and results are of the test's realm",
    tests: { errors: ERRORS, results: RESULTS },
    pool: 'vmThreads',
  }),
  vitest({
    name: 'fake timers switched on and off while tasks run',
    tests: { 'runs tasks': acrossFakes(runner) },
  }),
  vitest({
    name: 'happy-dom',
    text: (contender) => suite(runner, { ...contender, filename: () => PATH }, { 'runs tasks': SUMS }),
    flags: ['--environment=happy-dom'],
  }),
  vitest({
    name: '--coverage',
    tests: { 'runs tasks': SUMS },
    flags: ['--coverage'],
    others: PAIR,
  }),
  vitest({
    name: 'a pool that a test forgot ends with the run',
    text: (contender) => suite(runner, contender, { 'runs tasks': SUMS }, { forgotten: true }),
  }),
];
