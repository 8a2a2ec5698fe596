import { types } from 'node:util';
import { MessagePort } from 'node:worker_threads';
import { UncloneableError } from '../errors.js';
import { hasInside } from './codec/inside.js';
import { node } from './node-realm.js';
import { partsOf } from './parts.js';
import { clone, isCloneError, messageOf, read } from './untrusted.js';

const { getPrototypeOf } = Object;
const { isMap, isNativeError, isPromise, isProxy, isSet, isWeakMap, isWeakSet } = types;

/** So many parts are looked at, because the thread waits for it: a hundredth of a second. */
const MOST = 2 ** 15;
/** What it costs of them when a function or the like turns out to be in an object of which no properties are cloned. */
const MISTAKE = 300;
const PORT_FOUND = 'a MessagePort can only be transferred';

/** A part of a value, and how to get there: '.user.socket'. */
interface Culprit {
  readonly path: string;
  readonly value: unknown;
}

/** The parts for which the codec has thrown these errors. */
const refused = new WeakMap<object, Culprit>();

/** A value has left the other thread, but cannot be read in this one. */
export const unreadable = (what: string, reason: unknown): UncloneableError =>
  new UncloneableError(what, `it cannot be read there: ${messageOf(reason)}`, { cause: reason });

/**
 * The error for a value that could not be cloned, which names the part that is to blame, if that is known or found soon:
 * 'task.user.socket'. Any other error than one of cloning is returned as it is: a getter has thrown it.
 *
 * @param root '': its parts have names of their own, of which `task` is the main one
 * @param at where the value is in what was to be cloned: '[1]'
 */
export function uncloneable(root: string, value: unknown, cause: unknown, at = ''): unknown {
  if (!isCloneError(cause)) return cause;
  const cached = refused.get(cause as object);
  // Such as "Transfer list contains duplicate ArrayBuffer".
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

/**
 * What is known of a value by itself. Of a 'suspect' only cloning shows whether objects of its class can be cloned; nothing in or
 * around what is 'hopeless' makes it possible; a 'port' can be transferred alone, and Node crashes when a closed one is cloned.
 */
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
 * The codec has met a part that it cannot write, in these objects, the innermost first. To let structured clone refuse it would
 * take once more as long as to write all that stands before it.
 *
 * @throws what structured clone throws, when that is sure to come to this part and to refuse it
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

/** Structured clone does not come to the properties of a Map, even if its prototype is that of a plain object. */
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
 * Finds the part for which a value cannot be cloned, or gives up. It only looks, in the order of cloning, for what can never be
 * cloned: to clone each part for itself would take a hundred times as long as the whole.
 */
export function findCulprit(root: unknown): Culprit | undefined {
  const seen = new Set<object>();
  /** Those all of whose parts can be cloned. */
  const suspects: Culprit[] = [];
  /** Those that are cloned without their properties. */
  const blameless = new Set<object>();
  let budget = MOST;
  let port: Culprit | undefined;

  /** @param outermost the suspect that the part is in */
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

/** The first suspect that cannot be cloned. All of its parts can, as they come before it. */
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
