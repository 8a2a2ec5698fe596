import { types } from 'node:util';
import { MessagePort } from 'node:worker_threads';
import { clone, read } from './untrusted.js';

const { getPrototypeOf, keys } = Object;
const { isBoxedPrimitive, isMap, isNativeError, isPromise, isProxy, isSet, isWeakMap, isWeakSet } = types;
const entriesOf = Map.prototype.entries;
const valuesOf = Set.prototype.values;

/** So many parts are looked at. */
const MOST = 2 ** 23;
/** So often a function or the like turns out to be in an object of which no properties are cloned. */
const MOST_MISTAKES = 100;

/** A part of a value, and how to get there: '.user.socket'. */
export interface Culprit {
  readonly path: string;
  readonly value: unknown;
}

/** An object on the way, and what is left of its parts, each with the step that leads to it. */
interface Place extends Culprit {
  readonly value: object;
  readonly isSuspect: boolean;
  readonly parts: Iterator<readonly [step: string, part: unknown], undefined>;
}

/** What is known of a value by itself. */
const FINE = 0;
/** It is of a class for which only cloning shows whether its objects can be cloned. */
const SUSPECT = 1;
/** Nothing in it, and nothing around it, makes it possible to clone it. */
const HOPELESS = 2;
/** It can be transferred alone. Node crashes when one that is closed is cloned. */
const PORT = 3;

function judge(value: unknown): number {
  if (typeof value !== 'object')
    return typeof value === 'function' || typeof value === 'symbol' ? HOPELESS : FINE;
  if (value === null) return FINE;
  if (isProxy(value)) return HOPELESS;
  const prototype: unknown = getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null) return FINE;
  if (isMap(value) || isSet(value) || isNativeError(value)) return FINE;
  if (prototype === MessagePort.prototype) return PORT;
  return isPromise(value) || isWeakMap(value) || isWeakSet(value) ? HOPELESS : SUSPECT;
}

/** What is cloned of an object, in that order. */
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
  } else if (!ArrayBuffer.isView(value) && !isBoxedPrimitive(value)) {
    const names = isNativeError(value) ? ['cause'] : keys(value);
    for (const name of names) {
      const part = read(value, name);
      // Most parts of large values are simple ones.
      if (Object(part) === part || typeof part === 'symbol') yield [stepTo(name, Array.isArray(value)), part];
    }
  }
}

function stepTo(name: string, isInList: boolean): string {
  if (isInList && /^\d+$/.test(name)) return `[${name}]`;
  return /^[\w$]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
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
    if (verdict === PORT) port ??= part;
    if (verdict === HOPELESS) {
      // Some objects are cloned without their properties. Then it goes on behind the object.
      const outermost = port === undefined ? way.findIndex(({ isSuspect }) => isSuspect) : -1;
      if (outermost === -1 || fails((way[outermost] as Place).value)) return part;
      way.length = outermost;
      mistakes++;
    } else if (verdict !== PORT && typeof value === 'object' && value !== null && !seen.has(value)) {
      seen.add(value);
      way.push({ path, value, isSuspect: verdict === SUSPECT, parts: partsOf(value) });
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
