/**
 * Every error that the monitor raises on purpose, by its stable code; texts are not stable. README.md and
 * docs/reference/monitor.md have the same table, and a test compares them.
 */
export const ERRORS = {
  PLIMSOLL_MONITOR_BAD_OPTION: {
    thrownAs: 'TypeError, RangeError',
    when: 'an option or an argument has a wrong type or value',
    remedy: 'correct what the message names',
  },
} as const;

export type MonitorErrorCode = keyof typeof ERRORS;

const shown = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value));

function coded<Failure extends Error>(error: Failure): Failure {
  const code: MonitorErrorCode = 'PLIMSOLL_MONITOR_BAD_OPTION';
  return Object.assign(error, { code });
}

/** A value of a wrong type. */
export const badType = (name: string, value: unknown, right: string): TypeError =>
  coded(new TypeError(`${name} must be ${right}, not ${shown(value)}`));

/** A number that cannot be meant. */
export const outOfRange = (name: string, value: unknown, right: string): RangeError =>
  coded(new RangeError(`${name} must be ${right}, not ${shown(value)}`));
