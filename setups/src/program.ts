import type { Contender, Module, PoolOptions } from './contenders.js';

export interface Program {
  readonly module: Module;
  /** The worker file beside the program: `./worker.js`. */
  readonly worker: string;
  readonly options?: PoolOptions;
  /** Expressions; default: `{ a: 4, b: 6 }`, which `ADD` makes 10 of. */
  readonly task?: string;
  readonly expected?: string;
  /** Lines at the top. */
  readonly head?: string;
}

/** A worker's function that goes with a program's default task. */
export const ADD = '({ a, b }) => a + b';

/** The same in TypeScript: does not parse as JavaScript. */
export const ADD_TYPED = '({ a, b }: { a: number; b: number }): number => a + b';

/** A program that runs one task, compares its result, closes the pool and prints `RIGHT`. */
export function program(
  contender: Contender,
  { module, worker, options, task = '{ a: 4, b: 6 }', expected = '10', head = '' }: Program,
): string {
  const lines = [
    `const pool = ${contender.create(contender.filename(worker, module), options)};`,
    `deepStrictEqual(await ${contender.run('pool', task)}, ${expected});`,
    `await ${contender.close('pool')};`,
    "console.log('RIGHT');",
  ];
  return whole(module, [contender.load(module), ...(head === '' ? [] : [head])], lines);
}

/** A program of the given lines, which may use `await` and `deepStrictEqual`, in either module system. */
export function whole(module: Module, head: readonly string[], lines: readonly string[]): string {
  const top = [module === 'cjs' ? ASSERT_CJS : ASSERT_ESM, ...head, ''];
  const rest = module === 'esm' ? lines : inFunction(lines);
  return [...top, ...rest, ''].join('\n');
}

const ASSERT_ESM = "import { deepStrictEqual } from 'node:assert';";
const ASSERT_CJS = "const { deepStrictEqual } = require('node:assert');";

/** CommonJS has no `await` outside of functions. */
const inFunction = (lines: readonly string[]): string[] => [
  'async function main() {',
  ...lines.map((line) => `  ${line}`),
  '}',
  '',
  'main().catch((error) => {',
  '  console.error(error);',
  '  process.exit(1);',
  '});',
];
