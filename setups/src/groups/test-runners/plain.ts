import type { Contender } from '../../contenders.js';
import type { Project } from '../../project.js';
import type { Setup } from '../../setup.js';
import {
  acrossFakes,
  common,
  ERRORS,
  loose,
  OR_NEVER_MS,
  opened,
  packageJson,
  type Runner,
  SUMS,
  suite,
  WORK,
} from './suite.js';

/** A row of a runner that takes test files as they are, in Node's own realm. */
export interface Row {
  readonly name: string;
  readonly runner: Runner;
  readonly text: (contender: Contender) => string;
  /** The runner's command line, before the test file. */
  readonly argv: (project: Project) => readonly [string, ...string[]];
  readonly others?: Partial<Setup>;
}

export function rowOf({ name, runner, text, argv, others }: Row): Setup {
  const { module } = runner;
  const file = module === 'esm' ? 'pool.test.mjs' : 'pool.test.cjs';
  return {
    ...common,
    name,
    packages: {},
    files: (contender) => ({
      ...(module === 'cjs' && packageJson({})),
      [file]: text(contender),
      'worker.js': contender.worker(module, WORK),
    }),
    commands: (_, project) => [{ argv: [...argv(project), file], timeoutMs: OR_NEVER_MS }],
    ...others,
  };
}

const TESTS = { 'runs tasks': SUMS, 'rejects with errors': ERRORS };

export const usual =
  (runner: Runner) =>
  (contender: Contender): string =>
    suite(runner, contender, TESTS);

export const forgotten =
  (runner: Runner) =>
  (contender: Contender): string =>
    suite(runner, contender, TESTS, { forgotten: true });

export const withFakes =
  (runner: Runner) =>
  (contender: Contender): string =>
    suite(runner, contender, { 'runs tasks': acrossFakes(runner) });

/** The fakes come first, and the pool is loaded under them, by `require`. */
export const fakesFirst =
  (runner: Runner) =>
  (contender: Contender): string =>
    loose(runner, {
      'runs tasks': [
        ...[runner.fake, contender.load('cjs'), ...opened(contender, 'cjs'), ...SUMS],
        "check((await run({ ms: 50 })) === 'late', 'a wrong result');",
        ...[runner.real, `await ${contender.close('pool')};`],
      ],
    });
