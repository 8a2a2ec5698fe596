import { randomInt } from 'node:crypto';
import { type Comparable, compare as compareResults } from '../compare/compare.js';
import { type ModulesProgress, compareModules as measure } from '../compare/modules.js';
import { usage } from '../errors.js';
import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import { comparison } from '../report/findings/compare.js';
import type { Comparison } from '../results/comparison.js';
import { ascending, checkCount, checkPositive, checkSizes } from './check.js';
import { checked, readJson } from './result-files.js';
import { type RunOptions, supervised } from './run-options.js';
import { looksLikePath } from './targets.js';
import { chooseWorkloads } from './workloads.js';

export type { Comparable } from '../compare/compare.js';
export type { ModulesProgress } from '../compare/modules.js';

/**
 * Compare two results of `plimsoll bench`, each a path of its JSON or the result itself: is the new one
 * slower, size by size?
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for a file that cannot be read or is no such result.
 * @example
 * const { verdict, rows } = compare('main.json', 'branch.json');
 * if (verdict !== 'same' && verdict !== 'better') console.log(rows);
 */
export const compare = (old: string | Comparable, now: string | Comparable): Comparison =>
  comparison(compareResults(resultOf(old), resultOf(now)));

/** How two modules are compared; every option has a default. */
export interface CompareModulesOptions {
  /** Pool sizes, 1 to 1024; by default 4. */
  readonly sizes?: readonly number[] | undefined;
  /** Most time, in milliseconds; it ends sooner when the answer is known. By default 20,000. */
  readonly timeMs?: number | undefined;
  /** Of the order of the rounds; by default random. */
  readonly seed?: number | undefined;
  /** A process that needs longer to start, or for one round, counts as hung, in milliseconds; by default 120,000. */
  readonly deadlineMs?: number | undefined;
}

export const COMPARE_TIME_MS = 20_000;
const DEADLINE_MS = 120_000;

/**
 * Compare an old and a new version of a module, as `bench` takes them: live processes of both take turns by short rounds in random
 * order, so that what disturbs this machine hits both alike. It ends when the answer is known, or the time is up.
 *
 * When `signal` aborts, the result says so (`interrupted`) and holds what was measured by then. No process and no temporary
 * directory is left.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for an option out of range; PLIMSOLL_BAD_WORKLOAD for a module that is not there; what
 * made the old module fail.
 * @example
 * const { verdict } = await compareModules('../main/work.mjs', './work.mjs', { sizes: [4, 8] });
 */
export async function compareModules(
  old: string,
  now: string,
  options: CompareModulesOptions = {},
  { signal, onProgress }: RunOptions<ModulesProgress> = {},
): Promise<Comparison> {
  const { sizes = [DEFAULT_POOL_SIZE], timeMs = COMPARE_TIME_MS, seed, deadlineMs = DEADLINE_MS } = options;
  const plan = {
    ...{ old: moduleOf(old), new: moduleOf(now) },
    sizes: ascending(checkSizes(sizes)),
    timeMs: checkPositive(timeMs, 'timeMs'),
    seed: seed === undefined ? randomInt(2 ** 31) : checkCount(seed, 'seed', 0, 2 ** 31 - 1),
    deadlineMs: checkPositive(deadlineMs, 'deadlineMs'),
  };
  return comparison(await supervised(signal, (supervision) => measure(plan, { ...supervision, onProgress })));
}

function moduleOf(path: string): ReturnType<typeof chooseWorkloads>[number] {
  if (!looksLikePath(path))
    throw usage(
      `${JSON.stringify(path)} is no path; give two results (main.json) or two modules (./work.mjs)`,
    );
  const [workload] = chooseWorkloads([path], { operations: undefined, scale: 1, parameters: {} });
  return workload as NonNullable<typeof workload>;
}

const resultOf = (source: string | Comparable): Comparable =>
  typeof source === 'string' ? read(source) : source;

function read(file: string): Comparable {
  const document = readJson(file) as { schema?: unknown; kind?: unknown } | null;
  const kind = document?.kind;
  if (document?.schema !== 'plimsoll/1')
    throw usage(`${file} is no result of plimsoll; give what plimsoll bench wrote with --json`);
  if (kind !== 'bench')
    throw usage(
      `${file} is a result of kind ${JSON.stringify(String(kind).slice(0, 40))}; results of bench can be compared`,
    );
  return checked(kind, document, file);
}
