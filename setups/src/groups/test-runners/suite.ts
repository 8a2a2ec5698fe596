import type { Output } from '../../command.js';
import type { Contender, Module, PoolOptions } from '../../contenders.js';
import type { Setup } from '../../setup.js';
import { firstReason, succeeded } from '../../verdict.js';

export const group = 'test runners';

/** How test files are written for a runner. Lines of code are JavaScript text. */
export interface Runner {
  readonly module: Module;
  /** At the top of a test file. */
  readonly head: readonly string[];
  readonly test: (name: string, lines: readonly string[]) => string;
  /** What ends with the tests. @param expression of a promise */
  readonly after: (expression: string) => string;
  /** Puts fake timers in place, and takes them back. */
  readonly fake: string;
  readonly real: string;
}

/** As jest, vitest, mocha and node:test take it. */
export const test = (name: string, lines: readonly string[]): string =>
  [`test(${JSON.stringify(name)}, async () => {`, ...lines, "console.log('RIGHT');", '});'].join('\n');

/** The function of every worker file here. */
export const WORK = `async (task) => {
  if (task.fail) throw new TypeError('wrong', { cause: new RangeError('why') });
  if (task.ms) return new Promise((resolve) => setTimeout(resolve, task.ms, 'late'));
  if (task.spin) for (;;);
  if (task.kinds) return task.kinds.map((value) => [value.constructor.name, value instanceof Object].join());
  return 'value' in task ? task.value : task.a + task.b;
}`;

const CHECK =
  "const check = (condition, reason) => { if (!condition) throw new Error('WRONG: ' + reason); };";

/** A pool and `run`, as lines of a test file or of a test. */
export const opened = (contender: Contender, module: Module, options: PoolOptions = {}): string[] => [
  `const pool = ${contender.create(contender.filename('./worker.js', module), options)};`,
  `const run = (task) => ${contender.run('pool', 'task')};`,
];

interface SuiteOptions {
  readonly pool?: PoolOptions;
  /** Nothing ends the pool. */
  readonly forgotten?: true;
}

/** A test file with a pool for all of its tests, which the runner's own hook ends. */
export function suite(
  runner: Runner,
  contender: Contender,
  tests: Readonly<Record<string, readonly string[]>>,
  { pool, forgotten }: SuiteOptions = {},
): string {
  const { module, head, after } = runner;
  return [
    ...[contender.load(module), ...head, CHECK, ...opened(contender, module, pool)],
    ...(forgotten ? [] : [after(contender.close('pool'))]),
    ...Object.entries(tests).map(([name, lines]) => runner.test(name, lines)),
    '',
  ].join('\n');
}

/** A test file with tests that load the pool themselves. */
export const loose = (runner: Runner, tests: Readonly<Record<string, readonly string[]>>): string =>
  [
    ...[...runner.head, CHECK],
    ...Object.entries(tests).map(([name, lines]) => runner.test(name, lines)),
    '',
  ].join('\n');

/** Also when many are under way, because then a host does more than to wait for one. */
export const SUMS = [
  "check((await run({ a: 4, b: 6 })) === 10, 'a wrong sum');",
  'const sums = await Promise.all(Array.from({ length: 200 }, (_, a) => run({ a, b: 1 })));',
  "check(sums.every((sum, a) => sum === a + 1), 'wrong sums');",
];

/** What the test gets is of its own realm. */
export const ERRORS = [
  'const error = await run({ fail: true }).then(() => null, (error) => error);',
  'check(error instanceof TypeError, "a task\'s TypeError is no TypeError of the test");',
  'check(error.cause instanceof RangeError, "its cause is no RangeError of the test");',
];

export const RESULTS = [
  'const value = { list: [new Map([[1, new Set([/x/])]]), new Date(5)] };',
  'const got = await run({ value });',
  'check(got instanceof Object && got.list instanceof Array, "an object or array is none of the test\'s realm");',
  'const [map, date] = got.list;',
  'check(map instanceof Map && date instanceof Date, "a Map or Date is none of the test\'s realm");',
  'check(map.get(1) instanceof Set, "a Set is none of the test\'s realm");',
];

/** What the worker gets is what structured clone makes of the test's values. */
export const ARGUMENTS = [
  'const kinds = [{}, [], new Map(), new Set(), new Date(5), /x/, new Uint8Array(2), new ArrayBuffer(2), new DataView(new ArrayBuffer(2)),',
  "  new Error('e'), new TypeError('t'), new AggregateError([new Error('e')], 'a'), new (class extends Map {})(), Object(1)];",
  'const seen = await run({ kinds });',
  "const names = 'Object Array Map Set Date RegExp Uint8Array ArrayBuffer DataView Error TypeError Error Map Number'.split(' ');",
  "check(String(seen) === String(names.map((name) => name + ',true')), 'the worker got ' + seen);",
];

/** Tasks across each change of timers, and under the fakes. */
export const acrossFakes = ({ fake, real }: Pick<Runner, 'fake' | 'real'>): string[] => [
  ...["check((await run({ a: 4, b: 6 })) === 10, 'a wrong sum');", 'const before = run({ ms: 50 });', fake],
  ...["check((await before) === 'late', 'a wrong result');", ...SUMS.slice(1)],
  ...["check((await run({ ms: 50 })) === 'late', 'a wrong result');", 'const after = run({ ms: 50 });', real],
  ...["check((await after) === 'late', 'a wrong result');", 'await run({ a: 4, b: 6 });'],
];

/** Enough for any run of a test or two, on a machine that has much else to do; a run that hangs takes it all. */
export const OR_NEVER_MS = 30_000;

/** Every test printed that it was right, and the runner found so too. */
export function passed(outputs: readonly Output[]): string | undefined {
  const last = outputs.at(-1) as Output;
  const text = last.stdout + last.stderr;
  if (succeeded(last)) return /\bRIGHT\b/.test(text) ? undefined : 'no test was run';
  return reasonOf(text) ?? firstReason(last);
}

/** What a test said, else what stands below the name of the first test or file that jest found failing. */
const reasonOf = (text: string): string | undefined =>
  (/WRONG: (?!')(.*)/.exec(text) ?? /^ {2}● .*\n\n\s*(?:thrown: )?"?(.*)/m.exec(text))?.[1];

/** Contenders of a row where the others differ in nothing that it is about. */
export const PAIR = { contenders: ['plimsoll', 'piscina'] } as const satisfies Partial<Setup>;

export const common = { group, check: passed } as const satisfies Partial<Setup>;

export const packageJson = (fields: Readonly<Record<string, unknown>>): Record<string, string> => ({
  'package.json': `${JSON.stringify({ name: 'project', private: true, ...fields }, null, 2)}\n`,
});
