import type { Contender } from '../contenders.js';
import { whole } from '../program.js';
import type { Content, Setup } from '../setup.js';

const group = 'values';

type Given = Pick<Setup, 'name'> & Partial<Setup>;

interface Text {
  /** The worker's function. */
  readonly worker: string;
  /** Lines that compare what `run(task)` gives. */
  readonly lines: readonly string[];
  readonly head?: readonly string[];
  readonly workerHead?: string;
}

const value = (
  given: Given,
  { worker, lines, head = [], workerHead }: Text,
  flags: readonly string[] = [],
): Setup => ({
  group,
  packages: {},
  ...(given.packages === undefined && { fast: true }),
  files: (contender: Contender): Record<string, Content> => ({
    'main.mjs': whole(
      'esm',
      [contender.load('esm'), ...head],
      [
        `const pool = ${contender.create(contender.filename('./worker.mjs', 'esm'))};`,
        `const run = (task) => ${contender.run('pool', 'task')};`,
        'const caught = (task) => run(task).then((value) => ({ value }), (error) => ({ error }));',
        ...lines,
        "console.log('RIGHT');",
        `await ${contender.close('pool')};`,
      ],
    ),
    'worker.mjs': contender.worker('esm', worker, workerHead),
  }),
  commands: (_, { node }) => [{ argv: [node, ...flags, 'main.mjs'] }],
  ...given,
});

const ECHO = '(task) => task';

/** Whatever structured clone carries, as expressions; cycles and shared parts too. */
const CLONEABLE = `const buffer = new ArrayBuffer(8, { maxByteLength: 16 });
const shared = { shared: true };
const cycle = { name: 'cycle', list: [1, , 3] };
cycle.self = cycle;
const values = [
  undefined, null, true, -0, NaN, 2n ** 100n, 'ü', '\\ud800', Object(1n), new Boolean(false), new String('text'),
  new Date(0), /a[bc]+/giu, [shared, shared], cycle, { __proto__: null, a: 1 }, { toString: 1, constructor: 2 },
  JSON.parse('{ "__proto__": { "a": 1 } }'), new Map([[{ a: 1 }, new Map()], [NaN, 1]]), new Set([[1], 'a', -0]),
  buffer, new Uint8Array(buffer, 2, 4), new DataView(buffer, 1), new Float64Array([1.5, NaN, -0]), new BigInt64Array([1n]),
  new RangeError('odd', { cause: new TypeError('why') }), new AggregateError([1, 2], 'all'),
];`;

const SLOTS = `const bare = (object) => Object.setPrototypeOf(object, null);
const tasks = () => [bare(new Map([[1, 2]])), bare(new Date(5)), bare(new Set([3])), bare(/a/g), bare(new Uint8Array([1]))];`;

const deep = (depth: number): string =>
  `let deep = [];\nfor (let level = 0; level < ${depth}; level++) deep = [deep];`;

const SETTLES = "if (outcome === null) throw new Error('the task did not settle within 5 s');";
const WITHIN = (task: string): string =>
  `const outcome = await Promise.race([caught(${task}), new Promise((resolve) => setTimeout(resolve, 5000, null))]);`;

/** What goes in and comes out, errors too, and what happens to values that cannot. */
export const values: readonly Setup[] = [
  value(
    { name: 'everything that structured clone carries, there and back', lines: [20, 26] },
    {
      worker: ECHO,
      lines: [
        CLONEABLE,
        'for (const value of values) deepStrictEqual(await run({ value }), structuredClone({ value }));',
        'deepStrictEqual((await run(new Date(NaN))).getTime(), NaN);',
      ],
    },
  ),
  value(
    { name: 'values of another realm (node:vm), as jest has them' },
    {
      worker: ECHO,
      head: ["import { runInNewContext } from 'node:vm';"],
      lines: [
        `const foreign = runInNewContext("({ map: new Map([[1, [2]]]), set: new Set([3]), date: new Date(4), list: [5], object: { six: 6 }, bytes: new Uint8Array([7]), text: /8/g })");`,
        'deepStrictEqual(await run(foreign), structuredClone(foreign));',
        `const error = runInNewContext("new RangeError('odd')");`,
        'const { name, message, stack } = await run(error);',
        'deepStrictEqual([name, message, stack], [error.name, error.message, error.stack]);',
      ],
    },
  ),
  value(
    { name: 'a Map, Date, Set whose prototype was changed' },
    {
      worker: ECHO,
      lines: [SLOTS, 'for (const task of tasks()) deepStrictEqual(await run(task), structuredClone(task));'],
    },
  ),
  value(
    { name: 'Object.prototype has a property more, which for…in finds' },
    {
      worker: ECHO,
      workerHead: 'Object.prototype.extra = () => 1;',
      lines: [
        'Object.prototype.extra = () => 1;',
        'const same = (a, b) => deepStrictEqual(JSON.stringify(a), JSON.stringify(b));',
        'for (const task of [{ a: 1 }, [1, 2], new Map([[1, { a: 1 }]])]) same(await run(task), structuredClone(task));',
        "deepStrictEqual(Object.keys(await run({ a: 1 })), ['a']);",
      ],
    },
  ),
  value(
    { name: 'frozen intrinsics, and objects with the names that they have' },
    {
      worker: ECHO,
      lines: ['deepStrictEqual(await run({ toString: 1, valueOf: [2] }), { toString: 1, valueOf: [2] });'],
    },
    ['--frozen-intrinsics'],
  ),
  value(
    { name: 'hardened by SES lockdown, host and workers', packages: { ses: '2.3.0' } },
    {
      worker: '(task) => ({ task, toString: 1 })',
      workerHead: "import 'ses';\n\nlockdown();",
      head: ["import 'ses';"],
      lines: [
        'lockdown();',
        'const { task, toString } = await run({ valueOf: 2, list: new Map([[1, 2]]) });',
        'deepStrictEqual([task.valueOf, [...task.list], toString], [2, [[1, 2]], 1]);',
      ],
    },
  ),
  value(
    { name: 'a task 8,000 lists deep settles, and the next one is right' },
    {
      worker: '(task) => typeof task',
      lines: [deep(8000), WITHIN('deep'), SETTLES, "deepStrictEqual(await run(1), 'number');"],
    },
  ),
  value(
    { name: 'a result 8,000 lists deep is right or rejects, and the next one is right' },
    {
      worker: `(depth) => {\n  ${deep(8000).replaceAll('8000', 'depth')}\n  return deep;\n}`,
      lines: [
        WITHIN('8000'),
        SETTLES,
        'if (outcome.error === undefined) {',
        '  let depth = 0;',
        '  for (let list = outcome.value; list.length > 0; list = list[0]) depth++;',
        '  deepStrictEqual(depth, 8000);',
        '}',
        'deepStrictEqual(await run(0), []);',
      ],
    },
  ),
  value(
    { name: 'a result that cannot be cloned rejects that task alone' },
    {
      worker: "(task) => (task === 'function' ? () => {} : task)",
      lines: [
        "const all = await Promise.all(['a', 'function', 'b'].map(caught));",
        "deepStrictEqual([all[0].value, all[1].error instanceof Error, all[2].value], ['a', true, 'b']);",
      ],
    },
  ),
  value(
    { name: 'an error keeps its class, code and cause' },
    {
      worker: `() => {\n  throw Object.assign(new RangeError('odd', { cause: new TypeError('why') }), { code: 'E_ODD' });\n}`,
      lines: [
        'const { error } = await caught(1);',
        "deepStrictEqual([error instanceof RangeError, error.message, error.code, error.cause.message], [true, 'odd', 'E_ODD', 'why']);",
      ],
    },
  ),
  value(
    { name: 'a task that throws null rejects' },
    { worker: '() => {\n  throw null;\n}', lines: ['deepStrictEqual(await caught(1), { error: null });'] },
  ),
  value(
    { name: 'a SharedArrayBuffer is shared' },
    {
      worker: '(words) => Atomics.add(words, 0, 5)',
      lines: [
        'const words = new Int32Array(new SharedArrayBuffer(8));',
        'await run(words);',
        'deepStrictEqual(words[0], 5);',
      ],
    },
  ),
  value(
    { name: 'microtasks that a task leaves behind run before the next task' },
    {
      worker:
        "(number) => {\n  log.push('t' + number);\n  queueMicrotask(() => log.push('m' + number));\n  return log.slice();\n}",
      workerHead: 'const log = [];',
      head: ["import { match } from 'node:assert';"],
      lines: [
        'await Promise.all([0, 1, 2, 3].map(run));',
        'match((await run(4)).join(), /^(t(\\d),m\\2,){4}t4$/);',
      ],
    },
  ),
];
