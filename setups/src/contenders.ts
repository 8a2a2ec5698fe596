export type ContenderName =
  | 'plimsoll'
  | 'plimsoll/piscina'
  | 'plimsoll/tinypool'
  | 'piscina'
  | 'tinypool'
  | 'poolifier';

/** `compiled`: written with `import` and `export`, run as CommonJS by what compiles it. */
export type Module = 'esm' | 'cjs' | 'compiled';

export interface PoolOptions {
  /** Workers, neither more nor fewer; default 1. */
  readonly threads?: number;
  /** What is passed to each `Worker`: `execArgv`, `env`, … */
  readonly worker?: Readonly<Record<string, unknown>>;
}

/** A pool, and the lines of code that its users write. What is named an expression is JavaScript text. */
export interface Contender {
  readonly name: ContenderName;
  /** The npm package that a program imports. */
  readonly package: string;
  /** The name of its class in what `load` declares. */
  readonly class: string;
  /** Imports or requires the pool. */
  load(module: Module): string;
  /** An expression for a file beside the program, `./worker.js`, in the form that the pool's users give. */
  filename(path: string, module: Module): string;
  /** An expression that creates a pool for the worker file. */
  create(filename: string, options?: PoolOptions): string;
  /** An expression for the promise of a task's result. */
  run(pool: string, task: string): string;
  /** An expression for the promise of the pool's end. */
  close(pool: string): string;
  /** The text of a worker file. @param handler an expression for its function. @param head lines that come first. */
  worker(module: Module, handler: string, head?: string): string;
}

/** In the order of the table's columns. */
export const CONTENDERS: readonly Contender[] = [
  likePiscina('plimsoll', {
    package: '@plimsoll/pool',
    class: 'Pool',
    esm: "import { Pool } from '@plimsoll/pool';",
    cjs: "const { Pool } = require('@plimsoll/pool');",
    href: '',
  }),
  likePiscina('plimsoll/piscina', {
    package: '@plimsoll/pool/piscina',
    class: 'Piscina',
    esm: "import { Piscina } from '@plimsoll/pool/piscina';",
    cjs: "const { Piscina } = require('@plimsoll/pool/piscina');",
    href: '.href',
  }),
  likePiscina('plimsoll/tinypool', {
    package: '@plimsoll/pool/tinypool',
    class: 'Tinypool',
    esm: "import Tinypool from '@plimsoll/pool/tinypool';",
    cjs: "const { Tinypool } = require('@plimsoll/pool/tinypool');",
    href: '.href',
  }),
  likePiscina('piscina', {
    package: 'piscina',
    class: 'Piscina',
    // As its README does in TypeScript: the types of its default export cannot be constructed in an ES module.
    esm: "import { Piscina } from 'piscina';",
    cjs: "const { Piscina } = require('piscina');",
    href: '.href',
  }),
  likePiscina('tinypool', {
    package: 'tinypool',
    class: 'Tinypool',
    esm: "import Tinypool from 'tinypool';",
    // An ES module with a default export: what require() of it gives, on the lines of Node that allow it.
    cjs: "const { default: Tinypool } = require('tinypool');",
    href: '.href',
  }),
  poolifier(),
];

/** The columns that every set-up has. */
export const USUAL: readonly ContenderName[] = ['plimsoll', 'piscina', 'tinypool', 'poolifier'];

/** Those, and the modules that stand in for Piscina and tinypool: for set-ups in which they may fare otherwise. */
export const WITH_DROP_IN: readonly ContenderName[] = [...USUAL, 'plimsoll/piscina', 'plimsoll/tinypool'];

/** The peers' releases. */
export const PEERS: Readonly<Record<string, string>> = {
  piscina: '5.3.2',
  tinypool: '2.2.0',
  poolifier: '5.3.2',
};

export function contenderNamed(name: ContenderName): Contender {
  return CONTENDERS.find((one) => one.name === name) as Contender;
}

/** Options are data; as an expression they can stand in a program. */
const fields = (options: Readonly<Record<string, unknown>>): string =>
  Object.entries(options)
    .map(([key, value]) => `, ${key}: ${JSON.stringify(value)}`)
    .join('');

const beside = (path: string): string => `require('node:path').join(__dirname, ${JSON.stringify(path)})`;
const imports = (module: Module): boolean => module !== 'cjs';
const url = (path: string): string => `new URL(${JSON.stringify(path)}, import.meta.url)`;

interface Names {
  readonly package: string;
  readonly class: string;
  readonly esm: string;
  readonly cjs: string;
  /** Behind a URL: whether the pool takes only its text. */
  readonly href: '' | '.href';
}

function likePiscina(name: ContenderName, { package: from, class: type, esm, cjs, href }: Names): Contender {
  return {
    name,
    package: from,
    class: type,
    load: (module) => (imports(module) ? esm : cjs),
    filename: (path, module) => (module === 'esm' ? `${url(path)}${href}` : beside(path)),
    create: (filename, { threads = 1, worker = {} } = {}) =>
      `new ${type}({ filename: ${filename}, minThreads: ${threads}, maxThreads: ${threads}${fields(worker)} })`,
    run: (pool, task) => `${pool}.run(${task})`,
    close: (pool) => (name === 'tinypool' ? `${pool}.destroy()` : `${pool}.close()`),
    worker: (module, handler, head = '') =>
      `${head}${head === '' ? '' : '\n'}${imports(module) ? 'export default' : 'module.exports ='} ${handler};\n`,
  };
}

/** Its worker files wrap the function in a class of its own, and it takes paths only. */
function poolifier(): Contender {
  return {
    name: 'poolifier',
    package: 'poolifier',
    class: 'FixedThreadPool',
    load: (module) =>
      imports(module)
        ? "import { fileURLToPath } from 'node:url';\nimport { FixedThreadPool } from 'poolifier';"
        : "const { FixedThreadPool } = require('poolifier');",
    filename: (path, module) => (module === 'esm' ? `fileURLToPath(${url(path)})` : beside(path)),
    create: (filename, { threads = 1, worker = {} } = {}) =>
      `new FixedThreadPool(${threads}, ${filename}, { errorHandler: console.error, workerOptions: ${JSON.stringify(worker)} })`,
    run: (pool, task) => `${pool}.execute(${task})`,
    // Not awaited: about one time in ten it never resolves, and then the process ends with the exit code 13.
    close: (pool) => `void ${pool}.destroy()`,
    worker: (module, handler, head = '') => {
      const [load, give] = imports(module)
        ? ["import { ThreadWorker } from 'poolifier';", 'export default']
        : ["const { ThreadWorker } = require('poolifier');", 'module.exports ='];
      return `${load}\n${head}${head === '' ? '' : '\n'}${give} new ThreadWorker(${handler});\n`;
    },
  };
}
