import { types } from 'node:util';
import { UncloneableError } from '../errors.js';
import { findCulprit } from './culprit.js';
import { refusedBy } from './refusal.js';
import { isCloneError, messageOf, read } from './untrusted.js';

/** A value has left the other thread, but cannot be read in this one. */
export const unreadable = (what: string, reason: unknown): UncloneableError =>
  new UncloneableError(what, `it cannot be read there: ${messageOf(reason)}`, { cause: reason });

/**
 * The error for a value that could not be cloned, which names the part that is to blame, if that is known or found soon:
 * 'task.user.socket'. Any other error than one of cloning is returned as it is: a getter has thrown it.
 *
 * @param at where the value is in what was to be cloned: '[1]'
 */
export function uncloneable(root: string, value: unknown, cause: unknown, at = ''): unknown {
  if (!isCloneError(cause)) return cause;
  // Such as "Transfer list contains duplicate ArrayBuffer".
  const isSearched = !/transfer list/i.test(messageOf(cause));
  const refused = refusedBy(cause);
  const culprit = refused ?? (isSearched ? findCulprit(value) : undefined);
  if (culprit === undefined) return new UncloneableError(root, messageOf(cause), { cause });
  const path = refused === undefined ? culprit.path : culprit.path.slice(at.length);
  return new UncloneableError(root + path, whatItIs(culprit.value), { cause });
}

function whatItIs(value: unknown): string {
  if (typeof value === 'function') return 'it is a function';
  if (typeof value === 'symbol') return 'it is a symbol';
  if (types.isProxy(value)) return 'it is a Proxy';
  const name = read(read(value, 'constructor'), 'name');
  return `it is an object of class ${typeof name === 'string' ? name : 'Object'}`;
}
