/**
 * The codes of all errors that the pool raises on purpose. docs/reference/pool.md explains them; a test compares the
 * two. Codes are stable, texts are not. `instanceof` works across threads and copies of this package, because each
 * class recognises its instances by a registered symbol.
 */
export const CODES = [
  'PLIMSOLL_POOL_BAD_OPTION',
  'PLIMSOLL_POOL_NO_FILENAME',
  'PLIMSOLL_POOL_QUEUE_FULL',
  'PLIMSOLL_POOL_CLOSED',
  'PLIMSOLL_POOL_CLOSE_TIMEOUT',
  'PLIMSOLL_POOL_ABORTED',
  'PLIMSOLL_POOL_TIMEOUT',
  'PLIMSOLL_POOL_UNCLONEABLE',
  'PLIMSOLL_POOL_VALUE_TOO_LARGE',
  'PLIMSOLL_POOL_BAD_BYTES',
  'PLIMSOLL_POOL_LOAD_FAILED',
  'PLIMSOLL_POOL_WORKER_EXITED',
  'PLIMSOLL_POOL_WORKER_CRASHED',
  'PLIMSOLL_POOL_WORKER_STOPPED',
  'PLIMSOLL_POOL_NOT_ITERABLE',
  'PLIMSOLL_POOL_OUT_OF_MEMORY',
  'PLIMSOLL_POOL_START_FAILED',
  'PLIMSOLL_POOL_NOT_RETRYABLE',
  'PLIMSOLL_POOL_CIRCUIT_OPEN',
  'PLIMSOLL_POOL_NO_HOST_FUNCTION',
  'PLIMSOLL_POOL_HOST_TIMEOUT',
  'PLIMSOLL_POOL_CALL_TOO_LATE',
  'PLIMSOLL_POOL_DEADLOCK',
  'PLIMSOLL_POOL_UNSUPPORTED_RUNTIME',
] as const;
export type PoolErrorCode = (typeof CODES)[number];

/** What is known about the task and the worker of an error. */
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

/** Makes an error from another thread an instance of PoolError again. */
export function brand<Failure extends object>(error: Failure): Failure {
  return Object.defineProperty(error, BRAND, { value: true, configurable: true });
}

const isBranded = (value: unknown): value is Error =>
  typeof value === 'object' && value !== null && (value as { [BRAND]?: boolean })[BRAND] === true;

/**
 * An error of the pool itself. An error that a task throws arrives as it was thrown, not as a PoolError.
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
  /** The task's transferred objects were sent to a worker and are gone. Absent: the caller still has them. */
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

/** A worker ended while it had the task. Says which worker, which task and how the worker ended. */
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

/** A task or its result cannot be copied to another thread. `path` leads to the first part that cannot. */
export class UncloneableError extends PoolError {
  static override readonly name: string = 'UncloneableError';
  override name = 'UncloneableError';
  readonly path: string;

  constructor(path: string, what: string, options?: ErrorOptions) {
    super('PLIMSOLL_POOL_UNCLONEABLE', `${path} cannot be copied to another thread: ${what}`, options);
    this.path = path;
  }
}

const text = (value: unknown): string => {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'function') return 'a function';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
};

const bad =
  <Kind extends Error>(kind: new (message: string) => Kind) =>
  (name: string, value: unknown, right: string): Kind =>
    Object.assign(new kind(`${name} must be ${right}, not ${text(value)}`), {
      code: 'PLIMSOLL_POOL_BAD_OPTION',
    });

export const badType = bad(TypeError);
export const badRange = bad(RangeError);
