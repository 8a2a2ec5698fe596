import { type ErrorCode, PlimsollError } from '../errors.js';
import type { Resize } from '../results/resize.js';
import { attach, RemoteError } from '../target/attach.js';
import { resizeEngine } from '../target/resize-engine.js';

/** Said by the process: sizes before and after, and how it was done. */
type Outcome = Pick<Resize, 'before' | 'after' | 'limit' | 'slowLimit' | 'by' | 'reason'>;

/** The answer comes so long after the resize has given up, at the latest. */
const SPARE_MS = 3000;

/**
 * Resize the pool of a running process from outside.
 *
 * @throws {PlimsollError} as `attach` does; PLIMSOLL_RESIZE_LIMIT for more threads than that process can get,
 * PLIMSOLL_RESIZE_TIMEOUT when running jobs kept it from shrinking, PLIMSOLL_RESIZE_UNAVAILABLE when nothing can resize its pool.
 */
export async function resizeProcess(
  pid: number,
  size: number,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Outcome> {
  const attached = await attach(pid, { signal });
  try {
    return (await attached.evaluate(expression(size, timeoutMs), timeoutMs + SPARE_MS)) as Outcome;
  } catch (error) {
    throw error instanceof RemoteError ? explained(error, pid, size) : error;
  } finally {
    await attached.close();
  }
}

const expression = (size: number, timeoutMs: number): string => `(async ({ threadPool }) => {
  const before = threadPool.size ?? null;
  await threadPool.resize(${size}, { timeoutMs: ${timeoutMs} });
  const { size: after, limit, slowLimit, resizing: by, reason } = threadPool;
  return { before, after, limit, slowLimit, by, reason: reason ?? null };
})(${resizeEngine()})`;

const CODES: Readonly<Record<string, ErrorCode>> = {
  PLIMSOLL_MONITOR_RESIZE_LIMIT: 'PLIMSOLL_RESIZE_LIMIT',
  PLIMSOLL_MONITOR_RESIZE_TIMEOUT: 'PLIMSOLL_RESIZE_TIMEOUT',
};

function explained(error: RemoteError, pid: number, size: number): PlimsollError {
  const code = CODES[error.code ?? ''] ?? 'PLIMSOLL_RESIZE_UNAVAILABLE';
  const advice: Partial<Record<ErrorCode, string>> = {
    PLIMSOLL_RESIZE_LIMIT: `; to allow this size, start the process with UV_THREADPOOL_SIZE=${size} or more`,
    PLIMSOLL_RESIZE_TIMEOUT: '; allow more time (--timeout)',
  };
  return new PlimsollError(code, `process ${pid}: ${error.message}${advice[code] ?? ''}`, { cause: error });
}
