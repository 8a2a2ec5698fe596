import { node } from './node-realm.js';
import { isCloneError } from './untrusted.js';

/** Structured clone, taken when this loads: polyfills and test environments put one of their own in its place. */
export const clone = node.structuredClone;

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
