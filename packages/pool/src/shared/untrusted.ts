import { types } from 'node:util';
import { node } from './node-realm.js';

/** Reads values whose getters, proxies and missing methods may throw. */

/** Saved before polyfills and test environments can replace it. */
export const clone = node.structuredClone;

const { getPrototypeOf } = Object;
const LONGEST_LINEAGE = 100;
const DATA_CLONE_ERR = 25;

export function tried<Value>(run: () => Value, otherwise: Value): Value {
  try {
    return run();
  } catch {
    return otherwise;
  }
}

export function read(value: unknown, key: PropertyKey): unknown {
  try {
    return (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  } catch {
    return undefined;
  }
}

export function readText(value: unknown, key: string, otherwise: string): string {
  const member = read(value, key);
  if (typeof member === 'string') return member;
  return typeof member === 'number' || typeof member === 'bigint' || typeof member === 'boolean'
    ? String(member)
    : otherwise;
}

/** An object and its prototypes, up to the first Proxy, whose chain might never end. */
export function lineageOf(value: object): object[] {
  const lineage: object[] = [];
  let level: object | null = value;
  while (level !== null && lineage.length < LONGEST_LINEAGE && !types.isProxy(level)) {
    lineage.push(level);
    level = getPrototypeOf(level) as object | null;
  }
  return lineage;
}

export function isError(value: unknown): value is Error {
  if (typeof value !== 'object' || value === null) return false;
  return types.isNativeError(value) || lineageOf(value).includes(Error.prototype);
}

export function isCloneError(error: unknown): boolean {
  const code = read(error, 'code');
  // Node 20, for a MessagePort.
  if (code === 'ERR_MISSING_TRANSFERABLE_IN_TRANSFER_LIST') return true;
  return read(error, 'name') === 'DataCloneError' && code === DATA_CLONE_ERR;
}

export function messageOf(error: unknown): string {
  if (isError(error)) return readText(error, 'message', 'an error without a message');
  return tried(() => String(error), 'it threw an object without a message');
}

/**
 * Call when a getter has thrown in the encoder. Structured clone might not call it, or might refuse another part first.
 * @throws `error`, if structured clone would throw it, too
 */
export function confirm(value: unknown, error: unknown): void {
  if (isCloneError(error)) throw error;
  try {
    clone(value);
  } catch (again) {
    if (!isCloneError(again)) throw error;
  }
}
