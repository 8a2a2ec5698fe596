import { type Contender, type Module, WITH_DROP_IN } from '../contenders.js';
import { ADD, program, whole } from '../program.js';
import type { Project } from '../project.js';
import type { Command, Setup } from '../setup.js';

const group = 'module systems';

const COMMONJS = `${JSON.stringify({ name: 'project', private: true }, null, 2)}\n`;

const host = (
  name: string,
  module: 'esm' | 'cjs',
  flags: readonly string[],
  others: Partial<Setup>,
): Setup => ({
  group,
  name,
  packages: {},
  contenders: WITH_DROP_IN,
  files: (contender) => ({
    ...(module === 'cjs' && { 'package.json': COMMONJS }),
    'main.js': program(contender, { module, worker: './worker.js' }),
    'worker.js': contender.worker(module, ADD),
  }),
  commands: (_, { node }) => [{ argv: [node, ...flags, 'main.js'] }],
  ...others,
});

/** A module of the project requires the pool and another one imports it. */
const both: Setup = {
  group,
  name: 'import and require in one process give one class',
  packages: {},
  contenders: WITH_DROP_IN,
  lines: [20, 24],
  fast: true,
  files: (contender) => ({
    'required.cjs': `${contender.load('cjs')}\nmodule.exports = ${contender.class};\n`,
    'main.mjs': whole(
      'esm',
      [contender.load('esm'), "import Required from './required.cjs';"],
      [
        `if (Required === ${contender.class}) console.log('RIGHT');`,
        "else console.error('Error: two classes');",
      ],
    ),
  }),
  commands: (_, { node }) => [{ argv: [node, 'main.mjs'] }],
};

type Resolution = 'node10' | 'node16' | 'nodenext' | 'bundler';

interface Typed {
  readonly name: string;
  readonly resolution: Resolution;
  readonly module: Exclude<Module, 'cjs'>;
  readonly typescript: '5' | '7';
  /** Whether the pool's declarations are checked too, with no more than the language's and Node's own. */
  readonly thorough?: true;
}

const VERSIONS = { '5': '5.9.3', '7': '7.0.2' } as const;

/** tsc checks and compiles a user's program, with the settings of `tsc --init` as far as they matter, and it runs. */
const typed = ({ name, resolution, module, typescript, thorough }: Typed): Setup => ({
  group,
  name: `TypeScript ${typescript}, ${name}`,
  packages: { typescript: VERSIONS[typescript], '@types/node': '20.19.25' },
  install: `TypeScript ${typescript}`,
  contenders: WITH_DROP_IN,
  files: (contender) => ({
    ...(module === 'compiled' && { 'package.json': COMMONJS }),
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        target: 'es2022',
        types: ['node'],
        ...(thorough ? { lib: ['es2023'] } : { skipLibCheck: true }),
        module: { node10: 'commonjs', bundler: 'esnext', node16: 'node16', nodenext: 'nodenext' }[resolution],
        moduleResolution: resolution,
        ...{ strict: true, esModuleInterop: true, rootDir: '.', outDir: 'dist' },
      },
      include: ['main.ts'],
    }),
    'main.ts': program(contender, { module, worker: './worker.js' }),
    'dist/worker.js': contender.worker(module === 'esm' ? 'esm' : 'cjs', ADD),
  }),
  commands: (_, project) => [
    { argv: [project.node, project.bin('tsc'), '-p', '.'], timeoutMs: 60_000 },
    { argv: [project.node, 'dist/main.js'] },
  ],
});

/** A project whose package manager installs the pool by itself. */
const installedBy = (
  name: string,
  packages: Readonly<Record<string, string>>,
  install: (project: Project) => Command,
  start: (project: Project) => Command,
): Setup => ({
  group,
  name,
  packages,
  install: 'package managers',
  bare: true,
  files: (contender, project) => ({
    'package.json': manifest(contender, project),
    'yarn.lock': '',
    'main.js': program(contender, { module: 'esm', worker: './worker.js' }),
    'worker.js': contender.worker('esm', ADD),
  }),
  commands: (_, project) => [install(project), start(project)],
});

const manifest = (contender: Contender, project: Project): string =>
  JSON.stringify({
    name: 'project',
    private: true,
    type: 'module',
    dependencies: project.dependency(contender),
  });

/** Yarn takes its settings from variables, so nothing of the machine stands in a file. */
const yarn = (project: Project, ...args: string[]): Command => ({
  argv: [project.node, project.bin('yarn'), ...args],
  env: {
    YARN_NPM_REGISTRY_SERVER: project.registry,
    YARN_UNSAFE_HTTP_WHITELIST: new URL(project.registry).hostname,
    YARN_ENABLE_TELEMETRY: '0',
    YARN_ENABLE_SCRIPTS: '0',
    YARN_ENABLE_GLOBAL_CACHE: '0',
    YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
    YARN_NODE_LINKER: 'pnp',
  },
  timeoutMs: 120_000,
});

const pnpm = (project: Project, ...args: string[]): Command => ({
  argv: [project.node, project.bin('pnpm'), ...args],
  env: { npm_config_registry: project.registry },
  timeoutMs: 120_000,
});

/** How a program gets hold of the pool's package, with which types, and who installed it. */
export const moduleSystems: readonly Setup[] = [
  host('an ES module host', 'esm', [], { lines: [20, 22, 24, 26], fast: true }),
  host('a CommonJS host', 'cjs', [], { lines: [20, 22, 24, 26], fast: true }),
  host('a CommonJS host without require(esm)', 'cjs', ['--no-experimental-require-module'], {
    lines: [20, 22],
    note: 'what jest, older bundlers and Node before 20.19 have',
  }),
  both,
  typed({ name: 'node10', resolution: 'node10', module: 'compiled', typescript: '5' }),
  typed({ name: 'node16, as CommonJS', resolution: 'node16', module: 'compiled', typescript: '5' }),
  typed({ name: 'node16, as an ES module', resolution: 'node16', module: 'esm', typescript: '5' }),
  typed({ name: 'nodenext, as CommonJS', resolution: 'nodenext', module: 'compiled', typescript: '5' }),
  typed({ name: 'nodenext, as an ES module', resolution: 'nodenext', module: 'esm', typescript: '5' }),
  typed({ name: 'bundler', resolution: 'bundler', module: 'esm', typescript: '5' }),
  typed({
    name: 'nodenext, without skipLibCheck',
    resolution: 'nodenext',
    module: 'esm',
    typescript: '5',
    thorough: true,
  }),
  typed({ name: 'nodenext, as CommonJS', resolution: 'nodenext', module: 'compiled', typescript: '7' }),
  typed({ name: 'nodenext, as an ES module', resolution: 'nodenext', module: 'esm', typescript: '7' }),
  installedBy(
    "Yarn Plug'n'Play",
    { '@yarnpkg/cli-dist': '4.18.1' },
    (project) => yarn(project, 'install'),
    (project) => yarn(project, 'node', 'main.js'),
  ),
  installedBy(
    'pnpm',
    { pnpm: '10.34.9' },
    (project) => pnpm(project, 'install', '--store-dir', '../tmp/store'),
    ({ node }) => ({ argv: [node, 'main.js'] }),
  ),
];
