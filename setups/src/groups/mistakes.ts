import type { Contender } from '../contenders.js';
import { ADD, whole } from '../program.js';
import type { Setup } from '../setup.js';

const group = 'mistakes';

interface Mistake {
  /** What is wrong; the row says what the task's error names. */
  readonly name: string;
  readonly names: string;
  readonly module?: 'esm' | 'cjs';
  readonly worker: { readonly path: string; text(contender: Contender): string | null };
  readonly files?: Readonly<Record<string, string>>;
  /** What the error must say, cause and stack included, as `console.log` shows it. */
  readonly says: RegExp;
  readonly flags?: readonly string[];
  readonly packages?: Readonly<Record<string, string>>;
  readonly install?: string;
}

/** The pool's constructor or the task fails with an error that names what is wrong; the program goes on. */
const mistake = ({
  name,
  names,
  module = 'esm',
  worker,
  files = {},
  says,
  flags = [],
  ...others
}: Mistake): Setup => {
  const main = module === 'esm' ? 'main.mjs' : 'main.cjs';
  const inspect =
    module === 'esm' ? "import { inspect } from 'node:util';" : "const { inspect } = require('node:util');";
  return {
    ...{ group, name: `${name}: the error names ${names}`, packages: {} },
    ...others,
    files: (contender) => {
      const text = worker.text(contender);
      return {
        ...files,
        ...(text !== null && { [worker.path]: text }),
        [main]: whole(
          module,
          [contender.load(module), inspect],
          [
            'let pool;',
            'const attempt = async () => {',
            `  pool = ${contender.create(contender.filename(`./${worker.path}`, module))};`,
            "  pool.on?.('error', () => {});",
            `  return ${contender.run('pool', '{ a: 4, b: 6 }')};`,
            '};',
            'const shown = inspect(await attempt().then(() => null, (error) => error));',
            `if (${says}.test(shown)) console.log('RIGHT');`,
            `else console.error(${JSON.stringify(`Error: it does not name ${names}:`)}, shown);`,
            `if (pool !== undefined) await ${contender.close('pool')};`,
          ],
        ),
      };
    },
    commands: (_, { node }) => [{ argv: [node, ...flags, main] }],
  };
};

const BAD_JSON = { 'data.json': '{ "four": 4, six }\n' };
const BAD_CODE = "const odd = 'never';\nconst = 4;\n";

const THROWING_HOOK = `export async function load(url, context, next) {
  if (url.endsWith('worker.mjs')) throw new Error('an odd hook');
  return next(url, context);
}
`;

/** What somebody has done wrong, and whether they are told. */
export const mistakes: readonly Setup[] = [
  mistake({
    ...{ name: 'no such worker file', names: 'the file' },
    worker: { path: 'worker.mjs', text: () => null },
    says: /worker\.mjs/,
  }),
  mistake({
    ...{ name: 'a worker file that exports no function', names: 'the file' },
    worker: { path: 'worker.mjs', text: (contender) => contender.worker('esm', '4') },
    says: /worker\.mjs|function/,
  }),
  mistake({
    ...{ name: 'a worker file that throws while it loads', names: 'its own error and code' },
    worker: {
      path: 'worker.mjs',
      text: (contender) =>
        contender.worker('esm', ADD, "throw Object.assign(new RangeError('odd start'), { code: 'E_ODD' });"),
    },
    says: /RangeError: odd start.*E_ODD/s,
  }),
  mistake({
    ...{ name: 'bad JSON that a CommonJS worker requires', names: 'its place', module: 'cjs' },
    worker: {
      path: 'worker.cjs',
      text: (contender) => contender.worker('cjs', ADD, "const data = require('./data.json');"),
    },
    files: BAD_JSON,
    says: /data\.json.*JSON at position 13/s,
  }),
  mistake({
    ...{ name: 'bad JSON that an ES module imports', names: 'its place' },
    worker: {
      path: 'worker.mjs',
      text: (contender) =>
        contender.worker('esm', ADD, "import data from './data.json' with { type: 'json' };"),
    },
    files: BAD_JSON,
    says: /data\.json.*JSON at position 13/s,
  }),
  mistake({
    ...{ name: 'bad syntax in an ES module', names: 'its line' },
    worker: { path: 'worker.mjs', text: () => BAD_CODE },
    says: /worker\.mjs:2/,
  }),
  mistake({
    ...{ name: 'bad syntax in CommonJS', names: 'its line', module: 'cjs' },
    worker: { path: 'worker.cjs', text: () => BAD_CODE },
    says: /worker\.cjs:2/,
  }),
  mistake({
    ...{ name: 'bad syntax in TypeScript under tsx', names: 'its line' },
    ...{ packages: { tsx: '4.23.15' }, install: 'tsx', flags: ['--import', 'tsx'] },
    worker: { path: 'worker.ts', text: () => BAD_CODE },
    says: /worker\.ts:2/,
  }),
  mistake({
    ...{ name: 'a loader that throws', names: "the loader's error" },
    worker: { path: 'worker.mjs', text: (contender) => contender.worker('esm', ADD) },
    files: { 'loader.mjs': THROWING_HOOK },
    flags: ['--loader', './loader.mjs'],
    says: /an odd hook/,
  }),
];
