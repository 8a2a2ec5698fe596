import { types } from 'node:util';
import { MessagePort } from 'node:worker_threads';
import { UncloneableError } from '../errors.js';
import { hasInside } from './codec/inside.js';
import { node } from './node-realm.js';
import { partsOf } from './parts.js';
import { clone, isCloneError, messageOf, read } from './untrusted.js';

const { getPrototypeOf } = Object;
const { isMap, isNativeError, isPromise, isProxy, isSet, isWeakMap, isWeakSet } = types;

/** Parts to look at. The thread waits for this: a hundredth of a second. */
const MOST = 2 ** 15;
/** Parts that count as looked at if an uncloneable part is in an object that is cloned without its properties. */
const MISTAKE = 300;
const PORT_FOUND = 'a MessagePort can only be transferred';

/** A part of a value, and its path: '.user.socket'. */
interface Culprit {
  readonly path: string;
  readonly value: unknown;
}

/** Errors thrown by `refuse`, with the part that each is about. */
const refused = new WeakMap<object, Culprit>();

export const unreadable = (what: string, reason: unknown): UncloneableError =>
  new UncloneableError(what, `it cannot be read there: ${messageOf(reason)}`, { cause: reason });

/**
 * The error for a value that cannot be cloned. Names the part that is to blame, if the part is known or found soon:
 * 'task.user.socket'. Returns any other error than one of cloning as it is: a getter has thrown it.
 *
 * @param root name of the value; '' if its parts have names of their own, with `task` as the default
 * @param at path of `value` inside what was to be cloned: '[1]'
 */
export function uncloneable(root: string, value: unknown, cause: unknown, at = ''): unknown {
  if (!isCloneError(cause)) return cause;
  const cached = refused.get(cause as object);
  // For example "Transfer list contains duplicate ArrayBuffer".
  const isSearched = cached === undefined && !/transfer list/i.test(messageOf(cause));
  const culprit = isSearched ? findCulprit(value) : cached;
  if (culprit === undefined) return new UncloneableError(root || 'task', messageOf(cause), { cause });
  const path = cached === undefined ? culprit.path : culprit.path.slice(at.length);
  return new UncloneableError((root + path).replace(/^\./, ''), whatItIs(culprit.value), { cause });
}

function whatItIs(value: unknown): string {
  if (typeof value === 'function') return 'it is a function';
  if (typeof value === 'symbol') return 'it is a symbol';
  if (isProxy(value)) return 'it is a Proxy';
  // The constructor of a generator's objects has no name.
  const names = [read(read(value, 'constructor'), 'name'), read(value, Symbol.toStringTag)];
  return `it is an object of class ${names.find((name) => typeof name === 'string' && name !== '') ?? 'Object'}`;
}

/** 'suspect': only cloning tells. 'hopeless': can never be cloned. 'port': only transferable; Node crashes if it is closed. */
function judge(value: unknown): 'fine' | 'suspect' | 'hopeless' | 'port' {
  if (typeof value === 'function' || typeof value === 'symbol') return 'hopeless';
  if (typeof value !== 'object' || value === null) return 'fine';
  if (isProxy(value)) return 'hopeless';
  const prototype: unknown = getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null) return 'fine';
  if (isMap(value) || isSet(value) || isNativeError(value)) return 'fine';
  if (prototype === MessagePort.prototype) return 'port';
  return isPromise(value) || isWeakMap(value) || isWeakSet(value) ? 'hopeless' : 'suspect';
}

/**
 * Refuses a part that the codec cannot write: structured clone would take as long again as the codec has. `around`
 * are the objects around the part, innermost first.
 *
 * @throws structured clone's error, if structured clone would surely reach this part and refuse it
 */
export function refuse(part: unknown, around: readonly object[]): void {
  const verdict = judge(part);
  if ((verdict !== 'hopeless' && verdict !== 'port') || around.some(hidesParts)) return;
  const error = verdict === 'port' ? new node.DOMException(PORT_FOUND, 'DataCloneError') : failureOf(part);
  if (error === undefined) return;
  let path = '';
  for (const [index, object] of around.entries()) {
    const inner = index === 0 ? part : around[index - 1];
    for (const [one, step] of partsOf(object)) {
      if (one !== inner) continue;
      path = step + path;
      break;
    }
  }
  refused.set(error, { value: part, path });
  throw error;
}

/** Structured clone ignores the properties of a Map, even of one with the prototype of a plain object. */
function hidesParts(object: object): boolean {
  const prototype: unknown = getPrototypeOf(object);
  return (prototype === Object.prototype || prototype === null) && hasInside(object);
}

function failureOf(value: unknown): object | undefined {
  try {
    clone(value);
    return undefined;
  } catch (error) {
    return error as object;
  }
}

const fails = (value: unknown): boolean => failureOf(value) !== undefined;

/**
 * Finds the first part that can never be cloned, or gives up. Trying to clone each part would take a hundred times as long.
 */
export function findCulprit(root: unknown): Culprit | undefined {
  const seen = new Set<object>();
  const suspects: Culprit[] = [];
  const blameless = new Set<object>();
  let budget = MOST;
  let port: Culprit | undefined;

  /** @param outermost the outermost suspect around the part */
  function search(value: unknown, path: string, outermost?: object): Culprit | undefined {
    if (--budget < 0) throw new RangeError('too many parts');
    const verdict = judge(value);
    if (verdict === 'hopeless') {
      if (outermost === undefined || port !== undefined || fails(outermost)) return { value, path };
      blameless.add(outermost);
      budget -= MISTAKE;
      return undefined;
    }
    if (verdict === 'port') port ??= { value, path };
    if (verdict === 'port' || typeof value !== 'object' || value === null || seen.has(value))
      return undefined;
    seen.add(value);
    const holder = outermost ?? (verdict === 'suspect' ? value : undefined);
    for (const [part, step] of partsOf(value)) {
      const fault = search(part, path + step, holder);
      if (fault !== undefined) return fault;
      if (holder !== undefined && blameless.has(holder)) return undefined;
    }
    if (verdict === 'suspect') suspects.push({ value, path });
    return undefined;
  }

  try {
    return search(root, '') ?? port ?? firstOf(suspects);
  } catch {
    // Too many parts, or nested more deeply than the stack allows.
    return undefined;
  }
}

/** Binary search for the first suspect that cannot be cloned. Its parts come before it, so they can be cloned. */
function firstOf(suspects: readonly Culprit[]): Culprit | undefined {
  let low = 0;
  for (let high = suspects.length; high - low > 1; ) {
    const middle = (low + high) >> 1;
    if (fails(suspects.slice(low, middle).map(({ value }) => value))) high = middle;
    else low = middle;
  }
  const first = suspects[low];
  return first !== undefined && fails(first.value) ? first : undefined;
}
