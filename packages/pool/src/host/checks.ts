import { badRange, badType } from '../errors.js';

/** A whole number in a range, or undefined. */
export function count(name: string, value: unknown, least: number, most: number): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number') throw badType(name, value, 'a number');
  if (!Number.isInteger(value) || value < least || value > most) {
    throw badRange(name, value, `a whole number from ${least} to ${most}`);
  }
  return value;
}

/** Milliseconds, Infinity included, or undefined. */
export function duration(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number') throw badType(name, value, 'a number of milliseconds');
  if (!(value >= 0)) throw badRange(name, value, 'zero or more milliseconds');
  return value;
}

export function text(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw badType(name, value, 'a string');
  return value;
}

export function flag(name: string, value: unknown): boolean | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'boolean') throw badType(name, value, 'true or false');
  return value;
}
