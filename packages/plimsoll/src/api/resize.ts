import { resizeProcess } from '../resize/resize.js';
import type { Resize } from '../results/resize.js';
import { checkPositive, checkSize } from './check.js';
import type { RunOptions } from './run-options.js';

/** Which process's pool, and how large it is to be. */
export interface ResizeOptions {
  /** A Node process that runs already; Linux. */
  readonly pid: number;
  /** Threads that shall serve the queue, from 1 to 1,024. */
  readonly size: number;
  /** How long running jobs may keep the pool from shrinking, in milliseconds; by default 10,000. */
  readonly timeoutMs?: number | undefined;
}

export const RESIZE_TIMEOUT_MS = 10_000;

/**
 * Resize libuv's pool in a Node process that runs already, through its inspector, which is open for that moment. The size holds
 * until the process ends.
 *
 * @throws {PlimsollError} PLIMSOLL_NO_PROCESS, PLIMSOLL_NOT_NODE, PLIMSOLL_NOT_PERMITTED, PLIMSOLL_NO_INSPECTOR, PLIMSOLL_PORT_IN_USE
 * when it cannot be reached; PLIMSOLL_TARGET_HUNG, PLIMSOLL_TARGET_DIED; PLIMSOLL_RESIZE_LIMIT, PLIMSOLL_RESIZE_TIMEOUT,
 * PLIMSOLL_RESIZE_UNAVAILABLE; PLIMSOLL_USAGE for an option out of range.
 * @example
 * const { before, after } = await resize({ pid: 4711, size: 12 });
 */
export async function resize(
  { pid, size, timeoutMs = RESIZE_TIMEOUT_MS }: ResizeOptions,
  { signal }: Pick<RunOptions<never>, 'signal'> = {},
): Promise<Resize> {
  const ms = checkPositive(timeoutMs, 'timeoutMs');
  const outcome = await resizeProcess(pid, checkSize(size, 'size'), ms, signal);
  return { schema: 'plimsoll/1', kind: 'resize', pid, takenAt: new Date().toISOString(), ...outcome };
}
