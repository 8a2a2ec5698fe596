import { join } from 'node:path';
import type { Module } from '../contenders.js';
import { whole } from '../program.js';
import type { Project } from '../project.js';
import type { Command, Setup } from '../setup.js';
import { sources } from '../sources.js';

const group = 'other runtimes';

/** The program itself: the one of the package is put in place by an install script. */
const BUN = `@oven/bun-${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`;

interface Runtime {
  readonly name: string;
  readonly packages: Readonly<Record<string, string>>;
  /** Runs a file. */
  readonly command: (project: Project, file: string) => Command['argv'];
}

const bun: Runtime = {
  name: 'Bun',
  packages: { bun: '1.4.5' },
  command: ({ folder }, file) => [join(folder, 'node_modules', BUN, 'bin/bun'), file],
};

const deno: Runtime = {
  name: 'Deno',
  packages: { deno: '2.9.6' },
  command: (project, file) => [
    ...([project.node, project.bin('deno'), 'run', '--no-prompt', '--allow-all', file] as const),
  ],
};

const threeTasks = (
  { name, packages, command }: Runtime,
  what: string,
  module: Module,
  ending: 'js' | 'ts' = 'js',
): Setup => ({
  group,
  name: `${name}, ${what}`,
  packages,
  files: (contender) => ({
    'package.json': `${JSON.stringify({ private: true, type: module === 'esm' ? 'module' : 'commonjs' })}\n`,
    ...sources(contender, { module, ending }),
  }),
  commands: (_, project) => [{ argv: command(project, `src/main.${ending}`) }],
});

/** Busy for so many milliseconds, which ends where a runtime cannot stop a thread that is busy. */
const BUSY = `({ busy = 0, value }) => {
  for (const end = performance.now() + busy; performance.now() < end; );
  return { value };
}`;

/** Tasks that are aborted while they keep their threads busy, among others. */
const aborted = ({ name, packages, command }: Runtime): Setup => ({
  group,
  name: `${name}, running tasks that are aborted`,
  packages,
  contenders: ['plimsoll', 'piscina'],
  files: (contender) => ({
    'tasks.js': contender.worker('esm', BUSY),
    'main.js': whole(
      'esm',
      [contender.load('esm')],
      [
        `const pool = ${contender.create(contender.filename('./tasks.js', 'esm'), { threads: 2 })};`,
        'for (let round = 0; round < 5; round++) {',
        `  const others = Array.from({ length: 100 }, (_, value) => ${contender.run('pool', '{ value }')});`,
        '  const run = pool.run({ busy: 800 }, { signal: AbortSignal.timeout(100) }).catch((error) => error);',
        "  deepStrictEqual((await run).name, 'AbortError');",
        '  deepStrictEqual(await Promise.all(others), Array.from({ length: 100 }, (_, value) => ({ value })));',
        '}',
        `await ${contender.close('pool')};`,
        "console.log('RIGHT');",
      ],
    ),
  }),
  commands: (_, project) => [{ argv: command(project, 'main.js') }],
});

export const otherRuntimes: readonly Setup[] = [bun, deno].flatMap((runtime) => [
  threeTasks(runtime, 'ES modules', 'esm'),
  threeTasks(runtime, 'CommonJS', 'cjs'),
  threeTasks(runtime, 'TypeScript', 'esm', 'ts'),
  aborted(runtime),
]);
