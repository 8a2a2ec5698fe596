import { randomInt } from 'node:crypto';
import { usage } from '../errors.js';
import { cpuCount } from '../host/cpu.js';
import type { Output } from '../lab/command.js';
import { DEFAULT_POOL_SIZE, LARGEST_POOL_SIZE } from '../libuv/pool-size.js';
import { tuneResultOf } from '../report/findings/tune.js';
import type { TuneResult } from '../results/tune.js';
import type { Objective } from '../tune/plan.js';
import type { TuneProgress } from '../tune/progress.js';
import { splitWords } from '../tune/traffic/words.js';
import { tuneCommand } from '../tune/tune.js';
import { ascending, checkSize, checkSizes } from './check.js';
import { type RunOptions, supervised } from './run-options.js';

export interface TuneOptions {
  readonly command?: readonly string[] | undefined;
  readonly pid?: number | undefined;
  readonly sizes?: readonly number[] | undefined;
  readonly baseline?: number | undefined;
  readonly objective?: Objective | undefined;
  readonly timeMs?: number | undefined;
  readonly seed?: number | undefined;
  readonly onPort?: string | undefined;
  readonly urls?: readonly string[] | undefined;
  readonly connections?: number | undefined;
  readonly method?: string | undefined;
  readonly headers?: readonly string[] | undefined;
  readonly body?: string | undefined;
  readonly rate?: number | undefined;
  readonly stdout?: Output | undefined;
}

export const TUNE_TIME_MS = 60_000;

export async function tune(
  options: TuneOptions,
  { signal, onProgress }: RunOptions<TuneProgress> = {},
): Promise<TuneResult> {
  if (options.command === undefined) throw usage('soon');
  const cpus = cpuCount();
  const baseline = checkSize(options.baseline ?? DEFAULT_POOL_SIZE, 'baseline');
  const usual = [1, 2, cpus, 2 * cpus, 4 * cpus, 16, 64].filter((size) => size <= LARGEST_POOL_SIZE);
  const request = {
    command: options.command,
    sizes: ascending([...checkSizes(options.sizes ?? usual), baseline]),
    baseline,
    objective: options.objective ?? 'mean',
    timeMs: options.timeMs ?? TUNE_TIME_MS,
    traffic:
      options.onPort !== undefined
        ? ({ from: 'command', words: splitWords(options.onPort, '--on-port') } as const)
        : options.urls === undefined
          ? null
          : ({
              from: 'urls',
              urls: options.urls,
              connections: options.connections,
              rate: options.rate,
            } as const),
    seed: options.seed ?? randomInt(2 ** 31),
    readyMs: 60_000,
    stdout: options.stdout ?? 'stdout',
  };
  return tuneResultOf(
    await supervised(signal, (supervision) =>
      tuneCommand(request, { ...supervision, onProgress: onProgress ?? (() => {}) }),
    ),
  );
}
