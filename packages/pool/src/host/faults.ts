import { PoolError, WorkerError } from '../errors.js';
import { now } from '../shared/clock.js';
import { messageOf } from '../shared/untrusted.js';
import type { Breaking, Quarantining } from './options.js';
import type { HandlerName } from './task.js';
import { STOPPING, type WorkerHandle } from './worker-handle.js';

/** A function of a file, however it is called. */
type FunctionName = Pick<HandlerName, 'filename' | 'name'>;

/** A function that has ended workers. */
interface Suspect {
  /** When they ended; those of `within` alone. */
  readonly deaths: readonly number[];
  /** Its tasks are rejected until then; 0: they are not. */
  readonly until: number;
  readonly last: WorkerError;
}

export const keyOf = ({ filename, name }: FunctionName): string => `${filename}\0${name}`;

/** The breaker, for pools whose workers cannot start, and the quarantine, for functions that end one worker after another. */
export class Guard {
  /** There may be something to refuse. All that a task is asked about while all is well. */
  isUp = false;
  #isClosed = false;
  /** Workers in a row that have ended before they were ready. */
  #failures = 0;
  /** No worker is started until then; 0: they are. */
  #until = 0;
  #lastFailure: WorkerError | undefined;
  readonly #suspects = new Map<string, Suspect>();
  readonly #breaking: Breaking;
  readonly #quarantining: Quarantining | undefined;

  constructor(breaking: Breaking, quarantining: Quarantining | undefined) {
    this.#breaking = breaking;
    this.#quarantining = quarantining;
  }

  /** No task is taken any more. */
  close(): void {
    this.#isClosed = true;
    this.isUp = true;
  }

  /** Why a task is refused, if it is. @param handler undefined: it has no file @param hasWorkers to run it */
  refusal(handler: FunctionName | undefined, hasWorkers: boolean): Error | undefined {
    if (this.#isClosed) return closed();
    const isOpen = this.pause > 0;
    if (isOpen && !hasWorkers) {
      const failures = `Workers have failed to start ${this.#failures} times in a row`;
      const message = `${failures}, so the pool starts none for now: ${this.#lastFailure?.message}`;
      return new PoolError('PLIMSOLL_POOL_CIRCUIT_OPEN', message, { cause: this.#lastFailure });
    }
    const refusal = handler && this.quarantined(handler);
    const time = now();
    if (refusal === undefined)
      this.isUp = isOpen || [...this.#suspects.values()].some(({ until }) => time < until);
    return refusal;
  }

  /** The last worker has ended before it was ready. */
  get isInDoubt(): boolean {
    return this.#failures > 0;
  }

  /** Milliseconds until a worker may be started. */
  get pause(): number {
    if (this.#until === 0) return 0;
    const left = this.#until - now();
    if (left > 0) return left;
    // One is tried. When it fails as well, that is enough.
    this.#until = 0;
    this.#failures = this.#breaking.failures - 1;
    return 0;
  }

  /** A worker is ready. */
  started(): void {
    this.#failures = 0;
    this.#until = 0;
  }

  /** A worker has ended before it was ready. */
  failed(error: WorkerError): void {
    this.#lastFailure = error;
    if (++this.#failures < this.#breaking.failures) return;
    this.#until = now() + this.#breaking.pause;
    this.isUp = true;
  }

  /** A worker has ended while it ran a function. True: that is in quarantine from now on. */
  died(handler: FunctionName, last: WorkerError): boolean {
    if (this.#quarantining === undefined) return false;
    const { deaths: most, within, pause } = this.#quarantining;
    const time = now();
    for (const [key, { deaths, until }] of this.#suspects)
      if (time >= until && deaths.every((death) => time - death >= within)) this.#suspects.delete(key);
    const before = this.#suspects.get(keyOf(handler))?.deaths ?? [];
    const deaths = [...before.filter((death) => time - death < within), time];
    const isFull = deaths.length >= most;
    const until = isFull ? time + pause : 0;
    this.#suspects.set(keyOf(handler), { deaths: isFull ? [] : deaths, until, last });
    if (isFull) this.isUp = true;
    return isFull;
  }

  /** Why the tasks of a function are rejected, if they are. */
  quarantined(handler: FunctionName): WorkerError | undefined {
    const suspect = this.#suspects.get(keyOf(handler));
    if (suspect === undefined || now() >= suspect.until) return undefined;
    const { last } = suspect;
    const what = `'${handler.name}' of ${handler.filename} has ended one worker after another`;
    const message = `${what}, so the pool does not call it for now: ${last.message}`;
    return new WorkerError('PLIMSOLL_POOL_QUARANTINED', message, last, { cause: last });
  }
}

export const closed = (): PoolError => new PoolError('PLIMSOLL_POOL_CLOSED', 'The pool is closing or closed');

/** Why a task did not end well: its worker has exited. */
export function workerFailure(worker: WorkerHandle, exitCode: number, handler?: HandlerName): WorkerError {
  const { threadId, failure, hasStarted } = worker;
  const context = { exitCode, threadId, taskName: handler?.name, filename: handler?.filename };
  const where = handler === undefined ? '' : ` while it ran '${handler.name}' of ${handler.filename}`;
  const why = failure === undefined ? '' : `: ${messageOf(failure.error)}`;
  const options = failure === undefined ? {} : { cause: failure.error };
  if (worker.endedAs === STOPPING) {
    const what = hasStarted ? `for another task${where}` : 'before it was ready';
    return new WorkerError('PLIMSOLL_POOL_WORKER_STOPPED', `A worker was stopped ${what}`, context);
  }
  if (!hasStarted) {
    const message = `A worker ended before it was ready, with exit code ${exitCode}${why}`;
    return new WorkerError('PLIMSOLL_POOL_START_FAILED', message, context, options);
  }
  if (failure === undefined) {
    const message = `worker exited with code: ${exitCode}${where}`;
    return new WorkerError('PLIMSOLL_POOL_WORKER_EXITED', message, context);
  }
  const isFull = (failure.error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const code = isFull ? 'PLIMSOLL_POOL_OUT_OF_MEMORY' : 'PLIMSOLL_POOL_WORKER_CRASHED';
  const what = isFull ? 'A worker ran out of memory' : 'An uncaught error ended a worker';
  return new WorkerError(code, `${what}${where}${why}`, context, options);
}

/** Node refuses to make a worker at all. */
export function startFailure(cause: unknown): WorkerError {
  const message = `No worker can be started: ${messageOf(cause)}`;
  return new WorkerError('PLIMSOLL_POOL_START_FAILED', message, {}, { cause });
}

/** A task died that was to run again. */
export function notRetryable(error: WorkerError): WorkerError {
  const message = `'${error.taskName}' cannot run again, because its transferred objects are gone: ${error.message}`;
  return new WorkerError('PLIMSOLL_POOL_NOT_RETRYABLE', message, error, { cause: error });
}
