import { readFileSync } from 'node:fs';
import type { Output } from '../command.js';
import type { Contender, Module } from '../contenders.js';
import { ADD, program, whole } from '../program.js';
import type { Command, Setup } from '../setup.js';
import { howItEnded, succeeded } from '../verdict.js';

const group = 'processes';

type Given = Pick<Setup, 'name'> & Partial<Setup>;

const nodeOn =
  (...argv: string[]): Setup['commands'] =>
  (_, { node }): Command[] => [{ argv: [node, ...argv] }];

const extensionOf = (module: Module): string => (module === 'esm' ? 'mjs' : 'cjs');

/** The usual program under flags of Node. */
const flags = (given: Given, options: readonly string[], module: 'esm' | 'cjs' = 'esm'): Setup => ({
  group,
  packages: {},
  files: (contender) => ({
    [`main.${extensionOf(module)}`]: program(contender, {
      module,
      worker: `./worker.${extensionOf(module)}`,
    }),
    [`worker.${extensionOf(module)}`]: contender.worker(module, ADD),
  }),
  commands: nodeOn(...options, `main.${extensionOf(module)}`),
  ...given,
});

/** A program of its own lines; `pool` is there, and `run` starts a task. */
const lines = (
  given: Given,
  worker: string,
  text: (contender: Contender) => readonly string[],
  head: readonly string[] = [],
): Setup => ({
  group,
  packages: {},
  ...(given.packages === undefined && { fast: true }),
  files: (contender) => ({
    'main.mjs': whole(
      'esm',
      [contender.load('esm'), ...head],
      [
        `const pool = ${contender.create(contender.filename('./worker.mjs', 'esm'))};`,
        `const run = (task) => ${contender.run('pool', 'task')};`,
        ...text(contender),
      ],
    ),
    'worker.mjs': contender.worker('esm', worker),
  }),
  commands: nodeOn('main.mjs'),
  ...given,
});

/** Long enough for any program that ends by itself, on a machine that has much else to do. */
const OR_NEVER_MS = 10_000;

const untilItEnds: Setup['commands'] = (_, { node }) => [
  { argv: [node, 'main.mjs'], timeoutMs: OR_NEVER_MS },
];

const RIGHT_SUM = 'deepStrictEqual(await run({ a: 4, b: 6 }), 10);';
const PRINT = "console.log('RIGHT');";
const end = (contender: Contender): string => `await ${contender.close('pool')};`;

const permission = (line: number): string => (line === 20 ? '--experimental-permission' : '--permission');

/** One core that this process may run on, as the kernel lists them; elsewhere than on Linux there is no taskset either. */
function firstCore(): string {
  const status = readFileSync('/proc/self/status', 'utf8');
  return /Cpus_allowed_list:\s*(\d+)/.exec(status)?.[1] ?? '0';
}

const nested: Setup = {
  group,
  name: 'a pool whose tasks make a pool',
  packages: {},
  fast: true,
  files: (contender) => ({
    'main.mjs': program(contender, { module: 'esm', worker: './outer.mjs' }),
    'outer.mjs': contender.worker(
      'esm',
      `async (task) => {
  const pool = ${contender.create(contender.filename('./inner.mjs', 'esm'))};
  const result = await ${contender.run('pool', 'task')};
  await ${contender.close('pool')};
  return result;
}`,
      contender.load('esm'),
    ),
    'inner.mjs': contender.worker('esm', ADD),
  }),
  commands: nodeOn('main.mjs'),
};

const fifty: Setup = {
  group,
  name: '50 pools at once',
  packages: {},
  files: (contender) => ({
    'main.mjs': whole(
      'esm',
      [contender.load('esm')],
      [
        `const pools = Array.from({ length: 50 }, () => ${contender.create(contender.filename('./worker.mjs', 'esm'))});`,
        `const results = await Promise.all(pools.map((pool, a) => ${contender.run('pool', '{ a, b: 1 }')}));`,
        'deepStrictEqual(results, pools.map((_, a) => a + 1));',
        `for (const pool of pools) await ${contender.close('pool')};`,
        PRINT,
      ],
    ),
    'worker.mjs': contender.worker('esm', ADD),
  }),
  // Fifty threads start one after another on a core or two.
  commands: (_, { node }) => [{ argv: [node, 'main.mjs'], timeoutMs: 60_000 }],
};

/** A process that another one starts by Node's own means. */
const child = (name: string, parent: string): Setup => ({
  group,
  name,
  packages: {},
  files: (contender) => ({
    'main.mjs': parent,
    'child.mjs': `${program(contender, { module: 'esm', worker: './worker.mjs' })}process.exit();\n`,
    'worker.mjs': contender.worker('esm', ADD),
  }),
  commands: nodeOn('main.mjs'),
});

const COVERAGE = `import { readdirSync, readFileSync } from 'node:fs';

const seen = readdirSync('coverage')
  .flatMap((file) => JSON.parse(readFileSync('coverage/' + file, 'utf8')).result)
  .filter(({ url }) => url.endsWith('worker.mjs'))
  .flatMap(({ functions }) => functions)
  .some(({ functionName, ranges }) => functionName === 'counted' && ranges[0].count === 1);
if (seen) console.log('RIGHT');
else console.error("Error: the task's function is not covered");
`;

const LINES = [1, 2, 3, 4, 5].map((number) => `line ${number}`);

const simulated = (
  name: string,
  packages: Setup['packages'] | undefined,
  load: string,
  freeze: string,
  thaw: string,
): Setup =>
  lines(
    { name, ...(packages !== undefined && { packages, install: 'fake timers' }) },
    'async ({ a, b }) => {\n  await new Promise((resolve) => setTimeout(resolve, 20));\n  return a + b;\n}',
    (contender) => [
      RIGHT_SUM,
      freeze,
      'const results = await Promise.all([1, 2, 3].map((a) => run({ a, b: 1 })));',
      thaw,
      'deepStrictEqual(results, [2, 3, 4]);',
      RIGHT_SUM,
      end(contender),
      PRINT,
    ],
    [load],
  );

/** How the process is started and what else goes on in it. */
export const processes: readonly Setup[] = [
  {
    ...flags({ name: 'the permission model, workers allowed', lines: [20, 22, 24, 26] }, []),
    commands: (_, { node, line }) => [
      { argv: [node, permission(line), '--allow-fs-read=*', '--allow-worker', 'main.mjs'] },
    ],
  },
  {
    ...flags({ name: 'one core, by taskset' }, []),
    files: (contender) => ({
      'main.mjs': program(contender, { module: 'esm', worker: './worker.mjs', options: { threads: 2 } }),
      'worker.mjs': contender.worker('esm', ADD),
    }),
    commands: (_, { node }) => [{ argv: ['taskset', '-c', firstCore(), node, 'main.mjs'] }],
  },
  nested,
  fifty,
  lines({ name: 'a program that ends by itself, without close', commands: untilItEnds }, ADD, () => [
    RIGHT_SUM,
    PRINT,
  ]),
  {
    ...lines(
      {
        name: 'five console.log in a task, then the program ends by itself',
        lines: [20, 24],
        commands: untilItEnds,
      },
      `({ a, b }) => {\n  for (let line = 1; line <= 5; line++) console.log('line ' + line);\n  return a + b;\n}`,
      () => ['run({ a: 4, b: 6 }).then((sum) => deepStrictEqual(sum, 10));'],
    ),
    check: missing,
  },
  {
    ...lines(
      { name: 'five console.log in a task, then close' },
      `({ a, b }) => {\n  for (let line = 1; line <= 5; line++) console.log('line ' + line);\n  return a + b;\n}`,
      (contender) => [RIGHT_SUM, end(contender)],
    ),
    check: missing,
  },
  lines(
    { name: 'a timer that a task leaves behind, then the program ends by itself', commands: untilItEnds },
    '({ a, b }) => {\n  setInterval(() => {}, 1000);\n  return a + b;\n}',
    () => [RIGHT_SUM, PRINT],
  ),
  lines(
    { name: 'a task that ends its worker by process.exit rejects, the next one runs' },
    '({ a, b }) => (b === 0 ? process.exit(3) : a + b)',
    (contender) => [
      'const outcome = await run({ a: 4, b: 0 }).then(() => "fulfilled", () => "rejected");',
      "deepStrictEqual(outcome, 'rejected');",
      RIGHT_SUM,
      end(contender),
      PRINT,
    ],
  ),
  simulated(
    'fake timers of node:test while tasks run',
    undefined,
    "import { mock } from 'node:test';",
    'mock.timers.enable();',
    'mock.timers.reset();',
  ),
  simulated(
    'fake timers of @sinonjs/fake-timers while tasks run (those of jest, vitest and sinon)',
    { '@sinonjs/fake-timers': '15.5.0' },
    "import FakeTimers from '@sinonjs/fake-timers';",
    "const clock = FakeTimers.install({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate', 'Date', 'performance', 'hrtime'] });",
    'clock.uninstall();',
  ),
  simulated('zone.js in the host', { 'zone.js': '0.16.3' }, "import 'zone.js/node';", '', ''),
  flags({ name: 'frozen intrinsics' }, ['--frozen-intrinsics']),
  flags({ name: 'no code from strings, an ES module' }, ['--disallow-code-generation-from-strings']),
  flags({ name: 'no code from strings, CommonJS' }, ['--disallow-code-generation-from-strings'], 'cjs'),
  {
    ...flags({ name: 'no code from strings, an ES module with top-level await' }, [
      '--disallow-code-generation-from-strings',
    ]),
    files: (contender) => ({
      'main.mjs': program(contender, { module: 'esm', worker: './worker.mjs' }),
      'worker.mjs': contender.worker('esm', 'sum', `const sum = await Promise.resolve(${ADD});`),
    }),
  },
  flags({ name: 'no __proto__' }, ['--disable-proto=throw']),
  flags({ name: 'deprecations throw', lines: [20, 26] }, ['--throw-deprecation', '--pending-deprecation']),
  flags({ name: 'no compiler at run time' }, ['--jitless']),
  flags({ name: 'a heap of 32 MB' }, ['--max-old-space-size=32']),
  flags({ name: 'symbolic links kept' }, ['--preserve-symlinks', '--preserve-symlinks-main']),
  {
    ...flags({ name: 'a program given to node -e' }, []),
    files: (contender) => ({ 'worker.mjs': contender.worker('esm', ADD) }),
    commands: (contender, { node }) => [
      {
        argv: [
          node,
          '--input-type=module',
          '-e',
          whole(
            'esm',
            [contender.load('esm')],
            [
              `const pool = ${contender.create("process.cwd() + '/worker.mjs'")};`,
              `deepStrictEqual(await ${contender.run('pool', '{ a: 4, b: 6 }')}, 10);`,
              end(contender),
              PRINT,
            ],
          ),
        ],
      },
    ],
  },
  {
    ...lines(
      { name: "NODE_V8_COVERAGE (c8) covers the task's function" },
      'function counted({ a, b }) {\n  return a + b;\n}',
      (contender) => [RIGHT_SUM, end(contender)],
    ),
    files: (contender) => ({
      'main.mjs': program(contender, { module: 'esm', worker: './worker.mjs' }),
      'worker.mjs': contender.worker('esm', 'function counted({ a, b }) {\n  return a + b;\n}'),
      'judge.mjs': COVERAGE,
    }),
    commands: (_, { node }) => [
      { argv: [node, 'main.mjs'], env: { NODE_V8_COVERAGE: 'coverage' } },
      { argv: [node, 'judge.mjs'] },
    ],
  },
  child(
    'a child of child_process.fork',
    "import { fork } from 'node:child_process';\n\nfork('./child.mjs');\n",
  ),
  child(
    'a worker of node:cluster',
    "import cluster from 'node:cluster';\n\ncluster.setupPrimary({ exec: './child.mjs' });\ncluster.fork();\n",
  ),
];

function missing([output]: readonly Output[]): string | undefined {
  const printed = LINES.filter((line) => output?.stdout.split('\n').includes(line)).length;
  if (printed < LINES.length) return `${printed} of ${LINES.length} lines appear`;
  return output !== undefined && succeeded(output) ? undefined : howItEnded(output as Output);
}
