import { PoolError, type PoolErrorCode, WorkerError } from '../errors.js';
import { now } from '../shared/clock.js';
import type { Handler } from '../shared/messages.js';
import { messageOf } from '../shared/untrusted.js';
import type { Breaking } from './options.js';
import { STOPPING, type WorkerHandle } from './worker-handle.js';

/** Pauses the start of workers when several in a row could not start. */
export class Breaker {
  failures = 0;
  /** No worker is started until this time; 0: no pause. */
  until = 0;
  #lastFailure: WorkerError | undefined;
  readonly #limits: Breaking;

  constructor(limits: Breaking) {
    this.#limits = limits;
  }

  get pause(): number {
    if (this.until === 0) return 0;
    const time = this.until - now();
    if (time > 0) return time;
    // One worker is tried. If it fails too, the next pause begins.
    this.until = 0;
    this.failures = Math.max(1, this.#limits.failures - 1);
    return 0;
  }

  started(): void {
    this.failures = 0;
    this.until = 0;
  }

  failed(error: WorkerError): void {
    this.#lastFailure = error;
    if (++this.failures >= this.#limits.failures) this.until = now() + this.#limits.pause;
  }

  refusal(): PoolError {
    const failures = `Workers have failed to start ${this.failures} times in a row`;
    const message = `${failures}, so the pool starts none for now: ${this.#lastFailure?.message}`;
    return new PoolError('PLIMSOLL_POOL_CIRCUIT_OPEN', message, { cause: this.#lastFailure });
  }
}

export const closed = (): PoolError => new PoolError('PLIMSOLL_POOL_CLOSED', 'The pool is closing or closed');

/** The error of a task whose worker has exited or was stopped. */
export function workerFailure(
  worker: WorkerHandle,
  exitCode: number | undefined,
  handler?: Handler,
): WorkerError {
  const { threadId, failure, hasStarted } = worker;
  const context = { exitCode, threadId, taskName: handler?.name, filename: handler?.filename };
  const where = handler === undefined ? '' : ` while it ran '${handler.name}' of ${handler.filename}`;
  const why = failure === undefined ? '' : `: ${messageOf(failure.error)}`;
  const make = (code: PoolErrorCode, what: string): WorkerError =>
    new WorkerError(code, what, context, failure && { cause: failure.error });
  if (worker.endedAs === STOPPING) {
    const what = hasStarted ? `for another task${where}` : 'before it was ready';
    return make('PLIMSOLL_POOL_WORKER_STOPPED', `A worker was stopped ${what}`);
  }
  if (!hasStarted) {
    const what = `A worker ended before it was ready, with exit code ${exitCode}${why}`;
    return make('PLIMSOLL_POOL_START_FAILED', what);
  }
  if (failure === undefined)
    return make('PLIMSOLL_POOL_WORKER_EXITED', `worker exited with code: ${exitCode}${where}`);
  return (failure.error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? make('PLIMSOLL_POOL_OUT_OF_MEMORY', `A worker ran out of memory${where}${why}`)
    : make('PLIMSOLL_POOL_WORKER_CRASHED', `An uncaught error ended a worker${where}${why}`);
}

export function startFailure(cause: unknown): WorkerError {
  const message = `No worker can be started: ${messageOf(cause)}`;
  return new WorkerError('PLIMSOLL_POOL_START_FAILED', message, {}, { cause });
}

export function notRetryable(error: WorkerError): WorkerError {
  const message = `'${error.taskName}' cannot run again, because its transferred objects are gone: ${error.message}`;
  return new WorkerError('PLIMSOLL_POOL_NOT_RETRYABLE', message, error, { cause: error });
}
