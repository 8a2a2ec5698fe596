import { types } from 'node:util';
import { MessagePort } from 'node:worker_threads';
import { clone, read } from './untrusted.js';

const { getPrototypeOf, keys } = Object;
const { isMap, isNativeError, isPromise, isProxy, isSet, isWeakMap, isWeakSet } = types;
const entriesOf = Map.prototype.entries;
const valuesOf = Set.prototype.values;

/** So many parts are looked at, because the thread waits for it: some tenths of a second. */
const MOST = 2 ** 18;
/** So often a function or the like turns out to be in an object of which no properties are cloned. */
const MOST_MISTAKES = 100;

/** A part of a value, and how to get there: '.user.socket'. */
export interface Culprit {
  readonly path: string;
  readonly value: unknown;
}

type Part = readonly [step: string, part: unknown];

/** An object on the way, and what is left of its parts, each with the step that leads to it. */
interface Place extends Culprit {
  readonly value: object;
  readonly isSuspect: boolean;
  readonly parts: Iterator<Part, undefined>;
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
function* partsOf(value: object): Generator<Part, undefined> {
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

/**
 * Finds the part for which a value cannot be cloned, or gives up. It only looks, in the order of cloning, for what can never be
 * cloned: to clone each part for itself would take a hundred times as long as the whole.
 */
export function findCulprit(root: unknown): Culprit | undefined {
  const seen = new Set<object>();
  const way: Place[] = [];
  /** Those behind whose parts the search has got. */
  const suspects: Place[] = [];
  let mistakes = 0;
  let port: Culprit | undefined;
  let part: Culprit | undefined = { path: '', value: root };
  for (let looks = 0; looks < MOST && mistakes < MOST_MISTAKES; looks++) {
    const { path, value } = part;
    const verdict = judge(value);
    if (verdict === 'port') port ??= part;
    if (verdict === 'hopeless') {
      // Some objects are cloned without their properties. Then it goes on behind the object.
      const outermost = port === undefined ? way.findIndex(({ isSuspect }) => isSuspect) : -1;
      if (outermost === -1 || fails((way[outermost] as Place).value)) return part;
      way.length = outermost;
      mistakes++;
    } else if (verdict !== 'port' && typeof value === 'object' && value !== null && !seen.has(value)) {
      seen.add(value);
      way.push({ path, value, isSuspect: verdict === 'suspect', parts: partsOf(value) });
    }
    part = next(way, suspects);
    if (part === undefined) return port ?? firstOf(suspects);
  }
  return undefined;
}

/** The next part on the way back. */
function next(way: Place[], suspects: Place[]): Culprit | undefined {
  for (let place = way.at(-1); place !== undefined; place = way.at(-1)) {
    const { done, value } = place.parts.next();
    if (done !== true) return { path: place.path + value[0], value: value[1] };
    way.pop();
    if (place.isSuspect) suspects.push(place);
  }
  return undefined;
}

/** The first suspect that cannot be cloned. All of its parts can, as they come before it. */
function firstOf(suspects: readonly Place[]): Culprit | undefined {
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
