// Which test files run where. All paths are those of the sources, without `.test.ts`.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

const TEST = 'packages/plimsoll/test';
const CLI = `${TEST}/cli`;
const POOL = 'packages/pool/test';

/** @type {(folder: string, names: readonly string[]) => string[]} */
const inFolder = (folder, names) => names.map((name) => `${folder}/${name}`);

/** @type {(folder: string, times: Record<string, number>) => Record<string, number>} */
const timesIn = (folder, times) =>
  Object.fromEntries(Object.entries(times).map(([name, seconds]) => [`${folder}/${name}`, seconds]));

/**
 * Files that take more than seven seconds on two cores, with about their seconds: most measure, wait, or install packages. The
 * longest begin first, and `npm run test:fast` leaves them out. `npm test` names the slowest files of each run; what is not quick
 * any more belongs here.
 *
 * @type {Record<string, number>}
 */
const SECONDS = {
  ...timesIn(CLI, {
    tune: 24,
    bench: 25,
    'clean-up': 15,
    against: 10,
    'bad-input': 10,
    trace: 10,
    classify: 8,
  }),
  ...timesIn(CLI, { limits: 7, draw: 7 }),
  ...timesIn(TEST, { 'browser/browser': 17, 'classify/classify': 28, 'classify/draw': 12, 'docs/site': 25 }),
  ...timesIn(TEST, {
    'doctor/doctor': 22,
    'doctor/running': 10,
    'resize/resize': 15,
    'stats/generations': 13,
  }),
  ...timesIn(TEST, { 'target/attach': 8, 'top/top': 10 }),
  ...timesIn(`${TEST}/tune`, {
    tune: 40,
    live: 14,
    'live-trouble': 10,
    traffic: 10,
    commands: 8,
  }),
  ...timesIn(`${TEST}/tune`, { 'bad-input': 12, judge: 15, 'tune-clean-up': 10 }),
  ...timesIn('packages/monitor/test', { auto: 16, 'resize-anywhere': 11, rescue: 10, 'thread-pool': 8 }),
  ...timesIn(POOL, { steps: 30, protocol: 27, programs: 15, 'protocol-retirement': 14, reordering: 13 }),
  ...timesIn(POOL, { differential: 14, 'threaded-programs': 12, huge: 20, memory: 8, findings: 8, retry: 8 }),
  ...timesIn(POOL, { stress: 8, stuck: 8, values: 12 }),
  ...timesIn('packages/bullmq/test', { network: 22, accounting: 15, ending: 18, silence: 20, shutdown: 18 }),
  ...timesIn('packages/bullmq/test', {
    rights: 16,
    command: 12,
    options: 12,
    handles: 12,
    faults: 10,
    tasks: 10,
  }),
  ...timesIn('packages/bullmq/test', { cancel: 12, skew: 8, restarts: 8, large: 8, values: 8 }),
  ...timesIn('benchmarks/test', { smoke: 25, shapes: 12, features: 12, crossover: 7 }),
  ...timesIn('studies/test/load', { command: 50, 'clean-up': 20, study: 10 }),
  ...{ 'examples/test/examples': 50, 'packages/fastify/test/prometheus': 12 },
  ...timesIn('setups/test', { command: 12, fast: 12 }),
};
/** The checkers of the pool's protocol and of its values stay in: they are what a change of the pool needs. */
const FAST_ALL_THE_SAME = inFolder(POOL, ['protocol', 'protocol-retirement', 'reordering', 'values']);
/** Of these every file is left out: they run benchmarks, examples and studies. */
const SLOW_FOLDERS = ['benchmarks/', 'examples/', 'studies/'];

/**
 * What need not run on every line of Node, with the lines on which the matrix runs it. What differs between lines runs on
 * each: threads and the pool's protocol on them, V8's serializer, how libuv's pool is resized, the inspector, hooks and trace
 * events, and of every command a test. What computes the same anywhere runs on one line, and what takes longest, on two.
 */
const NOT_EVERYWHERE = [
  {
    lines: [20],
    paths: [
      ...inFolder(POOL, ['protocol', 'reordering', 'litmus', 'testing-', 'docs', 'floors']),
      ...inFolder(TEST, ['bench/', 'browser/', 'collections/', 'contest/', 'docs/', 'report/', 'stats/']),
      ...inFolder(TEST, ['host/noise', 'packaging/', 'trace/reduce']),
      ...inFolder(TEST, [
        'tune/answer',
        'tune/commands',
        'tune/figures',
        'tune/judge',
        'tune/measure',
        'tune/traffic',
      ]),
      ...inFolder(CLI, ['against', 'bad-input', 'bench', 'limits', 'report']),
      ...inFolder('packages/bullmq/test', ['accounting', 'cancel', 'ending', 'faults', 'handles', 'network']),
      ...inFolder('packages/bullmq/test', ['restarts', 'rights', 'silence', 'skew']),
      ...['packages/fastify/test/prometheus', 'packages/monitor/test/histogram'],
      ...['setups/test/command', 'studies/'],
    ],
  },
  {
    lines: [20, 22],
    paths: [
      ...[`${TEST}/classify/`, `${CLI}/classify`, `${POOL}/differential`, `${POOL}/threaded-programs`],
      'benchmarks/',
    ],
  },
  { lines: [20, 24], paths: ['examples/', 'packages/bullmq/', 'setups/'] },
  {
    // By the pool's real threads, not by parked ones, since Node 26.
    lines: [20, 26],
    paths: [
      ...inFolder(`${TEST}/tune`, ['attached', 'bad-input', 'live', 'tune']),
      ...[`${CLI}/clean-up`, `${POOL}/huge`, 'packages/monitor/test/thread-pool'],
    ],
  },
];

/** What asserts on times of its own, or measures an app that must start, answer or end within seconds: one at a time. */
const MEASURES = [
  ...inFolder(TEST, ['classify/classify', 'classify/draw', 'doctor/doctor']),
  'studies/test/load/traffic',
];

/** What waits most of its time, for processes, timeouts and requests: beside all others. */
const WAITS = [
  ...['packages/bullmq/', 'packages/fastify/', 'packages/monitor/', 'setups/'],
  ...inFolder(TEST, [
    'browser/',
    'docs/code',
    'docs/command',
    'docs/site',
    'doctor/',
    'host/processes',
    'lab/',
    'library',
  ]),
  ...inFolder(TEST, ['resize/', 'target/', 'top/', 'trace/', 'cli/']),
  ...inFolder(`${TEST}/tune`, ['attached', 'bad-input', 'commands', 'live', 'traffic', 'tune']),
  ...inFolder(POOL, ['findings', 'memory', 'retry', 'stuck']),
  ...inFolder('studies/test', ['folklore', 'live-contestant']),
  ...inFolder('studies/test/load', ['bad-input', 'clean-up', 'command', 'study', 'table-run']),
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
    .filter((file) => !fast || !isSlow(file))
    .sort();
}

/** @type {(file: string) => boolean} */
const isSlow = (file) =>
  (secondsOf(file) > 0 && !FAST_ALL_THE_SAME.includes(sourceOf(file))) || isUnder(file, SLOW_FOLDERS);

/** 0 of those that are quick. @type {(file: string) => number} */
const secondsOf = (file) => SECONDS[sourceOf(file)] ?? 0;

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
  const exact = Object.keys(SECONDS).filter((path) => !existsSync(join(root, `${path}.test.ts`)));
  const files = allFiles();
  const named = [...NOT_EVERYWHERE.flatMap(({ paths }) => paths), ...MEASURES, ...WAITS, ...SLOW_FOLDERS];
  const unmet = named.filter((path) => !files.some((file) => isUnder(file, [path])));
  const gone = [...exact, ...unmet];
  if (gone.length > 0)
    throw new Error(`scripts/test-files.mjs names what does not exist: ${gone.join(', ')}`);
}

/** @typedef {{ atATime: number, files: string[] }} Stage so many of its files at a time */

/**
 * Lanes, which run at the same time, each stage after stage, so that two cores always have something to do: beside a file that
 * measures, or two that compute, three wait.
 *
 * @param {readonly string[]} files
 * @returns {Stage[][]}
 */
export function lanes(files) {
  const longestFirst = [...files].sort((a, b) => secondsOf(b) - secondsOf(a));
  /** @type {(atATime: number, isMember: (file: string) => boolean) => Stage} */
  const stage = (atATime, isMember) => ({ atATime, files: longestFirst.filter(isMember) });
  /** @type {(file: string) => boolean} */
  const measures = (file) => isUnder(file, MEASURES);
  /** @type {(file: string) => boolean} */
  const waits = (file) => !measures(file) && isUnder(file, WAITS);
  /** @type {(file: string) => boolean} */
  const computes = (file) => !measures(file) && !waits(file);
  return [[stage(1, measures), stage(2, computes)], [stage(3, waits)]]
    .map((stages) => stages.filter((one) => one.files.length > 0))
    .filter((stages) => stages.length > 0);
}
