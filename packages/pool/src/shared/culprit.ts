import { types } from 'node:util';
import { MessagePort } from 'node:worker_threads';
import { clone, read } from './untrusted.js';

const { getPrototypeOf, keys } = Object;
const { isMap, isNativeError, isPromise, isProxy, isSet, isWeakMap, isWeakSet } = types;
const entriesOf = Map.prototype.entries;
const valuesOf = Set.prototype.values;

/** So many parts are looked at, because the thread waits for it: a tenth of a second. */
const MOST = 2 ** 17;
/** So often a function or the like turns out to be in an object of which no properties are cloned. */
const MOST_MISTAKES = 100;

/** A part of a value, and how to get there: '.user.socket'. */
export interface Culprit {
  readonly path: string;
  readonly value: unknown;
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

/** What is cloned of an object, in that order, but for most of what is no object: nearly all of a large value. */
function* partsOf(value: object): Generator<readonly [step: string, part: unknown], undefined> {
  let place = 0;
  if (isMap(value)) {
    for (const [key, item] of entriesOf.call(value)) {
      const isNamed = typeof key !== 'object' && typeof key !== 'function';
      yield [`.keys()[${place}]`, key];
      yield [isNamed ? `.get(${String(key)})` : `.values()[${place}]`, item];
      place++;
    }
  } else if (isSet(value)) {
    for (const item of valuesOf.call(value)) yield [`.values()[${place++}]`, item];
  } else if (!ArrayBuffer.isView(value) && !types.isAnyArrayBuffer(value) && !types.isBoxedPrimitive(value)) {
    for (const name of isNativeError(value) ? ['cause'] : keys(value)) {
      const part = read(value, name);
      if (Object(part) === part || typeof part === 'symbol') yield [stepTo(name, Array.isArray(value)), part];
    }
  }
}

function stepTo(name: string, isInList: boolean): string {
  if (isInList && /^\d+$/.test(name)) return `[${name}]`;
  return /^[\w$]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** Does structured clone come to an object of this kind? Asked when something has gone wrong, so it may be slow. */
export function reaches(
  value: unknown,
  isKind: (value: object, depth: number) => boolean,
  depth = 0,
  seen = new Set<object>(),
): boolean {
  if (typeof value !== 'object' || value === null || seen.has(value)) return false;
  if (isKind(value, depth)) return true;
  seen.add(value);
  for (const [, part] of partsOf(value)) if (reaches(part, isKind, depth + 1, seen)) return true;
  return false;
}

/** Behind this object the search goes on: it is cloned without its properties. */
const SKIPPED = Symbol('skipped');

/**
 * Finds the part for which a value cannot be cloned, or gives up. It only looks, in the order of cloning, for what can never be
 * cloned: to clone each part for itself would take a hundred times as long as the whole.
 */
export function findCulprit(root: unknown): Culprit | undefined {
  const seen = new Set<object>();
  /** Those all of whose parts can be cloned. */
  const suspects: Culprit[] = [];
  let looks = 0;
  let mistakes = 0;
  let port: Culprit | undefined;

  /** @param outermost the suspect that the part is in */
  function search(path: string, value: unknown, outermost?: object): Culprit | typeof SKIPPED | undefined {
    if (++looks > MOST || mistakes > MOST_MISTAKES) throw new RangeError('too many parts');
    const verdict = judge(value);
    if (verdict === 'hopeless') {
      if (outermost === undefined || port !== undefined || fails(outermost)) return { path, value };
      mistakes++;
      return SKIPPED;
    }
    if (verdict === 'port') port ??= { path, value };
    if (verdict === 'port' || typeof value !== 'object' || value === null || seen.has(value))
      return undefined;
    seen.add(value);
    const suspect = verdict === 'suspect' ? value : undefined;
    for (const [step, part] of partsOf(value)) {
      const found = search(path + step, part, outermost ?? suspect);
      if (found !== undefined) return found === SKIPPED && outermost === undefined ? undefined : found;
    }
    if (suspect !== undefined) suspects.push({ path, value });
    return undefined;
  }

  try {
    return (search('', root) as Culprit | undefined) ?? port ?? firstOf(suspects);
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

function fails(value: unknown): boolean {
  try {
    clone(value);
    return false;
  } catch {
    return true;
  }
}
