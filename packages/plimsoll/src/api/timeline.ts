import { PlimsollError } from '../errors.js';
import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import { observed } from '../report/findings/timeline.js';
import type { Timeline } from '../results/timeline.js';
import type { TimelineSubject } from '../timeline/messages.js';
import { isOperationName, timelineOperations } from '../timeline/operations.js';
import { timeline as draw, type TimelineProgress } from '../timeline/timeline.js';
import { checkCount, checkPositive, checkSize, checkUrl } from './check.js';
import { type RunOptions, supervised } from './run-options.js';
import { parseTarget } from './targets.js';

/** What `timeline` runs. */
export interface TimelineOptions {
  /** `pbkdf2`, `pbkdf2-sync`, `http`, `readFile`, `lookup`, `resolve`, `gzip`, `randomBytes`, or `PATH#export`. */
  readonly operation: string;
  /** Arguments of `PATH#export`; by default none. */
  readonly args?: readonly unknown[] | undefined;
  /** One experiment for each number of requests at once; by default 2, 4 and 6. */
  readonly requests?: readonly number[] | undefined;
  /** Pool size, 1 to 1024; by default 4. */
  readonly size?: number | undefined;
  /** Where `http` sends its requests; by default a server on loopback that takes 100 ms. */
  readonly url?: string | URL | undefined;
  /** An experiment that takes longer counts as hung, in milliseconds; by default 60,000. */
  readonly deadlineMs?: number | undefined;
}

export const TIMELINE_DEFAULTS = { requests: [2, 4, 6], deadlineMs: 60_000 } as const;
const MOST_REQUESTS = 1000;

/**
 * Run an operation several times at once and say where every request spent its time: waiting for a pool thread, on one,
 * waiting for the event loop, on the main thread, outside the process.
 *
 * When `signal` aborts, the result holds the complete experiments (`interrupted`). No process and no temporary directory
 * is left.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for an unknown operation or an option out of range; PLIMSOLL_WORKLOAD_FAILED,
 * PLIMSOLL_WORKLOAD_EXITED, PLIMSOLL_WORKLOAD_HUNG when the operation does not complete.
 * @example
 * const { experiments } = await timeline({ operation: './work.mjs#hash', requests: [6], size: 4 });
 */
export async function timeline(
  options: TimelineOptions,
  { signal, onProgress }: RunOptions<TimelineProgress> = {},
): Promise<Timeline> {
  const {
    operation,
    requests = TIMELINE_DEFAULTS.requests,
    deadlineMs = TIMELINE_DEFAULTS.deadlineMs,
  } = options;
  if (options.url !== undefined && operation !== 'http')
    throw new PlimsollError('PLIMSOLL_USAGE', `url: goes with http only, not with ${operation}`);
  const plan = {
    subject: subjectOf(operation, options.args ?? []),
    requests: [...new Set(requests.map((count) => checkCount(count, 'requests', 1, MOST_REQUESTS)))],
    size: checkSize(options.size ?? DEFAULT_POOL_SIZE, 'size'),
    url: options.url === undefined ? null : checkUrl(options.url, 'url').href,
    deadlineMs: checkPositive(deadlineMs, 'deadlineMs'),
  };
  return observed(await supervised(signal, (supervision) => draw(plan, { ...supervision, onProgress })));
}

function subjectOf(operation: string, args: readonly unknown[]): TimelineSubject {
  if (isOperationName(operation)) return { kind: 'built-in', name: operation };
  const target = parseTarget(operation, args);
  if (target !== null) return { kind: 'target', target };
  throw new PlimsollError(
    'PLIMSOLL_USAGE',
    `unknown operation ${JSON.stringify(operation)}; it must be one of ${timelineOperations.join(', ')}, or PATH#export`,
  );
}
