import { advise as predict } from '../advise/advise.js';
import { verification, verificationNoise } from '../advise/verify.js';
import { NO_CHANGE } from '../advise/what-if.js';
import { itemAt } from '../collections/item-at.js';
import { PlimsollError } from '../errors.js';
import { sweep } from '../lab/sweep.js';
import { adviceOf } from '../report/findings/advise.js';
import type { Advice, Objective, WhatIf } from '../results/advice.js';
import type { Trace } from '../results/trace.js';
import { createRandom } from '../stats/random.js';
import type { RecordProgress } from '../trace/record.js';
import { checkCount, checkSizes } from './check.js';
import { type RunOptions, supervised } from './run-options.js';
import { type RecordedTrace, recordTrace as record, type TraceOptions, trace } from './trace.js';

/** What `advise` predicts; every option has a default. */
export interface AdviseOptions {
  /** Pool sizes to predict, 1 to 1024; by default 1 to 1024 in twelve steps. */
  readonly sizes?: readonly number[] | undefined;
  /**
   * What a size is judged by: `mean` or `p99` of what a request takes, without requests of what the program called or of its
   * jobs, in milliseconds; `throughput`, requests or jobs a second; `makespan`, from the first submission to the last result, in
   * milliseconds. By default `mean`.
   */
  readonly objective?: Objective | undefined;
  /** Changes to the machine or the work, such as `{ cores: 8, without: ['dns'] }`; by default none. */
  readonly whatIf?: Partial<WhatIf> | undefined;
  /** Of the random numbers in the simulation: the same seed gives the same advice; by default 1. */
  readonly seed?: number | undefined;
}

export const ADVISE_SIZES = [1, 2, 4, 8, 12, 16, 32, 64, 128, 256, 512, 1024] as const;

/**
 * Predict from one recorded run what other pool sizes would do, and say which to take.
 *
 * @param source a trace that was recorded or read, or the command to record first. When `signal` aborts, what was recorded
 * until then counts.
 * @throws {PlimsollError} PLIMSOLL_NO_POOL_JOBS when nothing used the pool; PLIMSOLL_USAGE for an option out of range or a
 * kind of job that was not recorded; what `trace` throws.
 * @example
 * const { recommended } = await advise(readTrace('app.trace'), { sizes: [2, 4, 8], objective: 'p99' });
 */
export async function advise(
  source: Trace | TraceOptions,
  { sizes = ADVISE_SIZES, objective = 'mean', whatIf, seed = 1 }: AdviseOptions = {},
  run: RunOptions<RecordProgress> = {},
): Promise<Advice> {
  const options = {
    sizes: checkSizes(sizes),
    objective,
    whatIf: { ...NO_CHANGE, ...whatIf },
    seed: checkCount(seed, 'seed', 0, 2 ** 31 - 1),
  };
  const recorded = 'processes' in source ? source : (await trace(source, run)).trace;
  return adviceOf(predict(recorded, options));
}

/** What `verifyAdvice` measures. */
export interface VerifyOptions {
  /** The command that the advice was recorded from. */
  readonly command: readonly string[];
  /** Sizes to measure; each must be among those that were predicted. */
  readonly sizes: readonly number[];
  /** Runs of each size, and of the twin of the smallest; by default 3. */
  readonly runs?: number | undefined;
  /** The command is ended after so many milliseconds; by default it ends by itself. */
  readonly durationMs?: number | undefined;
  /** Of the order of the runs; by default 1. */
  readonly seed?: number | undefined;
}

/** The run that has just begun. */
export interface VerifyProgress {
  readonly size: number;
  /** From 1. */
  readonly run: number;
  readonly runs: number;
}

export const VERIFY_RUNS = 3;
/** The note of a trace whose command failed by itself. */
export const COMMAND_FAILED = 'trace.command-failed';

/**
 * Measure sizes that were predicted, and add to the advice how wrong the prediction was. Every size runs once in each block, in
 * random order, and the smallest one twice: how far its twin is from it says how noisy the machine was.
 *
 * @throws {PlimsollError} PLIMSOLL_TARGET_FAILED when the command fails at a size; PLIMSOLL_USAGE for an option out of range.
 * @throws the reason of `signal` when it aborts: a part of the runs proves nothing.
 * @example
 * const command = ['node', 'app.js'];
 * const { verification } = await verifyAdvice(await advise({ command }), { command, sizes: [2, 8] });
 */
export async function verifyAdvice(
  advice: Advice,
  options: VerifyOptions,
  { signal, onProgress }: RunOptions<VerifyProgress> = {},
): Promise<Advice> {
  const { command, durationMs, runs = VERIFY_RUNS, seed = 1 } = options;
  const sizes = checkSizes(options.sizes);
  checkCount(runs, 'runs', 1);
  const how = { stdout: 'nowhere' as const, ...(durationMs === undefined ? {} : { durationMs }) };
  const all = await supervised(signal, (supervision) => {
    const measure = async (size: number, run: number): Promise<RecordedTrace> => {
      supervision.signal.throwIfAborted();
      onProgress?.({ size, run, runs });
      const one = await record(command, { ...how, size }, supervision);
      supervision.signal.throwIfAborted();
      const failed = one.notes.find(({ id }) => id === COMMAND_FAILED);
      if (failed === undefined) return one;
      throw new PlimsollError('PLIMSOLL_TARGET_FAILED', `at size ${size} ${failed.text}`);
    };
    const plan = {
      sizes,
      baseline: itemAt(sizes, 0),
      blocks: runs,
      random: createRandom(seed),
      signal: supervision.signal,
    };
    return sweep(plan, (size, { block }) => measure(size, block + 1));
  });
  const own = all.filter(({ isTwin }) => !isTwin).map(({ size, result }) => ({ size, trace: result }));
  return {
    ...advice,
    verification: verification(advice.predictions, own),
    verificationNoise: verificationNoise(all),
  };
}
