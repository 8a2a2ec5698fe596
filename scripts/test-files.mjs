import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

/**
 * Tests that need not run on every line of Node: the model checker computes the same anywhere; the load tests, the
 * benchmarks, the examples and the studies take the longest, and what they stand on has its own tests on every line.
 */
const NOT_EVERYWHERE = [
  { path: /pool\/test-dist\/(protocol|reordering|litmus)\.test/, lines: [20] },
  { path: /test-dist\/(load\/|cli\/load)/, lines: [20, 24] },
  { path: /^(benchmarks|examples|setups|studies)\//, lines: [20, 24] },
];

/**
 * Every compiled test file, or those whose path contains one of the filters.
 *
 * @param line of Node: leaves out what need not run there.
 */
export function testFiles(filters, line) {
  const packages = readdirSync(join(root, 'packages')).map((name) => join('packages', name));
  const files = [...packages, 'benchmarks', 'setups', 'studies', 'examples'].flatMap((folder) => {
    const directory = join(folder, 'test-dist');
    try {
      return readdirSync(join(root, directory), { recursive: true })
        .filter((file) => file.endsWith('.test.js'))
        .map((file) => join(directory, file));
    } catch {
      return [];
    }
  });
  return files.filter((file) => isWanted(file, filters) && (line === undefined || isFor(file, line))).sort();
}

const isWanted = (file, filters) => filters.length === 0 || filters.some((text) => file.includes(text));

const isFor = (file, line) =>
  NOT_EVERYWHERE.every(({ path, lines }) => !path.test(file) || lines.includes(line));

/** What measures nothing, and mostly waits. */
const SIDE_BY_SIDE = /^(packages\/(pool|fastify)|setups)\//;

/** What to tell Node so that it runs these files: those that measure one after another, the others two at a time. */
export function testRuns(files) {
  const runs = [
    [1, files.filter((file) => !SIDE_BY_SIDE.test(file))],
    [2, files.filter((file) => SIDE_BY_SIDE.test(file))],
  ];
  return runs
    .filter(([, some]) => some.length > 0)
    .map(([count, some]) => ['--test', `--test-concurrency=${count}`, '--test-reporter=spec', ...some]);
}
