import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathOf } from '../common/nodes.js';
import { ROOT, scratch } from '../common/paths.js';
import type { Condition, Effort, Judged, Study } from '../common/study.js';
import { install } from '../tune/install.js';
import { findings } from './findings.js';

const JUDGED: readonly Judged[] = [
  ['plimsoll', 'original', 'total'],
  ['plimsoll', 'original', 'build'],
];

/** In this order by number in `program.ts`, too: the program, and what it is told. */
export const BUILDS = [
  ['rspack', 'noop', '@rspack/core 2.3.3 (tinypool 2), a loader that does nothing'],
  ['rspack', 'less', '@rspack/core 2.3.3 (tinypool 2), less-loader'],
  ['rspack', 'babel', '@rspack/core 2.3.3 (tinypool 2), babel-loader'],
  ['vitest', 'isolated', 'vitest 3.2.7 (tinypool 1), a fresh worker for each file'],
  ['vitest', 'shared', 'vitest 3.2.7 (tinypool 1), files share workers'],
  ['terser', '', 'terser-webpack-plugin 5.6.1 (jest-worker 27, processes)'],
  ['webpack', 'noop', 'webpack 5.113.0 (thread-loader 4, processes), a loader that does nothing'],
  [
    'webpack',
    'less',
    'webpack 5.113.0 (thread-loader 4, processes), less-loader that asks webpack for paths',
  ],
  ['webpack', 'babel', 'webpack 5.113.0 (thread-loader 4, processes), babel-loader'],
] as const;

/** The line on which some builds are repeated. */
const OTHER_LINE = 24;

/** Number in `BUILDS`, modules, seconds, workers if not two, the line of Node if not this one. */
const FULL: readonly (readonly [number, number, number, number?, number?])[] = [
  [0, 300, 40, 1],
  [0, 1300, 80, 1],
  [0, 300, 40],
  [0, 1300, 80],
  [0, 3900, 180],
  [1, 300, 60],
  [1, 1300, 120],
  [2, 300, 180],
  [3, 40, 180],
  [4, 40, 90],
  [5, 12, 90],
  [8, 4, 40],
  [6, 300, 40],
  [6, 1300, 70],
  [7, 300, 80],
  [8, 300, 110],
  [0, 300, 40, 1, OTHER_LINE],
  [0, 300, 40, 2, OTHER_LINE],
  [0, 1300, 80, 2, OTHER_LINE],
  [1, 300, 60, 2, OTHER_LINE],
  [3, 40, 180, 2, OTHER_LINE],
  [4, 40, 90, 2, OTHER_LINE],
  [6, 300, 40, 2, OTHER_LINE],
];

const condition = (build: number, modules: number, seconds: number, workers = 2, line = 0): Condition => {
  const [program, kind, title] = BUILDS[build] as (typeof BUILDS)[number];
  const how = `${workers === 2 ? '' : ', one worker'}${line === 0 ? '' : `, Node ${line}`}`;
  return {
    id: `${program}-${kind}-${modules}${workers === 2 ? '' : `-${workers}`}${line === 0 ? '' : `-node-${line}`}`,
    title: `${title}${how}: ${modules} ${program === 'vitest' ? 'test files' : 'modules'}`,
    contenders: [
      { id: 'original', title: program === 'webpack' ? 'thread-loader' : 'its pool' },
      {
        id: 'plimsoll',
        title: program === 'webpack' ? 'a loader on @plimsoll/pool' : '@plimsoll/pool in its place',
      },
      { id: 'none', title: 'main thread alone' },
    ],
    baseline: 'original',
    metrics: [
      { id: 'total', title: 'process, ms', better: 'less', digits: 0 },
      { id: 'build', title: 'build, ms', better: 'less', digits: 0 },
      { id: 'peak', title: 'peak memory, MB', better: 'less', digits: 0 },
    ],
    judged: JUDGED,
    parameters: { build, modules, workers, ...(line !== 0 && { line }) },
    seconds,
    isolated: true,
  };
};

export const adopters: Study = {
  name: 'adopters',
  title: 'Builds that people run, with their pool and with this one',
  description: [
    'Published tools do the same work with the pool that they come with and with `@plimsoll/pool` in its place:',
    '`@plimsoll/pool/tinypool` for the tinypool inside Rspack and below vitest, ten lines over `Pool` for jest-worker, and for',
    'thread-loader a loader whose tasks [call webpack](../reference/pool.md#calling-the-host)',
    '([studies/adopters](../../studies/adopters)). Two workers each; Rspack also with one, as it chooses on two CPUs by itself.',
    'Every build is a fresh process, in random order beside a twin of',
    'the original; "process" is all of it from its start to its end, "build" what the tool takes in it. Peak memory is that of the',
    'process and of those that it starts; a build of four modules is little but start-up. What builds write is compared byte by byte,',
    'and the study fails when it differs. Modules are generated; the main thread alone shows what workers gain at all. Whether',
    'anything else ran meanwhile we cannot tell: the CPU time of builds is not known. Rows with "Node 24" are of the newest version of',
    'that line, all others of the Node that is named below. More rounds than these see that Rspack with two workers takes',
    '[some milliseconds more](../decisions/pool-more-ahead.md) for 300 modules.',
  ],
  packages: ['@plimsoll/pool'],
  startsPrograms: true,
  conditions: (effort: Effort) =>
    effort === 'quick'
      ? BUILDS.map((_, build) => condition(build, 4, 12))
      : FULL.map((row) => condition(...row)),
  findings,
  prepare,
};

/** The tools and their swapped copies. */
export const PROJECT = join(scratch('adopters'), 'project');

/** Installs the tools, and puts copies of them beside those, whose pool is ours. @throws NotInstalled */
async function prepare(signal: AbortSignal): Promise<void> {
  const source = join(ROOT, 'studies/adopters');
  await pathOf(OTHER_LINE);
  const { directory } = await install({ source, cache: scratch('adopters'), signal });
  rmSync(PROJECT, { force: true, recursive: true });
  symlinkSync(directory, PROJECT);
  const modules = join(directory, 'node_modules');
  const swapped = join(directory, 'swapped/node_modules');
  rmSync(swapped, { recursive: true, force: true });
  for (const name of ['@rspack/core', 'vitest', 'terser-webpack-plugin'])
    cpSync(join(modules, name), join(swapped, name), { recursive: true });
  const ours = join(modules, '@plimsoll/pool');
  rmSync(ours, { recursive: true, force: true });
  mkdirSync(join(modules, '@plimsoll'), { recursive: true });
  symlinkSync(join(ROOT, 'packages/pool'), ours);
  const stand =
    "export * from '@plimsoll/pool/tinypool';\nexport { default } from '@plimsoll/pool/tinypool';\n";
  writeFileSync(join(swapped, '@rspack/core/compiled/tinypool/dist/index.js'), stand);
  packageOf(join(swapped, 'tinypool'), 'tinypool', 'module', stand);
  packageOf(join(swapped, 'jest-worker'), 'jest-worker', 'commonjs', '');
  cpSync(join(source, 'jest-worker.cjs'), join(swapped, 'jest-worker/index.js'));
  rmSync(join(directory, 'hashes'), { recursive: true, force: true });
}

function packageOf(folder: string, name: string, type: string, index: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name, version: '0.0.0', type, main: './index.js' }),
  );
  writeFileSync(join(folder, 'index.js'), index);
}
