// Which test files run where. All paths are those of the sources, without `.test.ts`.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

const TEST = 'packages/plimsoll/test';
const CLI = `${TEST}/cli`;
const POOL = 'packages/pool/test';

/**
 * What `npm run test:fast` leaves out: files that took more than seven seconds on two cores, most because they measure, wait,
 * or install packages. The two checkers of the pool's protocol take as long (17 and 12 s) and stay in: they are what a change of
 * the protocol needs. `npm test` names the slowest files of each run; what is not quick any more belongs here.
 */
const SLOW = [
  ...['bad-input', 'against', 'bench', 'classify', 'clean-up', 'draw', 'limits'].map(
    (name) => `${CLI}/${name}`,
  ),
  ...['trace', 'tune'].map((name) => `${CLI}/${name}`),
  'packages/plimsoll/test/browser/browser',
  'packages/plimsoll/test/docs/site',
  'packages/plimsoll/test/classify/classify',
  'packages/plimsoll/test/doctor/running',
  'packages/plimsoll/test/resize/resize',
  'packages/plimsoll/test/target/attach',
  'packages/plimsoll/test/stats/generations',
  'packages/plimsoll/test/classify/draw',
  ...['commands', 'traffic', 'tune', 'tune-clean-up'].map((name) => `${TEST}/tune/${name}`),
  'packages/plimsoll/test/trace/requests-http',
  ...['differential', 'findings', 'programs', 'steps', 'stress', 'stuck'].map((name) => `${POOL}/${name}`),
  ...[
    'accounting',
    'cancel',
    'command',
    'ending',
    'faults',
    'handles',
    'large',
    'network',
    'restarts',
    'rights',
  ].map((name) => `packages/bullmq/test/${name}`),
  ...['shutdown', 'silence', 'skew', 'tasks'].map((name) => `packages/bullmq/test/${name}`),
  'setups/test/command',
  'setups/test/fast',
];
/** Of these every file: they run benchmarks, examples and studies. */
const SLOW_FOLDERS = ['benchmarks/', 'examples/', 'studies/'];

/**
 * What need not run on every line of Node, with the lines on which the matrix runs it: what computes the same anywhere, and
 * what takes longest, spread over the lines. The commands themselves run on every line, in the other tests of `cli/`.
 */
const NOT_EVERYWHERE = [
  { paths: [`${POOL}/protocol`, `${POOL}/reordering`, `${POOL}/litmus`], lines: [20] },
  { paths: [`${POOL}/programs`], lines: [20, 24] },
  {
    paths: ['browser/', 'collections/', 'docs/', 'stats/'].map((folder) => `${TEST}/${folder}`),
    lines: [20],
  },
  { paths: [`${CLI}/bench`, `${CLI}/report-against`, 'benchmarks/', 'studies/'], lines: [20] },
  { paths: ['examples/', 'packages/bullmq/', 'setups/'], lines: [20, 24] },
  { paths: [`${CLI}/bad-input`, `${TEST}/tune/commands`, `${TEST}/tune/traffic`], lines: [20] },
  {
    paths: [
      `${TEST}/classify/classify`,
      `${TEST}/classify/decide`,
      `${CLI}/classify`,
      `${POOL}/differential`,
    ],
    lines: [20, 22],
  },
  { paths: [`${TEST}/classify/draw`], lines: [20, 24] },
  {
    paths: [...[`${CLI}/clean-up`, `${POOL}/huge`, `${POOL}/steps`], 'packages/monitor/test/thread-pool'],
    lines: [20, 26],
  },
];

/** What measures nothing, and computes or mostly waits: two of these files run at a time. */
const SIDE_BY_SIDE = [
  ...['packages/bullmq/', 'packages/pool/', 'packages/fastify/', 'setups/'],
  ...[
    'errors',
    'floors',
    'browser/',
    'collections/',
    'doctor/',
    'host/',
    'libuv/',
    'packaging/',
    'report/',
  ].map((path) => `packages/plimsoll/test/${path}`),
  ...['docs/', 'stats/', 'trace/', 'bench/findings', 'bench/compare', 'classify/decide'].map(
    (path) => `packages/plimsoll/test/${path}`,
  ),
  `${CLI}/bad-input`,
];

/**
 * What may be skipped although `--no-skips` is given, by name: it depends on the line of Node, not on the machine.
 *
 * @param {number} line
 */
export const mayBeSkipped = (line) =>
  line < 22
    ? [
        'types are stripped where Node does that',
        'an inspector that is switched off',
        'an inspector that is switched off, by a variable too',
      ]
    : [];

/** @param {string} file */
const sourceOf = (file) =>
  file
    .replaceAll('\\', '/')
    .replace('/test-dist/', '/test/')
    .replace(/\.test\.js$/, '');

/** @type {(file: string, paths: readonly string[]) => boolean} */
const isUnder = (file, paths) => paths.some((path) => sourceOf(file).startsWith(path));

/**
 * The compiled test files, or those whose path contains one of the filters.
 *
 * @param {readonly string[]} filters
 * @param {{ line?: number, fast?: boolean }} [only] `line` leaves out what need not run on that line of Node, `fast` what is
 *   slow
 */
export function testFiles(filters, { line, fast = false } = {}) {
  checkLists();
  return allFiles()
    .filter(
      (file) => filters.length === 0 || filters.some((text) => file.replaceAll('\\', '/').includes(text)),
    )
    .filter((file) => line === undefined || isForLine(file, line))
    .filter((file) => !fast || !(SLOW.includes(sourceOf(file)) || isUnder(file, SLOW_FOLDERS)))
    .sort();
}

/** @type {(file: string, line: number) => boolean} */
const isForLine = (file, line) =>
  NOT_EVERYWHERE.every(({ paths, lines }) => lines.includes(line) || !isUnder(file, paths));

function allFiles() {
  const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`);
  return [...packages, 'benchmarks', 'examples', 'setups', 'studies']
    .map((folder) => `${folder}/test-dist`)
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(folder, file),
      ),
    )
    .filter((file) => file.endsWith('.test.js'))
    .filter(hasSource);
}

/** tsc leaves what it compiled when its source is deleted or moved. @param {string} file */
const hasSource = (file) => existsSync(join(root, `${sourceOf(file)}.test.ts`));

/** A list that names a file which no longer exists would say nothing. */
function checkLists() {
  const exact = SLOW.filter((path) => !existsSync(join(root, `${path}.test.ts`)));
  const files = allFiles();
  const named = [...NOT_EVERYWHERE.flatMap(({ paths }) => paths), ...SLOW_FOLDERS];
  const unmet = named.filter((path) => !files.some((file) => isUnder(file, [path])));
  const gone = [...exact, ...unmet];
  if (gone.length > 0)
    throw new Error(`scripts/test-files.mjs names what does not exist: ${gone.join(', ')}`);
}

/**
 * The files that measure, to be run one after another, and the others, two at a time.
 *
 * @param {readonly string[]} files
 * @returns {{ atATime: number, files: string[] }[]}
 */
export function batches(files) {
  const alone = files.filter((file) => !isUnder(file, SIDE_BY_SIDE));
  const together = files.filter((file) => isUnder(file, SIDE_BY_SIDE));
  return [
    { atATime: 1, files: alone },
    { atATime: 2, files: together },
  ].filter((batch) => batch.files.length > 0);
}
