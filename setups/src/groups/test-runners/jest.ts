import type { Output } from '../../command.js';
import { type Contender, type PoolOptions, WITH_DROP_IN } from '../../contenders.js';
import type { Content, Setup } from '../../setup.js';
import {
  ARGUMENTS,
  acrossFakes,
  common,
  ERRORS,
  loose,
  OR_NEVER_MS,
  opened,
  PAIR,
  packageJson,
  passed,
  RESULTS,
  type Runner,
  SUMS,
  suite,
  test,
  WORK,
} from './suite.js';

const cjs: Runner = {
  module: 'cjs',
  head: [],
  test,
  after: (expression) => `afterAll(() => ${expression});`,
  fake: 'jest.useFakeTimers();',
  real: 'jest.useRealTimers();',
};

const esm: Runner = { ...cjs, module: 'esm', head: ["import { jest } from '@jest/globals';"] };

interface Given {
  readonly name: string;
  readonly runner?: Runner;
  /** The test file. */
  readonly text: (contender: Contender) => string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly flags?: readonly string[];
  readonly others?: Partial<Setup>;
}

const jest = ({ name, runner = cjs, text, config = {}, flags = [], others }: Given): Setup => ({
  ...common,
  name: `jest 30, ${name}`,
  packages: { jest: '30.5.2', 'jest-environment-jsdom': '30.5.2' },
  install: 'jest',
  files: (contender) => ({
    ...packageJson({
      ...(runner.module === 'esm' && { type: 'module' }),
      jest: { transform: {}, ...config },
    }),
    'pool.test.js': text(contender),
    'worker.js': contender.worker(runner.module === 'esm' ? 'esm' : 'cjs', WORK),
  }),
  commands: (_, project) => [
    {
      argv: [
        project.node,
        ...(runner.module === 'esm' ? ['--experimental-vm-modules'] : []),
        project.bin('jest'),
        ...flags,
      ],
      timeoutMs: OR_NEVER_MS,
    },
  ],
  ...others,
});

const TWO: PoolOptions = { threads: 2 };

const tests =
  (runner: Runner, all: Readonly<Record<string, readonly string[]>>, pool: PoolOptions = {}) =>
  (contender: Contender): string =>
    suite(runner, contender, all, { pool });

const handles = (outputs: readonly Output[]): string | undefined =>
  passed(outputs) ?? /Jest has detected .*open handles?/.exec(String(outputs.at(-1)?.stderr))?.[0];

const ABORTS = [
  'const controller = new AbortController();',
  'const result = pool.run({ spin: true }, { signal: controller.signal });',
  'setTimeout(() => controller.abort(), 100);',
  'const error = await result.then(() => null, (error) => error);',
  "check(error !== null && error.name === 'AbortError', 'not aborted: ' + error);",
];

/** A pool of a fresh copy of the module, beside one of the copy before. */
const reset = (contender: Contender): string[] => {
  const renewed = [contender.load('cjs'), ...opened(contender, 'cjs')].join('\n');
  const closed = `await ${contender.close('pool')};`;
  return [
    ...[contender.load('cjs'), ...opened(contender, 'cjs'), ...SUMS],
    ...['jest.resetModules();', `await (async () => {\n${[renewed, ...SUMS, closed].join('\n')}\n})();`],
    `await jest.isolateModulesAsync(async () => {\n${[renewed, ...SUMS, closed].join('\n')}\n});`,
    ...["check((await run({ a: 1, b: 2 })) === 3, 'a wrong sum');", closed],
  ];
};

interface Compiler {
  readonly packages: Readonly<Record<string, string>>;
  readonly transform: unknown;
  readonly others?: Partial<Setup>;
}

const COMPILERS: Readonly<Record<string, Compiler>> = {
  'ts-jest': {
    packages: { 'ts-jest': '29.4.15', typescript: '5.9.3', '@types/node': '20.19.25' },
    transform: [
      'ts-jest',
      { diagnostics: false, tsconfig: { module: 'commonjs', target: 'es2022', isolatedModules: true } },
    ],
    others: PAIR,
  },
  '@swc/jest': {
    packages: { '@swc/jest': '0.2.39', '@swc/core': '1.16.22' },
    transform: ['@swc/jest', { module: { type: 'commonjs' } }],
  },
};

const typed = Object.entries(COMPILERS).map(([name, { packages, transform, others }]) => {
  const head = ['const seconds: number = 5;', 'jest.setTimeout(seconds * 1000);'];
  const runner: Runner = { ...cjs, module: 'compiled', head };
  return jest({
    name: `tests in TypeScript, ${name}`,
    text: () => '',
    others: {
      packages: { jest: '30.5.2', ...packages },
      install: 'jest with TypeScript',
      files: (contender): Record<string, Content> => ({
        ...packageJson({ jest: { transform: { '\\.ts$': transform } } }),
        'pool.test.ts': suite(runner, contender, { 'runs tasks': SUMS }),
        'worker.js': contender.worker('cjs', WORK),
      }),
      ...others,
    },
  });
});

const two: Partial<Setup>['files'] = (contender) => ({
  ...packageJson({ jest: { transform: {} } }),
  'first.test.js': suite(cjs, contender, { 'runs tasks': SUMS }),
  'second.test.js': suite(cjs, contender, { 'runs tasks': SUMS }),
  'worker.js': contender.worker('cjs', WORK),
});

export const jests: readonly Setup[] = [
  jest({
    name: 'CommonJS',
    text: tests(cjs, { 'runs tasks': SUMS }, TWO),
    others: { contenders: WITH_DROP_IN },
  }),
  jest({ name: 'ES modules', runner: esm, text: tests(esm, { 'runs tasks': SUMS }, TWO) }),
  ...typed,
  jest({
    name: 'jsdom',
    text: tests(cjs, { 'runs tasks': SUMS }, TWO),
    config: { testEnvironment: 'jsdom' },
  }),
  jest({
    name: 'jsdom, a pool that may grow',
    text: tests(cjs, { 'runs tasks': SUMS }, { worker: { maxThreads: 2 } }),
    config: { testEnvironment: 'jsdom' },
    others: PAIR,
  }),
  jest({
    name: 'fake timers switched on and off while tasks run',
    text: tests(cjs, { 'runs tasks': acrossFakes(cjs) }),
  }),
  jest({
    name: 'fakeTimers.enableGlobally',
    text: tests(cjs, { 'runs tasks': SUMS, 'runs long ones': ['await run({ ms: 100 });'] }),
    config: { fakeTimers: { enableGlobally: true } },
  }),
  jest({
    name: 'resetModules and isolateModules between pools',
    text: (contender) => loose(cjs, { 'runs tasks': reset(contender) }),
    others: PAIR,
  }),
  jest({
    name: 'expect(run(…)).rejects.toThrow(TypeError)',
    text: tests(cjs, {
      rejects: ['await expect(run({ fail: true })).rejects.toThrow(TypeError);', ...ERRORS],
    }),
  }),
  jest({
    name: "results are instances of the test's Map, Array, Date",
    text: tests(cjs, { results: RESULTS }),
  }),
  jest({ name: "the test's own Error, Map, Array as arguments", text: tests(cjs, { arguments: ARGUMENTS }) }),
  jest({
    name: "the test's own AbortController",
    text: tests(cjs, { aborts: ABORTS }),
    others: PAIR,
  }),
  jest({
    name: '--detectOpenHandles after close()',
    text: tests(cjs, { 'runs tasks': SUMS }),
    flags: ['--detectOpenHandles'],
    others: { check: handles, contenders: WITH_DROP_IN },
  }),
  jest({
    name: 'two test files in two processes',
    text: () => '',
    flags: ['--maxWorkers=2'],
    others: { files: two, ...PAIR },
  }),
  jest({
    name: 'two test files in two threads, --workerThreads',
    text: () => '',
    flags: ['--maxWorkers=2', '--workerThreads'],
    others: { files: two, ...PAIR },
  }),
  jest({
    name: '--coverage',
    text: tests(cjs, { 'runs tasks': SUMS }),
    flags: ['--coverage', '--coverageProvider=v8'],
    others: PAIR,
  }),
  jest({
    name: 'a pool that a test forgot ends with the run',
    text: (contender) => suite(cjs, contender, { 'runs tasks': SUMS }, { forgotten: true }),
  }),
];
