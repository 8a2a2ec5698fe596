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
  /** One process at a time, one round each: for work that owns a port or a file. By default sizes take turns. */
  readonly isolated?: boolean | undefined;
  /**
   * Most time for one workload, in milliseconds; it ends sooner when the answer is known. By default 20,000; isolated: no limit
   * but `blocks`.
   */
  readonly timeMs?: number | undefined;
  /** Isolated: how many times every size is measured, at the most; by default 10. Four are the fewest that give verdicts. */
  readonly blocks?: number | undefined;
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
  /** A process that needs longer to start, or for one round, counts as hung, in milliseconds; by default 120,000. */
  readonly deadlineMs?: number | undefined;
}

/** Time for one workload, in milliseconds. */
export const BENCH_TIME_MS = { quick: 10_000, default: 20_000, careful: 120_000 } as const;
export const BENCH_BLOCKS = 10;
const DEADLINE_MS = 120_000;

/**
 * Measure every workload at every pool size, in live processes that take turns by short rounds in random order, until it is
 * known which size suits it, or the time is up.
 *
 * A workload that fails is part of the result (`failure`), a size whose process fails too (`lost`). When `signal` aborts, the
 * result holds the complete blocks (`method.interrupted`). No process and no temporary directory is left.
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
  const { isolated = false, timeMs, blocks, operations, seed, deadlineMs = DEADLINE_MS } = options;
  const baseline = checkSize(options.baseline ?? DEFAULT_POOL_SIZE, 'baseline');
  const usual = [DEFAULT_POOL_SIZE, 2 * DEFAULT_POOL_SIZE, Math.min(cpuCount(), LARGEST_POOL_SIZE)];
  const plan = {
    workloads: chooseWorkloads(options.workloads ?? [], {
      operations: operations === undefined ? undefined : checkCount(operations, 'operations', 1),
      scale: checkPositive(options.scale ?? 1, 'scale'),
      parameters: options.parameters ?? {},
    }),
    sizes: ascending([...checkSizes(options.sizes ?? usual), baseline]),
    baseline,
    isolated,
    timeMs:
      timeMs === undefined && isolated ? null : checkPositive(timeMs ?? BENCH_TIME_MS.default, 'timeMs'),
    blocks: checkCount(blocks ?? BENCH_BLOCKS, 'blocks', 1),
    dns: options.dns ?? { mode: 'auto' as const },
    seed: seed === undefined ? randomInt(2 ** 31) : checkCount(seed, 'seed', 0, 2 ** 31 - 1),
    deadlineMs: checkPositive(deadlineMs, 'deadlineMs'),
  };
  return benchResultOf(
    await supervised(signal, (supervision) => measure(plan, { ...supervision, onProgress })),
  );
}
