import { usage } from '@plimsoll/lab';

/** A number above 0. @throws {PlimsollError} PLIMSOLL_USAGE */
export function positive(text: string | undefined, option: string, otherwise: number): number {
  const value = Number(text ?? otherwise);
  if (value > 0 && Number.isFinite(value)) return value;
  throw usage(`${option}: must be a number above 0, not ${JSON.stringify(text)}`);
}
