/**
 * Every error that only a fleet raises. What a pool raises too has the pool's class and code (a bad option, an abort, a timeout, a
 * value that cannot be copied, a closed pool), so that code which handles it works with both.
 */
export const ERRORS = {
  PLIMSOLL_FLEET_UNAVAILABLE: {
    when: 'Redis cannot be reached for `offlineTimeout`; `cause` is the last failure. The outcome of running tasks is unknown',
    remedy: 'start Redis, or correct `connection`; a task with a `jobId` can safely run again',
  },
  PLIMSOLL_FLEET_REFUSED: {
    when: 'Redis refuses the client: a wrong or missing password, no such database, no memory left; `cause` is its answer',
    remedy: 'correct `connection`, or fix what the answer reports',
  },
  PLIMSOLL_FLEET_TOO_LARGE: {
    when: 'a task or a result has more bytes than `maxPayload`',
    remedy: 'put the content into a file, a table or object storage, and pass a reference',
  },
  PLIMSOLL_FLEET_UNKNOWN_TASK: {
    when: 'no worker of the queue exports a function of that name',
    remedy: 'correct `name`, or deploy the version that exports it to the workers',
  },
  PLIMSOLL_FLEET_STALLED: {
    when: 'the task lost its worker process more often than `maxStalledCount` allows; it may have ended these processes',
    remedy: 'find out what ended these processes before you run the task again',
  },
  PLIMSOLL_FLEET_LOST: {
    when: 'the job is gone from Redis before its result was read: removed, trimmed by `keep`, or Redis lost it',
    remedy: 'raise `keep`; let Redis write an append-only file',
  },
  PLIMSOLL_FLEET_FAILED: {
    when: 'the job failed, and the error that the task threw is no longer kept, or another client failed the job',
    remedy: 'look at the job in Redis; raise `keep.age`',
  },
  PLIMSOLL_FLEET_NOT_A_TASK: {
    when: 'this package did not add the job; the code is in the failure reason of the job',
    remedy: 'use a separate queue for other jobs, or create their data with `fleet.job()`',
  },
} as const;

export type FleetErrorCode = keyof typeof ERRORS;

/**
 * An error of the fleet itself. Errors that a task throws arrive as they were thrown, not as this.
 *
 * @example
 * if (error instanceof FleetError && error.code === 'PLIMSOLL_FLEET_UNAVAILABLE') return tryLater();
 */
export class FleetError extends Error {
  /** Written out, because bundlers rename classes. */
  static override readonly name: string = 'FleetError';
  override name = 'FleetError';
  readonly code: FleetErrorCode;

  constructor(code: FleetErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Also true for one that a worker has sent, and for one of another copy of this package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && Object.hasOwn(ERRORS, String((value as { code?: unknown }).code));
  }
}

/** @param what 'The task' or 'The result' */
export const tooLarge = (what: string, bytes: number, most: number): FleetError =>
  new FleetError(
    'PLIMSOLL_FLEET_TOO_LARGE',
    `${what} has ${bytes} bytes; maxPayload allows ${most}. Put the content into a file, a table or object storage, and pass a ` +
      'reference to it',
  );
