/** The stable code of every error that the monitor raises on purpose; texts are not stable. */
export type MonitorErrorCode = 'PLIMSOLL_MONITOR_BAD_OPTION' | ResizeErrorCode;

/**
 * Why a resize failed: nothing can resize this process's pool (UNAVAILABLE), not to that size (LIMIT), or not in time (TIMEOUT);
 * why a rescue did: this process's pool cannot be watched, or not get that many threads (UNAVAILABLE), or one runs (RUNNING).
 */
export type ResizeErrorCode =
  | 'PLIMSOLL_MONITOR_RESIZE_UNAVAILABLE'
  | 'PLIMSOLL_MONITOR_RESIZE_LIMIT'
  | 'PLIMSOLL_MONITOR_RESIZE_TIMEOUT'
  | 'PLIMSOLL_MONITOR_RESCUE_UNAVAILABLE'
  | 'PLIMSOLL_MONITOR_RESCUE_RUNNING';

/** What `threadPool.resize()` and `rescueThreadPool()` reject with, unless an argument was wrong. */
export class ResizeError extends Error {
  readonly code: ResizeErrorCode;

  constructor(code: ResizeErrorCode, message: string) {
    super(message);
    this.name = 'ResizeError';
    this.code = code;
  }
}

export const unavailable = (why: string): ResizeError =>
  new ResizeError('PLIMSOLL_MONITOR_RESIZE_UNAVAILABLE', `this pool cannot be resized: ${why}`);

/** A TypeError for a value of a wrong type, a RangeError for a number that cannot be meant. */
export function badOption(
  Failure: TypeErrorConstructor | RangeErrorConstructor,
  name: string,
  value: unknown,
  right: string,
): Error {
  const shown = typeof value === 'string' ? `'${value}'` : String(value);
  const code: MonitorErrorCode = 'PLIMSOLL_MONITOR_BAD_OPTION';
  return Object.assign(new Failure(`${name} must be ${right}, not ${shown}`), { code });
}
