/**
 * The codes of all errors that only a fleet raises; docs/reference/fleet.md says when each comes and what to do about it. What a pool
 * raises too has the pool's class and code (a bad option, an abort, a timeout, a value that cannot be copied, a closed pool), so that
 * code which handles it works with both.
 */
export const CODES = [
  'PLIMSOLL_FLEET_UNAVAILABLE',
  'PLIMSOLL_FLEET_REFUSED',
  'PLIMSOLL_FLEET_TOO_LARGE',
  'PLIMSOLL_FLEET_UNKNOWN_TASK',
  'PLIMSOLL_FLEET_STALLED',
  'PLIMSOLL_FLEET_LOST',
  'PLIMSOLL_FLEET_FAILED',
  'PLIMSOLL_FLEET_NOT_A_TASK',
] as const;
export type FleetErrorCode = (typeof CODES)[number];

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
    return value instanceof Error && CODES.includes((value as { code?: unknown }).code as FleetErrorCode);
  }
}

/** @param what 'The task' or 'The result' */
export const tooLarge = (what: string, bytes: number, most: number): FleetError =>
  new FleetError(
    'PLIMSOLL_FLEET_TOO_LARGE',
    `${what} has ${bytes} bytes; maxPayload allows ${most}. Put the content into a file, a table or object storage, and pass a ` +
      'reference to it',
  );
