import { types } from 'node:util';
import { node } from './node-realm.js';

/** Looking at values of which anything may throw: getters, proxies, objects without the usual methods. */

/** Structured clone, taken when this loads: polyfills and test environments put one of their own in its place. */
export const clone = node.structuredClone;

const { getPrototypeOf } = Object;
const LONGEST_LINEAGE = 100;
/** The code of the DOM for it. */
const DATA_CLONE_ERR = 25;

/** What a function returns, or what is given in its place when it throws. */
export function tried<Value>(run: () => Value, otherwise: Value): Value {
  try {
    return run();
  } catch {
    return otherwise;
  }
}

/** A property, or undefined when reading it throws. */
export function read(value: unknown, key: PropertyKey): unknown {
  try {
    return (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  } catch {
    return undefined;
  }
}

/** A property that should be a string. */
export function readText(value: unknown, key: string, otherwise: string): string {
  const member = read(value, key);
  if (typeof member === 'string') return member;
  return typeof member === 'number' || typeof member === 'bigint' || typeof member === 'boolean'
    ? String(member)
    : otherwise;
}

/** An object and its prototypes, up to the first proxy: that could go on for ever. */
export function lineageOf(value: object): object[] {
  const lineage: object[] = [];
  let level: object | null = value;
  while (level !== null && lineage.length < LONGEST_LINEAGE && !types.isProxy(level)) {
    lineage.push(level);
    level = getPrototypeOf(level) as object | null;
  }
  return lineage;
}

/** Is it an error, of this realm or another one? */
export function isError(value: unknown): value is Error {
  if (typeof value !== 'object' || value === null) return false;
  return types.isNativeError(value) || lineageOf(value).includes(Error.prototype);
}

/** Is it what structured clone throws for what it cannot clone? */
export function isCloneError(error: unknown): boolean {
  const code = read(error, 'code');
  // What Node 20 says of a MessagePort.
  if (code === 'ERR_MISSING_TRANSFERABLE_IN_TRANSFER_LIST') return true;
  return read(error, 'name') === 'DataCloneError' && code === DATA_CLONE_ERR;
}

export function messageOf(error: unknown): string {
  if (isError(error)) return readText(error, 'message', 'an error without a message');
  return tried(() => String(error), 'it threw an object without a message');
}

/**
 * A getter has thrown while the value was encoded. Structured clone may never read what that belongs to, which only looks like
 * a plain object, or may refuse something before it.
 * @throws the error, if neither is the case
 */
export function confirm(value: unknown, error: unknown): void {
  if (isCloneError(error)) throw error;
  try {
    clone(value);
  } catch (again) {
    if (!isCloneError(again)) throw error;
  }
}
