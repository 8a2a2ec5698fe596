import type { Contender, Module } from './contenders.js';
import { ADD, ADD_TYPED, whole } from './program.js';
import type { Content } from './setup.js';

/** Adds, by a function of another file; doubles every byte; throws what a program can check. */
const HANDLER = `(task) => {
  if (task === 'odd') throw new RangeError('odd');
  return task instanceof Uint8Array ? task.map((byte) => 2 * byte) : { sum: add(task) };
}`;

/** Lines of a program that runs three tasks on `pool` and compares what comes back. */
export function threeTasks({ run }: Contender): string[] {
  return [
    `const small = ${run('pool', '{ a: 4, b: 6 }')};`,
    `const large = ${run('pool', 'new Uint8Array(2 ** 20).fill(3)')};`,
    'deepStrictEqual(await small, { sum: 10 });',
    'deepStrictEqual(await large, new Uint8Array(2 ** 20).fill(6));',
    `const failure = await ${run('pool', "'odd'")}.catch((error) => error);`,
    "deepStrictEqual([failure instanceof RangeError, failure.message], [true, 'odd']);",
  ];
}

export interface Sources {
  readonly module: Module;
  /** The folder of the sources; default `src`. */
  readonly folder?: string;
  /** The ending of the files; default `js`. */
  readonly ending?: 'js' | 'ts';
  /** The worker file as the program finds it; default: as it stands in the sources. */
  readonly worker?: string;
  /** The module system whose way of naming a file beside it the program uses; default: its own. */
  readonly named?: Module;
  /** How the program has to name the worker file for a tool. */
  readonly filename?: (usual: string) => string;
}

/**
 * A program of three files: `main`, which has a pool, its worker file `tasks`, and `add`, which that takes a function from.
 * It is not called `worker`, like a file of Piscina's that a bundle lacks, because that one would be taken for it.
 */
export function sources(contender: Contender, options: Sources): Record<string, Content> {
  const { module, folder = 'src', ending = 'js', worker = `./tasks.${ending}`, named = module } = options;
  const { filename = (usual) => usual } = options;
  const head =
    module === 'cjs' ? "const { add } = require('./add.js');" : `import { add } from './add.${ending}';`;
  const add = ending === 'ts' ? ADD_TYPED : ADD;
  return {
    [`${folder}/main.${ending}`]: whole(
      module,
      [contender.load(module)],
      [
        `const pool = ${contender.create(filename(contender.filename(worker, named)), { threads: 2 })};`,
        ...threeTasks(contender),
        `await ${contender.close('pool')};`,
        "console.log('RIGHT');",
      ],
    ),
    [`${folder}/tasks.${ending}`]: contender.worker(module, HANDLER, head),
    [`${folder}/add.${ending}`]:
      module === 'cjs' ? `exports.add = ${add};\n` : `export const add = ${add};\n`,
  };
}
