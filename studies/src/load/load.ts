import { randomInt } from 'node:crypto';
import { DEFAULT_POOL_SIZE, PlimsollError, type RunOptions, supervised } from '@plimsoll/lab';
import { checkCount, checkPositive, checkSize, checkSizes, checkUrl } from '../common/values.js';
import { type MeasuredLoad, measureTables } from './measure-tables.js';
import { ownsPort } from './method.js';
import { operationOf, type SampleOperation } from './operation.js';
import {
  AS_IT_IS,
  CASES,
  type LoadCase,
  type LoadProgress,
  type LoadTarget as PlannedTarget,
} from './options.js';
import { loadRecommendation } from './report/reasons.js';
import type { LoadResult } from './result.js';
import { choosesPort } from './target/command.js';
import type { Mode } from './target/sample.js';

/** The server under load: the sample server, one that a command starts, or one that runs already. */
export type LoadTarget =
  | ({
      readonly kind: 'sample';
      /** How it runs; by default `node` alone. */
      readonly modes?: readonly Mode[] | undefined;
      /** Workers of the cluster modes; by default 2. */
      readonly instances?: number | undefined;
    } & SampleOperation)
  | {
      readonly kind: 'command';
      /** Starts the server; UV_THREADPOOL_SIZE is set for it. */
      readonly command: readonly [string, ...string[]];
      /**
       * With `{port}` in place of the port a free one is chosen for each server, so that all sizes can live at the same time: it
       * is set as PORT, and put in place of `{port}` in the command.
       */
      readonly url: string | URL;
      /** A trivial request, asked at a fixed rate beside the load; by default none. */
      readonly bystander?: string | URL | undefined;
    }
  | { readonly kind: 'url'; readonly url: string | URL; readonly bystander?: string | URL | undefined };

/** What `load` measures; every option has a default. */
export interface LoadOptions {
  /** By default the sample server with pbkdf2. */
  readonly target?: LoadTarget | undefined;
  /** Kinds of traffic: `1` (1 client, 15 requests), `2` (15 × 1), `3` (15 × 5), or your own; by default `1`. */
  readonly cases?: readonly ('1' | '2' | '3' | LoadCase)[] | undefined;
  /** Pool sizes, 1 to 1024; by default 4 to 1024 in ten steps. Not for a server that runs already. */
  readonly sizes?: readonly number[] | undefined;
  /** The size that the others are compared with; by default 4 where it is among the sizes, else the smallest. */
  readonly baseline?: number | undefined;
  /** One server at a time, for one slice; by default only where the server owns its port (a `url` without `{port}`). */
  readonly isolated?: boolean | undefined;
  /**
   * Most time for one table (a mode and a case), in milliseconds, but at least one generation; it ends sooner when the answer is
   * known. By default 60,000; isolated: no limit but `blocks`.
   */
  readonly timeMs?: number | undefined;
  /** Isolated: how many times every size is measured, at the most; by default 10, of one size alone 1. Four give verdicts. */
  readonly blocks?: number | undefined;
  /** Of the order of the runs and of the open loop; by default random, or that of `earlier`. */
  readonly seed?: number | undefined;
  /** A server that needs longer to start, or for one slice, counts as hung, in milliseconds; by default 600,000. */
  readonly deadlineMs?: number | undefined;
  /** An interrupted result of the same options: its complete generations are not measured again. */
  readonly earlier?: LoadResult | null | undefined;
}

export interface LoadRunOptions extends RunOptions<LoadProgress> {
  /** After every generation: the result so far. */
  readonly onResult?: ((result: LoadResult) => void) | undefined;
}

export const LOAD_SIZES = [4, 8, 12, 16, 32, 64, 128, 256, 512, 1024] as const;
export const LOAD_DEADLINE_MS = 600_000;
/** Time for one table, in milliseconds. */
export const LOAD_TIME_MS = { quick: 20_000, default: 60_000 } as const;
export const LOAD_BLOCKS = 10;

/**
 * Put a server under load at every pool size and say which size suits it: servers of all sizes live at the same time and take
 * turns by slices of the traffic, until the answer is known, or the time is up.
 *
 * A table that fails is part of the result (`failures`), a size whose server fails too (`tables[].lost`). When `signal` aborts, the
 * result holds the slices that were done
 * (`method.interrupted`) and can be given back as `earlier`. No process and no temporary directory is left.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for an option out of range, or an `earlier` result of other options;
 * PLIMSOLL_NO_DIRECTORY when nothing can be measured at all.
 * @example
 * const result = await load({
 *   target: { kind: 'command', command: ['node', 'server.js'], url: 'http://127.0.0.1:{port}/login' },
 *   cases: [{ name: 'own', kind: 'closed', parallel: 8, requests: 20 }],
 *   sizes: [4, 16],
 * });
 */
export async function load(
  options: LoadOptions = {},
  { signal, onProgress, onResult }: LoadRunOptions = {},
): Promise<LoadResult> {
  const { earlier = null, deadlineMs = LOAD_DEADLINE_MS, timeMs } = options;
  const target = targetOf(options.target ?? { kind: 'sample' });
  const sizes = sizesOf(target, options.sizes);
  const isolated = options.isolated === true || ownsPort(target);
  const plan = {
    target,
    cases: (options.cases ?? ['1']).map(caseOf),
    sizes,
    baseline: baselineOf(sizes, options.baseline),
    isolated,
    timeMs: timeMs === undefined && isolated ? null : checkPositive(timeMs ?? LOAD_TIME_MS.default, 'timeMs'),
    blocks: checkCount(options.blocks ?? (sizes.length === 1 ? 1 : LOAD_BLOCKS), 'blocks', 1),
    seed: checkCount(options.seed ?? earlier?.method.seed ?? randomInt(2 ** 31), 'seed', 0, 2 ** 31 - 1),
    deadlineMs: checkPositive(deadlineMs, 'deadlineMs'),
  };
  const onMeasured = (partial: MeasuredLoad): void => onResult?.(resultOf(partial));
  const measured = await supervised(signal, (supervision) =>
    measureTables(plan, { ...supervision, onProgress, onResult: onMeasured }, earlier),
  );
  return resultOf(measured);
}

const resultOf = (measured: MeasuredLoad): LoadResult => ({
  ...measured,
  recommended: measured.recommended.map(loadRecommendation),
});

function targetOf(target: LoadTarget): PlannedTarget {
  if (target.kind === 'sample') {
    const { modes = ['node'], instances = 2 } = target;
    return {
      kind: 'sample',
      modes: [...new Set(modes)],
      instances: checkCount(instances, 'instances', 1, 256),
      ...operationOf(target),
    };
  }
  const url = serverUrl(target.url, 'url');
  const bystander = target.bystander === undefined ? null : serverUrl(target.bystander, 'bystander');
  if (target.kind === 'url' && [url, bystander].some((one) => one !== null && choosesPort(one)))
    throw new PlimsollError('PLIMSOLL_USAGE', '{port}: a server that runs already has the port that it has');
  return { ...target, url, bystander };
}

/**
 * A URL in which port 0 stands for `{port}`: one that is free to choose.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE
 */
export function serverUrl(url: string | URL, name: string): URL {
  return checkUrl(
    typeof url === 'string' ? url.replace(/(?<=^[a-z]+:\/\/[^/?#]*:)\{port\}/i, '0') : url,
    name,
  );
}

function sizesOf(target: PlannedTarget, sizes: readonly number[] | undefined): number[] {
  if (target.kind !== 'url') return checkSizes(sizes ?? LOAD_SIZES);
  if (sizes === undefined) return [AS_IT_IS];
  throw new PlimsollError('PLIMSOLL_USAGE', 'sizes: a server that runs already has the size it has');
}

function baselineOf(sizes: readonly number[], baseline: number | undefined): number {
  const [smallest = AS_IT_IS] = sizes;
  if (baseline === undefined) return sizes.includes(DEFAULT_POOL_SIZE) ? DEFAULT_POOL_SIZE : smallest;
  if (sizes.includes(checkSize(baseline, 'baseline'))) return baseline;
  throw new PlimsollError(
    'PLIMSOLL_USAGE',
    `baseline: ${baseline} is not among the sizes ${sizes.join(', ')}`,
  );
}

function caseOf(traffic: string | LoadCase): LoadCase {
  const found = typeof traffic === 'string' ? CASES.find(({ name }) => name === traffic) : traffic;
  if (found !== undefined) return found;
  throw new PlimsollError(
    'PLIMSOLL_USAGE',
    `cases: must be ${CASES.map(({ name }) => name).join(', ')} or a traffic of your own, not ${JSON.stringify(traffic)}`,
  );
}
