/**
 * Every error that the pool raises on purpose: one table of codes, one class per kind. The tables of the documents are made
 * of it by `scripts/error-table.mjs`, and a test compares them.
 *
 * Codes are stable, texts are not. `instanceof` works across copies of the package and across threads' copies,
 * because each class recognises its instances by a registered symbol.
 */
export const ERRORS = {
  PLIMSOLL_POOL_BAD_OPTION: {
    thrownAs: 'TypeError, RangeError',
    when: 'an option has a wrong type or value',
    remedy: 'correct the option that the message names',
  },
  PLIMSOLL_POOL_NO_FILENAME: {
    thrownAs: 'PoolError',
    when: 'neither the pool nor `run()` names a file',
    remedy: 'set `filename` in one of the two',
  },
  PLIMSOLL_POOL_QUEUE_FULL: {
    thrownAs: 'PoolError',
    when: 'the number of waiting tasks has reached `maxQueue`',
    remedy: "wait for the event 'drain', or raise `maxQueue`",
  },
  PLIMSOLL_POOL_CLOSED: {
    thrownAs: 'PoolError',
    when: 'the pool is closing, closed or destroyed',
    remedy: 'create a new pool',
  },
  PLIMSOLL_POOL_CLOSE_TIMEOUT: {
    thrownAs: 'PoolError',
    when: '`close()` or `destroy()` could not end all tasks, streams and threads in time',
    remedy: 'raise `closeTimeout`, or give tasks a `timeout`',
  },
  PLIMSOLL_POOL_ABORTED: {
    thrownAs: 'AbortError',
    when: 'the signal was aborted (`cause` is its reason), or `clear()` or `close({ force: true })` rejected the task',
    remedy: 'nothing: the caller asked for it',
  },
  PLIMSOLL_POOL_TIMEOUT: {
    thrownAs: 'TimeoutError',
    when: 'the task took longer than its `timeout`, including its wait in the queue',
    remedy: 'raise `timeout`, or make the task smaller',
  },
  PLIMSOLL_POOL_UNCLONEABLE: {
    thrownAs: 'UncloneableError',
    when: 'a task or result cannot be copied; `path` leads to the part: `task.user.socket`',
    remedy: 'leave that part out, or transfer it',
  },
  PLIMSOLL_POOL_VALUE_TOO_LARGE: {
    thrownAs: 'PoolError',
    when: 'a task, a result or an item has more bytes than `maxValueBytes`; the message states both',
    remedy: 'send less at a time, transfer it, or raise `maxValueBytes`',
  },
  PLIMSOLL_POOL_BAD_BYTES: {
    thrownAs: 'PoolError',
    when: 'the bytes of a value of `@plimsoll/bullmq` are damaged, or of an unknown version',
    remedy: 'run the same version on every machine',
  },
  PLIMSOLL_POOL_LOAD_FAILED: {
    thrownAs: 'PoolError',
    when: 'the file or the function is missing or fails to load; `cause` is the true reason',
    remedy: 'fix what `cause` reports; in a bundle, make the worker file an entry point',
  },
  PLIMSOLL_POOL_WORKER_EXITED: {
    thrownAs: 'WorkerError',
    when: 'the worker exited while it ran the task: `process.exit()`, `terminate()`',
    remedy: 'do not end the thread inside a task',
  },
  PLIMSOLL_POOL_WORKER_CRASHED: {
    thrownAs: 'WorkerError',
    when: 'an uncaught error ended the worker while it ran the task; that error is the `cause`',
    remedy: 'catch the error in the worker file',
  },
  PLIMSOLL_POOL_WORKER_STOPPED: {
    thrownAs: 'WorkerError',
    when: 'the pool stopped the worker of this stream, because another task of that worker was aborted or timed out',
    remedy: 'set a `grace` for that task, or use a separate pool for streams',
  },
  PLIMSOLL_POOL_NOT_ITERABLE: {
    thrownAs: 'PoolError',
    when: 'the function that `stream()` called returned a value that is not iterable',
    remedy: 'make it a generator function, or use `run()`',
  },
  PLIMSOLL_POOL_OUT_OF_MEMORY: {
    thrownAs: 'WorkerError',
    when: 'the worker reached a limit of `resourceLimits`',
    remedy: 'raise the limit, or make the task smaller',
  },
  PLIMSOLL_POOL_START_FAILED: {
    thrownAs: 'WorkerError',
    when: 'workers end before they are ready, `setup()` of a worker file fails, or Node cannot create workers',
    remedy: 'fix what `cause` reports: `setup()`, a preload, a thread option, too many stuck threads',
  },
  PLIMSOLL_POOL_NOT_RETRYABLE: {
    thrownAs: 'WorkerError',
    when: 'the task died with its worker, and `retry` cannot run it again, because its objects were transferred; `cause` says how the worker ended',
    remedy: 'copy them, or leave `retry` out',
  },
  PLIMSOLL_POOL_CIRCUIT_OPEN: {
    thrownAs: 'PoolError',
    when: 'the last workers, as many as `breaker` allows, all failed to start; `cause` says why the last one did',
    remedy: 'fix what `cause` reports; the pool starts a worker again after `pause`',
  },
  PLIMSOLL_POOL_NO_HOST_FUNCTION: {
    thrownAs: 'PoolError',
    when: '`host` of `@plimsoll/pool/worker` has no function of this name, or is called outside a task',
    remedy: 'pass the function to the pool or to `run()` as `host`; call it inside a task',
  },
  PLIMSOLL_POOL_HOST_TIMEOUT: {
    thrownAs: 'PoolError',
    when: 'a host function did not answer within `hostTimeout`, or the host thread is blocked',
    remedy: 'raise `hostTimeout`, or do not block the host thread',
  },
  PLIMSOLL_POOL_CALL_TOO_LATE: {
    thrownAs: 'PoolError',
    when: 'the task ended before its host call was answered, or made',
    remedy: 'await the call inside the task',
  },
  PLIMSOLL_POOL_DEADLOCK: {
    thrownAs: 'PoolError',
    when: 'a blocked worker would wait for a task that waits for this worker; or a pool for tests used `host.sync`',
    remedy: 'call `host` without `sync`, or raise `maxThreads`',
  },
  PLIMSOLL_POOL_UNSUPPORTED_RUNTIME: {
    thrownAs: 'PoolError',
    when: 'the runtime lacks `SharedArrayBuffer` or `Atomics.waitAsync`; thrown by the constructor',
    remedy: 'use a version that the message names',
  },
} as const;

export type PoolErrorCode = keyof typeof ERRORS;

/** What is known about the task and worker behind an error. */
export interface FaultContext {
  /** The exit code of the worker's thread. */
  readonly exitCode?: number | undefined;
  /** The thread id of the worker. */
  readonly threadId?: number | undefined;
  /** The exported function that the task called. */
  readonly taskName?: string | undefined;
  /** The file that the task called. */
  readonly filename?: string | undefined;
}

const BRAND = Symbol.for('plimsoll.pool.error');

/** Makes an error that came from another thread an instance of PoolError again. */
export function brand<Failure extends object>(error: Failure): Failure {
  return Object.defineProperty(error, BRAND, { value: true, configurable: true });
}

const isBranded = (value: unknown): value is Error =>
  typeof value === 'object' && value !== null && (value as { [BRAND]?: boolean })[BRAND] === true;

/**
 * An error of the pool itself. Errors that a task throws arrive as they were thrown, not as this.
 *
 * @example
 * try {
 *   await pool.run(task);
 * } catch (error) {
 *   if (error instanceof PoolError && error.code === 'PLIMSOLL_POOL_QUEUE_FULL') return tryLater();
 *   throw error;
 * }
 */
export class PoolError extends Error {
  /** Written out, because bundlers rename classes. */
  static override readonly name: string = 'PoolError';
  override name = 'PoolError';
  readonly code: PoolErrorCode;
  /** What the task was to transfer has left for a worker and is gone. Absent: the caller still has it. */
  declare transferred?: true;

  constructor(code: PoolErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    brand(this);
  }

  /** Also true for errors from another thread, and from another copy of this package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the class on the right of `instanceof`
    const { name } = this;
    return isBranded(value) && (name === 'PoolError' || value.name === name);
  }
}

/** The signal of a task was aborted. `cause` is the signal's reason. */
export class AbortError extends PoolError {
  static override readonly name: string = 'AbortError';
  override name = 'AbortError';

  constructor(reason?: unknown, message = 'The task has been aborted') {
    super('PLIMSOLL_POOL_ABORTED', message, { cause: reason });
  }
}

/** The task took longer than its `timeout`. */
export class TimeoutError extends PoolError {
  static override readonly name: string = 'TimeoutError';
  override name = 'TimeoutError';

  constructor(milliseconds: number, taskName: string) {
    super('PLIMSOLL_POOL_TIMEOUT', `Task '${taskName}' took longer than its timeout of ${milliseconds} ms`);
  }
}

/** A worker ended while it had the task. Says which worker, which task and how it ended. */
export class WorkerError extends PoolError implements FaultContext {
  static override readonly name: string = 'WorkerError';
  override name = 'WorkerError';
  readonly exitCode: number | undefined;
  readonly threadId: number | undefined;
  readonly taskName: string | undefined;
  readonly filename: string | undefined;

  constructor(code: PoolErrorCode, message: string, context: FaultContext, options?: ErrorOptions) {
    super(code, message, options);
    this.exitCode = context.exitCode;
    this.threadId = context.threadId;
    this.taskName = context.taskName;
    this.filename = context.filename;
  }
}

/** A task, or what it returned, cannot be copied to another thread. `path` leads to the first such value. */
export class UncloneableError extends PoolError {
  static override readonly name: string = 'UncloneableError';
  override name = 'UncloneableError';
  readonly path: string;

  constructor(path: string, what: string, options?: ErrorOptions) {
    super('PLIMSOLL_POOL_UNCLONEABLE', `${path} cannot be copied to another thread: ${what}`, options);
    this.path = path;
  }
}

const shown = (value: unknown): string => {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
};

const bad =
  <Kind extends Error>(kind: new (message: string) => Kind) =>
  (name: string, value: unknown, right: string): Kind =>
    Object.assign(new kind(`${name} must be ${right}, not ${shown(value)}`), {
      code: 'PLIMSOLL_POOL_BAD_OPTION',
    });

/** An option of the wrong type. */
export const badType = bad(TypeError);
/** An option of the right type that is out of range. */
export const badRange = bad(RangeError);
