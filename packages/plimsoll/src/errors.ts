/** Exit codes of the command line: 2 usage or bad input, 4 the target failed to start or died. Codes are stable; texts are not. */
const TABLE = {
  PLIMSOLL_USAGE: 2,
  PLIMSOLL_BAD_WORKLOAD: 2,
  PLIMSOLL_WORKLOAD_FAILED: 4,
  PLIMSOLL_WORKLOAD_HUNG: 4,
  PLIMSOLL_WORKLOAD_EXITED: 4,
  PLIMSOLL_POOL_SIZE_MISMATCH: 4,
  PLIMSOLL_POOL_NOT_CREATED: 4,
  PLIMSOLL_POOL_NOT_BLOCKED: 4,
  PLIMSOLL_NEEDS_POSIX: 2,
  PLIMSOLL_NO_DIRECTORY: 2,
  PLIMSOLL_NO_PROCESSES: 4,
  PLIMSOLL_PORT_IN_USE: 2,
  PLIMSOLL_NO_PROCESS: 2,
  PLIMSOLL_NOT_NODE: 2,
  PLIMSOLL_NOT_PERMITTED: 2,
  PLIMSOLL_NO_INSPECTOR: 2,
  PLIMSOLL_RESIZE_LIMIT: 2,
  PLIMSOLL_RESIZE_TIMEOUT: 4,
  PLIMSOLL_RESIZE_UNAVAILABLE: 2,
  PLIMSOLL_TARGET_FAILED: 4,
  PLIMSOLL_TARGET_DIED: 4,
  PLIMSOLL_TARGET_HUNG: 4,
  PLIMSOLL_UNREACHABLE: 4,
  PLIMSOLL_NOT_MEASURED: 4,
  PLIMSOLL_NOT_RESIZED: 4,
  PLIMSOLL_ALREADY_TUNED: 2,
  PLIMSOLL_TRAFFIC_FAILED: 4,
  PLIMSOLL_NO_REQUESTS: 4,
  PLIMSOLL_ONLY_ERRORS: 4,
  PLIMSOLL_OUTPUT_FAILED: 2,
  PLIMSOLL_NOT_RECORDED: 4,
} as const;

export type ErrorCode = keyof typeof TABLE;

/**
 * An error that a user can act on. Its message says what was wrong, the value received and what would be right.
 *
 * @example
 * throw new PlimsollError('PLIMSOLL_USAGE', 'pool size must be a whole number from 1 to 1024, not 0');
 */
export class PlimsollError extends Error {
  override readonly name = 'PlimsollError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  get exitCode(): number {
    return TABLE[this.code];
  }
}

/** The exit code of an error code; 4 for a code of another version. */
export const exitCodeOf = (code: string): number =>
  Object.hasOwn(TABLE, code) ? TABLE[code as ErrorCode] : 4;

/** @param option that named the file: `--out`. */
export const cannotWrite = (
  option: string,
  file: string,
  error: unknown,
  advice = 'choose another file',
): PlimsollError =>
  new PlimsollError(
    'PLIMSOLL_OUTPUT_FAILED',
    `${option}: cannot write ${file} (${(error as NodeJS.ErrnoException).code}); ${advice}`,
    { cause: error },
  );

export const usage = (text: string): PlimsollError => new PlimsollError('PLIMSOLL_USAGE', text);
