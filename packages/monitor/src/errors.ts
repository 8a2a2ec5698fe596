/** The stable code of each error that the monitor throws; messages may change. */
export type MonitorErrorCode = 'PLIMSOLL_MONITOR_BAD_OPTION' | ResizeErrorCode;

/**
 * A resize fails if the pool cannot be resized (UNAVAILABLE), cannot have this size (LIMIT), or is late
 * (TIMEOUT); a rescue if the pool cannot be watched or have `max` threads (UNAVAILABLE), or if one already
 * runs (RUNNING).
 */
export type ResizeErrorCode =
  | 'PLIMSOLL_MONITOR_RESIZE_UNAVAILABLE'
  | 'PLIMSOLL_MONITOR_RESIZE_LIMIT'
  | 'PLIMSOLL_MONITOR_RESIZE_TIMEOUT'
  | 'PLIMSOLL_MONITOR_RESCUE_UNAVAILABLE'
  | 'PLIMSOLL_MONITOR_RESCUE_RUNNING';

/** Rejects `threadPool.resize()` and `rescueThreadPool()`, unless an argument is invalid. */
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

/** Creates a TypeError for a value of the wrong type, or a RangeError for a number out of range. */
export function badOption(
  Failure: TypeErrorConstructor | RangeErrorConstructor,
  name: string,
  value: unknown,
  expected: string,
): Error {
  const shown = typeof value === 'string' ? `'${value}'` : String(value);
  const code: MonitorErrorCode = 'PLIMSOLL_MONITOR_BAD_OPTION';
  return Object.assign(new Failure(`${name} must be ${expected}, not ${shown}`), { code });
}
