import { randomInt } from 'node:crypto';
import { bench as measure } from '../bench/bench.js';
import type { BenchProgress } from '../bench/options.js';
import { cpuCount } from '../host/cpu.js';
import type { DnsMode } from '../lab/resolver/open.js';
import { DEFAULT_POOL_SIZE, LARGEST_POOL_SIZE } from '../libuv/pool-size.js';
import { benchResultOf } from '../report/findings/bench.js';
import type { BenchResult } from '../results/bench.js';
import { ascending, checkCount, checkPositive, checkSize, checkSizes } from './check.js';
import { type RunOptions, supervised } from './run-options.js';
import { chooseWorkloads } from './workloads.js';

/** What `bench` measures; every option has a default. */
export interface BenchOptions {
  /** `file`, `crypto`, `zlib`, `dns`, `mixed`, or paths of modules whose default export is measured; by default all five. */
  readonly workloads?: readonly string[] | undefined;
  /** Pool sizes, 1 to 1024; by default 4, 8 and the number of CPUs. */
  readonly sizes?: readonly number[] | undefined;
  /** The size that the others are compared with; by default 4. It is measured twice in every block. */
  readonly baseline?: number | undefined;
  /** How many times every size is measured; by default 10. Six are the fewest that give verdicts. */
  readonly blocks?: number | undefined;
  /** Lighter work, shorter runs and 5 blocks: estimates, no verdicts. */
  readonly quick?: boolean | undefined;
  /** Operations of one round; by default what each workload has. */
  readonly operations?: number | undefined;
  /** Multiplies the cost of each operation (iterations, bytes); by default 1. */
  readonly scale?: number | undefined;
  /** Parameters of built-in workloads, such as `{ crypto: { iterations: 10_000 } }`. */
  readonly parameters?: Readonly<Record<string, Readonly<Record<string, string | number>>>> | undefined;
  /** Who answers lookups; by default the first that works of the system's resolver, a local one and the hosts file. */
  readonly dns?: DnsMode | undefined;
  /** Of the order of the runs; by default random. */
  readonly seed?: number | undefined;
  /** How long the measured rounds of one run take together, in milliseconds; by default 1000, 500 when quick. */
  readonly runMs?: number | undefined;
  /** A run that takes longer counts as hung, in milliseconds; by default 120,000. */
  readonly deadlineMs?: number | undefined;
}

export const BENCH_BLOCKS = { quick: 5, default: 10, careful: 20 } as const;
const RUN_MS = { quick: 500, default: 1000 } as const;
const DEADLINE_MS = 120_000;

/**
 * Measure every workload at every pool size, each run in a fresh process, in blocks of random order, and say which size
 * suits it.
 *
 * A workload that fails is part of the result (`failure`). When `signal` aborts, the result holds the complete blocks
 * (`method.interrupted`). No process and no temporary directory is left.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for an option out of range; PLIMSOLL_BAD_WORKLOAD for a module that is not there;
 * PLIMSOLL_NO_DIRECTORY, PLIMSOLL_DNS_UNAVAILABLE when nothing can be measured at all.
 * @example
 * const { workloads } = await bench({ workloads: ['crypto', './my-work.mjs'], sizes: [4, 8, 16] });
 * for (const { name, recommended } of workloads) console.log(name, recommended);
 */
export async function bench(
  options: BenchOptions = {},
  { signal, onProgress }: RunOptions<BenchProgress> = {},
): Promise<BenchResult> {
  const { quick = false, blocks, operations, seed, runMs, deadlineMs = DEADLINE_MS } = options;
  const baseline = checkSize(options.baseline ?? DEFAULT_POOL_SIZE, 'baseline');
  const usual = [DEFAULT_POOL_SIZE, 2 * DEFAULT_POOL_SIZE, Math.min(cpuCount(), LARGEST_POOL_SIZE)];
  const plan = {
    workloads: chooseWorkloads(options.workloads ?? [], {
      quick,
      operations: operations === undefined ? undefined : checkCount(operations, 'operations', 1),
      scale: checkPositive(options.scale ?? 1, 'scale'),
      parameters: options.parameters ?? {},
    }),
    sizes: ascending([...checkSizes(options.sizes ?? usual), baseline]),
    baseline,
    blocks: checkCount(blocks ?? (quick ? BENCH_BLOCKS.quick : BENCH_BLOCKS.default), 'blocks', 1),
    dns: options.dns ?? { mode: 'auto' as const },
    seed: seed === undefined ? randomInt(2 ** 31) : checkCount(seed, 'seed', 0, 2 ** 31 - 1),
    runMs: checkPositive(runMs ?? (quick ? RUN_MS.quick : RUN_MS.default), 'runMs'),
    deadlineMs: checkPositive(deadlineMs, 'deadlineMs'),
  };
  return benchResultOf(
    await supervised(signal, (supervision) => measure(plan, { ...supervision, onProgress })),
  );
}
