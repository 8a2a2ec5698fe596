import { ADD_TYPED, program, whole } from '../program.js';
import type { Command, Content, Setup } from '../setup.js';

const group = 'compilers and hooks';

type Given = Pick<Setup, 'name' | 'packages'> & Partial<Setup>;

const COMMONJS = `${JSON.stringify({ name: 'project', private: true }, null, 2)}\n`;

const run =
  (...flags: string[]): Setup['commands'] =>
  (_, { node }): Command[] => [{ argv: [node, ...flags] }];

/** An ES module host and worker in TypeScript. */
const esm = (
  given: Given,
  flags: readonly string[],
  files: Readonly<Record<string, Content>> = {},
): Setup => ({
  group,
  files: (contender) => ({
    'main.ts': program(contender, { module: 'esm', worker: './worker.ts' }),
    'worker.ts': contender.worker('esm', ADD_TYPED),
    ...files,
  }),
  commands: run(...flags, 'main.ts'),
  ...given,
});

/** The same sources, run as CommonJS. */
const commonjs = (
  given: Given,
  flags: readonly string[],
  files: Readonly<Record<string, Content>> = {},
): Setup => ({
  group,
  files: (contender) => ({
    'package.json': COMMONJS,
    'main.ts': program(contender, { module: 'compiled', worker: './worker.ts' }),
    'worker.ts': contender.worker('compiled', ADD_TYPED),
    ...files,
  }),
  commands: run(...flags, 'main.ts'),
  ...given,
});

const tsx = { tsx: '4.23.15' };
const typescript = { typescript: '5.9.3', '@types/node': '20.19.25' };
const swc = { '@swc-node/register': '1.12.1', '@swc/core': '1.16.22', ...typescript };
const esbuild = { 'esbuild-register': '3.6.0', esbuild: '0.28.2' };

const tsconfig = (
  module: string,
  others: Readonly<Record<string, unknown>> = {},
): Record<string, string> => ({
  'tsconfig.json': `${JSON.stringify({ compilerOptions: { target: 'es2022', module, esModuleInterop: true }, ...others }, null, 2)}\n`,
});

const babel = (major: 7 | 8): Record<string, string> =>
  major === 7
    ? {
        '@babel/core': '7.29.13',
        '@babel/register': '7.29.13',
        '@babel/preset-env': '7.29.14',
        '@babel/preset-typescript': '7.29.7',
        '@babel/plugin-proposal-decorators': '7.29.7',
      }
    : {
        '@babel/core': '8.1.2',
        '@babel/register': '8.0.6',
        '@babel/preset-env': '8.0.7',
        '@babel/preset-typescript': '8.0.7',
        '@babel/plugin-proposal-decorators': '8.0.2',
      };

/** A decorator and types: neither is JavaScript. */
const DECORATED = `const counted = (method: (value: number) => number) => (value: number) => method(value) + 1;

class Sum {
  @counted
  of(value: number): number {
    return value;
  }
}
`;

const withBabel = (major: 7 | 8): Setup => ({
  ...commonjs(
    {
      name: `Babel ${major}, node --require a file with @babel/register`,
      packages: babel(major),
      install: `Babel ${major}`,
      lines: [major === 7 ? 20 : 22],
    },
    ['--require', './babel.cjs'],
  ),
  files: (contender) => ({
    'package.json': COMMONJS,
    'babel.cjs': `const register = require('@babel/register');
(register.default ?? register)({
  cache: false,
  extensions: ['.ts', '.js'],
  presets: [['@babel/preset-env', { targets: { node: 'current' }, modules: 'commonjs' }], '@babel/preset-typescript'],
  plugins: [['@babel/plugin-proposal-decorators', { version: '2023-11' }]],
});
`,
    'main.ts': program(contender, { module: 'compiled', worker: './worker.ts' }),
    'worker.ts': contender.worker(
      'compiled',
      '({ a, b }: { a: number; b: number }): number => new Sum().of(a + b - 1)',
      DECORATED,
    ),
  }),
});

/** A file type that only a hook of the user's own understands: an expression that becomes a function of `input`. */
const wrapCalc = (source: string): string => `\`export default (input) => (\${${source}});\``;

const LOADER = `import { readFileSync } from 'node:fs';

export async function load(url, context, next) {
  if (!url.endsWith('.calc')) return next(url, context);
  return { format: 'module', shortCircuit: true, source: ${wrapCalc("readFileSync(new URL(url), 'utf8')")} };
}
`;

const SYNCHRONOUS = `import { registerHooks } from 'node:module';
import { readFileSync } from 'node:fs';

registerHooks({
  load(url, context, next) {
    if (!url.endsWith('.calc')) return next(url, context);
    return { format: 'module', shortCircuit: true, source: ${wrapCalc("readFileSync(new URL(url), 'utf8')")} };
  },
});
`;

const REGISTER = `import { register } from 'node:module';

register('./loader.mjs', import.meta.url);
`;

const REQUIRE_HOOK = `const { readFileSync } = require('node:fs');

require.extensions['.calc'] = (module, filename) => {
  module._compile(\`module.exports = (input) => (\${readFileSync(filename, 'utf8')});\`, filename);
};
`;

/** poolifier's worker files must create its ThreadWorker, so its own is an ordinary file that loads the other. */
const hook = (
  given: Given,
  flags: readonly string[],
  hooks: Readonly<Record<string, string>>,
  module: 'esm' | 'cjs' = 'esm',
): Setup => {
  const extension = module === 'esm' ? 'mjs' : 'cjs';
  const load =
    module === 'esm' ? "import calc from './worker.calc';" : "const calc = require('./worker.calc');";
  return {
    group,
    files: (contender) => ({
      ...hooks,
      [`main.${extension}`]: program(contender, {
        module,
        worker: contender.name === 'poolifier' ? `./worker.${extension}` : './worker.calc',
      }),
      'worker.calc': 'input.a + input.b\n',
      [`worker.${extension}`]: contender.worker(module, 'calc', load),
    }),
    commands: run(...flags, `main.${extension}`),
    ...given,
  };
};

const THROWS = `(input: Input): number => {
  if (input.a === 4) throw new RangeError('four');
  return input.a;
}`;

const INPUT = `interface Input {
  readonly a: number;
}
`;

const lineOf = (source: string, text: string): number =>
  source.split('\n').findIndex((line) => line.includes(text)) + 1;

/** The stack of an error that a task throws names the line of the source. @param worker as run. */
const mapped = (given: Given, worker: string, commands: Setup['commands']): Setup => ({
  group,
  files: (contender) => {
    const source = contender.worker('esm', THROWS, INPUT);
    return {
      'main.mjs': whole(
        'esm',
        [contender.load('esm')],
        [
          `const pool = ${contender.create(contender.filename(worker, 'esm'))};`,
          `const error = await ${contender.run('pool', '{ a: 4 }')}.then(() => ({}), (error) => error);`,
          `await ${contender.close('pool')};`,
          `if (/worker\\.ts:${lineOf(source, 'throw')}\\b/.test(error.stack)) console.log('RIGHT');`,
          "else console.error('Error: the stack does not name the line:', error.stack);",
        ],
      ),
      'worker.ts': source,
    };
  },
  commands,
  ...given,
});

const stripped = (name: string, extension: 'mts' | 'cts', module: 'esm' | 'cjs'): Setup => ({
  group,
  name,
  packages: {},
  lines: [24, 26],
  fast: true,
  files: (contender) => ({
    [`main.${extension}`]: program(contender, { module, worker: `./worker.${extension}` }),
    [`worker.${extension}`]: contender.worker(module, ADD_TYPED),
  }),
  commands: run(`main.${extension}`),
});

/** What translates the sources, of the user's own making or not. */
export const compilers: readonly Setup[] = [
  esm({ name: 'tsx, node --import tsx', packages: tsx, install: 'tsx', lines: [20, 22, 24, 26] }, [
    '--import',
    'tsx',
  ]),
  commonjs({ name: 'tsx, node --import tsx, as CommonJS', packages: tsx, install: 'tsx' }, [
    '--import',
    'tsx',
  ]),
  {
    ...esm({ name: 'tsx, its command line', packages: tsx, install: 'tsx' }, []),
    commands: (_, project) => [{ argv: [project.node, project.bin('tsx'), 'main.ts'] }],
  },
  commonjs(
    {
      name: 'ts-node, node --require ts-node/register/transpile-only',
      packages: { 'ts-node': '10.9.2', ...typescript },
    },
    ['--require', 'ts-node/register/transpile-only'],
    tsconfig('commonjs'),
  ),
  esm(
    {
      name: 'ts-node, node --loader ts-node/esm/transpile-only',
      packages: { 'ts-node': '10.9.2', ...typescript },
    },
    ['--loader', 'ts-node/esm/transpile-only'],
    tsconfig('nodenext'),
  ),
  commonjs(
    { name: 'swc, node --require @swc-node/register', packages: swc },
    ['--require', '@swc-node/register'],
    tsconfig('commonjs'),
  ),
  esm(
    { name: 'swc, node --import @swc-node/register/esm-register', packages: swc },
    ['--import', '@swc-node/register/esm-register'],
    tsconfig('nodenext'),
  ),
  commonjs({ name: 'esbuild, node --require esbuild-register', packages: esbuild }, [
    '--require',
    'esbuild-register',
  ]),
  withBabel(7),
  withBabel(8),
  esm({ name: "Node's type stripping", packages: {}, lines: [24, 26], fast: true }, []),
  esm({ name: "Node's type stripping, --experimental-strip-types", packages: {}, lines: [22] }, [
    '--experimental-strip-types',
  ]),
  stripped("Node's type stripping, .mts", 'mts', 'esm'),
  stripped("Node's type stripping, .cts", 'cts', 'cjs'),
  {
    ...esm({ name: "Node's --experimental-transform-types, an enum", packages: {}, lines: [22, 24] }, []),
    files: (contender) => ({
      'main.ts': program(contender, { module: 'esm', worker: './worker.ts' }),
      'worker.ts': contender.worker(
        'esm',
        '(input: { b: number }): number => Known.Four + input.b',
        'enum Known {\n  Four = 4,\n}\n',
      ),
    }),
    commands: run('--experimental-transform-types', 'main.ts'),
  },
  mapped(
    { name: 'source maps, node --enable-source-maps', packages: { esbuild: '0.28.2' } },
    './dist/worker.js',
    (_, project) => [
      {
        argv: [
          project.node,
          project.bin('esbuild'),
          'worker.ts',
          '--sourcemap',
          '--format=esm',
          '--outfile=dist/worker.js',
        ],
      },
      { argv: [project.node, '--enable-source-maps', 'main.mjs'] },
    ],
  ),
  mapped(
    { name: 'source maps, tsx', packages: tsx, install: 'tsx' },
    './worker.ts',
    run('--import', 'tsx', 'main.mjs'),
  ),
  hook(
    { name: 'a --require hook of your own', packages: {}, fast: true },
    ['--require', './hook.cjs'],
    { 'hook.cjs': REQUIRE_HOOK },
    'cjs',
  ),
  hook(
    { name: 'an --import of your own that registers a loader', packages: {}, fast: true },
    ['--import', './hooks.mjs'],
    {
      'hooks.mjs': REGISTER,
      'loader.mjs': LOADER,
    },
  ),
  hook({ name: 'a --loader of your own', packages: {} }, ['--loader', './loader.mjs'], {
    'loader.mjs': LOADER,
  }),
  hook(
    { name: 'an --import of your own with synchronous hooks', packages: {}, lines: [22, 24, 26], fast: true },
    ['--import', './hooks.mjs'],
    { 'hooks.mjs': SYNCHRONOUS },
  ),
];
