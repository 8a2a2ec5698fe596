import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type ErrorCode, PlimsollError } from '../errors.js';
import type { Resize } from '../results/resize.js';
import { attach, RemoteError } from '../target/attach.js';

type Outcome = Pick<Resize, 'before' | 'after' | 'limit' | 'slowLimit' | 'by' | 'reason'>;

/** The answer comes at most this long after the resize has given up. */
const SPARE_MS = 5000;

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

/** Where a process stores the engine, so that each call finds the same one. */
const ENGINE = "globalThis[Symbol.for('plimsoll.resize')]";

/** An expression that evaluates to `@plimsoll/monitor/resize`, without the package and without the right to read our files. */
function resizeEngine(): string {
  const text = readFileSync(createRequire(import.meta.url).resolve('@plimsoll/monitor/resize'), 'utf8');
  return `(${ENGINE} ??= (() => { const module = { exports: {} }; let exports = module.exports; ${text}
return module.exports; })())`;
}
