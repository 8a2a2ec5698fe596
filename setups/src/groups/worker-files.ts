import type { Contender, Module } from '../contenders.js';
import { ADD, program, whole } from '../program.js';
import type { Command, Content, Setup } from '../setup.js';

const group = 'worker files';

const COMMONJS = `${JSON.stringify({ name: 'project', private: true }, null, 2)}\n`;

const nodeOn =
  (...argv: string[]): Setup['commands'] =>
  (_, { node }): Command[] => [{ argv: [node, ...argv] }];

/** A worker file of a kind, called from a program of the same module system. */
const kind = (
  name: string,
  file: string,
  source: (contender: Contender) => string,
  module: Module = 'esm',
): Setup => ({
  group,
  name,
  packages: {},
  fast: true,
  files: (contender) => ({
    [module === 'esm' ? 'main.mjs' : 'main.cjs']: program(contender, { module, worker: `./${file}` }),
    [file]: source(contender),
  }),
  commands: nodeOn(module === 'esm' ? 'main.mjs' : 'main.cjs'),
});

/** A worker file named in some way that is an expression in the program, `absolute` its path. */
const named = (
  name: string,
  worker: string,
  expression: (contender: Contender) => string,
  others: Readonly<Record<string, Content>> = {},
): Setup => ({
  group,
  name,
  packages: {},
  fast: true,
  files: (contender) => ({
    'package.json': COMMONJS,
    'main.js': whole(
      'cjs',
      [
        contender.load('cjs'),
        "const { join } = require('node:path');",
        "const { pathToFileURL } = require('node:url');",
      ],
      [
        `const pool = ${contender.create(expression(contender))};`,
        `deepStrictEqual(await ${contender.run('pool', '{ a: 4, b: 6 }')}, 10);`,
        `await ${contender.close('pool')};`,
        "console.log('RIGHT');",
      ],
    ),
    [worker]: contender.worker('cjs', ADD),
    ...others,
  }),
  commands: nodeOn('main.js'),
});

/** Program and worker in a folder whose name needs care in paths and in URLs. */
const inFolder = (name: string, folder: string, module: 'esm' | 'cjs'): Setup => {
  const extension = module === 'esm' ? 'mjs' : 'cjs';
  return {
    group,
    name,
    packages: {},
    fast: true,
    files: (contender) => ({
      [`${folder}/main.${extension}`]: program(contender, { module, worker: `./worker.${extension}` }),
      [`${folder}/worker.${extension}`]: contender.worker(module, ADD),
    }),
    commands: nodeOn(`${folder}/main.${extension}`),
  };
};

const AWAITED = "const { sum } = await import('./sum.mjs');";
const SUM = 'export const sum = ({ a, b }) => a + b;\n';
/** What a worker file may be, how it may be named, and where it may lie. */
export const workerFiles: readonly Setup[] = [
  kind('an ES module, .mjs', 'worker.mjs', (contender) => contender.worker('esm', ADD)),
  kind('an ES module, .js by "type"', 'worker.js', (contender) => contender.worker('esm', ADD)),
  {
    ...kind('an ES module with top-level await', 'worker.mjs', (contender) =>
      contender.worker('esm', 'sum', AWAITED),
    ),
    files: (contender) => ({
      'main.mjs': program(contender, { module: 'esm', worker: './worker.mjs' }),
      'worker.mjs': contender.worker('esm', 'sum', AWAITED),
      'sum.mjs': SUM,
    }),
  },
  kind('CommonJS, .cjs, from an ES module', 'worker.cjs', (contender) => contender.worker('cjs', ADD)),
  kind('an ES module from CommonJS', 'worker.mjs', (contender) => contender.worker('esm', ADD), 'cjs'),
  named('a path', 'worker.js', () => "join(__dirname, 'worker.js')"),
  named('a path without extension', 'worker.js', () => "join(__dirname, 'worker')"),
  named('a folder with an index.js', 'worker/index.js', () => "join(__dirname, 'worker')"),
  named('a folder with a package.json', 'worker/lib/start.js', () => "join(__dirname, 'worker')", {
    'worker/package.json': '{ "main": "./lib/start.js" }\n',
  }),
  named('a relative path', 'worker.js', () => "'./worker.js'"),
  named('a file: URL as text', 'worker.js', () => "pathToFileURL(join(__dirname, 'worker.js')).href"),
  named('a URL object', 'worker.js', () => "pathToFileURL(join(__dirname, 'worker.js'))"),
  named(
    'a file: URL with a query',
    'worker.js',
    () => "pathToFileURL(join(__dirname, 'worker.js')).href + '?version=2'",
  ),
  {
    group,
    name: 'a symbolic link to a file with a neighbour',
    packages: {},
    fast: true,
    files: (contender) => ({
      'main.mjs': program(contender, { module: 'esm', worker: './worker.mjs' }),
      'real/sum.mjs': SUM,
      'real/worker.mjs': contender.worker('esm', 'sum', "import { sum } from './sum.mjs';"),
      'worker.mjs': { link: 'real/worker.mjs' },
    }),
    commands: nodeOn('main.mjs'),
  },
  inFolder('a path with a space, #, % and ü, ES modules', 'a b#c%20d?e ü', 'esm'),
  inFolder('a path with a space, #, % and ü, CommonJS', 'a b#c%20d?e ü', 'cjs'),
  {
    ...kind('a project whose whole path has a space, #, % and ü', 'worker.mjs', (contender) =>
      contender.worker('esm', ADD),
    ),
    folder: 'a b#c%20d?e ü',
  },
];
