import { randomInt } from 'node:crypto';
import { bench as measure } from '../bench/bench.js';
import { type ModulesProgress, compareModules as measureModules } from '../bench/modules.js';
import type { BenchProgress, ChosenWorkload } from '../bench/options.js';
import { usage } from '../errors.js';
import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import { benchResultOf } from '../report/findings/bench.js';
import { comparisonOfModules } from '../report/findings/compare.js';
import type { BenchResult } from '../results/bench.js';
import type { Comparison } from '../results/comparison.js';
import { looksLikePath } from '../workloads/target.js';
import type { OptionsOf } from './options.js';
import { type RunOptions, supervised } from './run-options.js';
import { ascending, checkOptions, usualSizes } from './values.js';
import { chooseWorkloads, moduleWorkload } from './workloads.js';

export type BenchOptions = OptionsOf<'bench'>;
/** Options of `bench` that apply to two modules; the default size is 4. */
export type CompareModulesOptions = Pick<
  BenchOptions,
  'sizes' | 'timeMs' | 'operations' | 'scale' | 'seed' | 'deadlineMs'
>;

const TIME_MS = 20_000;
const randomSeed = (): number => randomInt(2 ** 31);

/**
 * Measure every workload at every pool size, in live processes that take turns by short rounds in random order, until it is
 * known which size suits it, or the time is up.
 *
 * A workload that fails is part of the result (`failure`), a size whose process fails too (`lost`). When `signal` aborts, the
 * result holds the complete blocks (`method.interrupted`).
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for an option out of range; PLIMSOLL_BAD_WORKLOAD for a module that is not there;
 * PLIMSOLL_NO_DIRECTORY when nothing can be measured at all.
 * @example
 * const { workloads } = await bench({ workloads: ['crypto', './my-work.mjs'], sizes: [4, 8, 16] });
 * for (const { name, recommended } of workloads) console.log(name, recommended);
 */
export async function bench(
  options: BenchOptions = {},
  { signal, onProgress }: RunOptions<BenchProgress> = {},
): Promise<BenchResult> {
  const {
    workloads = [],
    sizes,
    timeMs,
    operations,
    scale,
    parameters,
    ...rest
  } = checkOptions('bench', options);
  const { isolated, baseline, seed = randomSeed() } = rest;
  const plan = {
    ...rest,
    workloads: chooseWorkloads(workloads, { operations, scale, parameters }),
    sizes: ascending([...(sizes ?? usualSizes()), baseline]),
    timeMs: timeMs ?? (isolated ? null : TIME_MS),
    seed,
  };
  return benchResultOf(
    await supervised(signal, (supervision) => measure(plan, { ...supervision, onProgress })),
  );
}

/**
 * Compare an old and a new version of a module, as `bench` takes them: live processes of both take turns by short rounds in random
 * order, so that what disturbs this machine hits both alike. It ends when the answer is known, or the time is up.
 *
 * When `signal` aborts, the result says so (`interrupted`) and holds what was measured by then.
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
  const { sizes = [DEFAULT_POOL_SIZE], timeMs = TIME_MS, ...checked } = checkOptions('bench', options);
  const { operations, scale, seed = randomSeed(), deadlineMs } = checked;
  const versionAt = (path: string): ChosenWorkload => {
    if (!looksLikePath(path)) throw usage(`${JSON.stringify(path)} is not a module path such as ./work.mjs`);
    return moduleWorkload(path, { operations, scale });
  };
  const plan = { old: versionAt(old), new: versionAt(now), sizes, timeMs, seed, deadlineMs };
  return comparisonOfModules(
    await supervised(signal, (supervision) => measureModules(plan, { ...supervision, onProgress })),
  );
}
