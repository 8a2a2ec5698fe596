import { types } from 'node:util';
import { MessagePort } from 'node:worker_threads';
import { clone, read } from './untrusted.js';

const { getPrototypeOf, hasOwn, keys } = Object;
const { isMap, isNativeError, isPromise, isProxy, isSet, isWeakMap, isWeakSet } = types;
const entriesOf = Map.prototype.entries;
const valuesOf = Set.prototype.values;

/** So many parts are looked at, because the thread waits for it: a hundredth of a second. */
const MOST = 2 ** 15;
/** So often a function or the like turns out to be in an object of which no properties are cloned. */
const MOST_MISTAKES = 100;

/** A part of a value, and how to get there: '.user.socket'. */
export interface Culprit {
  readonly path: string;
  readonly value: unknown;
}

/** Where a part is: a path is made of it for the one that is to blame. */
interface Place {
  readonly around: Place | undefined;
  readonly stepOf: () => string;
}
interface Found {
  readonly value: unknown;
  readonly place: Place | undefined;
}

/**
 * What is known of a value by itself. Of a 'suspect' only cloning shows whether objects of its class can be cloned; nothing in or
 * around what is 'hopeless' makes it possible; a 'port' can be transferred alone, and Node crashes when a closed one is cloned.
 */
export function judge(value: unknown): 'fine' | 'suspect' | 'hopeless' | 'port' {
  if (typeof value === 'function' || typeof value === 'symbol') return 'hopeless';
  if (typeof value !== 'object' || value === null) return 'fine';
  if (isProxy(value)) return 'hopeless';
  const prototype: unknown = getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null) return 'fine';
  if (isMap(value) || isSet(value) || isNativeError(value)) return 'fine';
  if (prototype === MessagePort.prototype) return 'port';
  return isPromise(value) || isWeakMap(value) || isWeakSet(value) ? 'hopeless' : 'suspect';
}

/** Looks at a part of an object; `stepOf` says how to get there. Anything but undefined ends the visit. */
type Visit<Found> = (part: unknown, stepOf: () => string) => Found | undefined;

/** Visits what is cloned of an object, in that order, but for most of what is no object: nearly all of a large value. */
function visitParts<Found>(value: object, visit: Visit<Found>): Found | undefined {
  if (isMap(value)) return visitMap(value, visit);
  let place = 0;
  if (isSet(value)) {
    for (const item of valuesOf.call(value)) {
      const at = place++;
      const found = visit(item, () => `.values()[${at}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value) || types.isBoxedPrimitive(value))
    return undefined;
  const isList = Array.isArray(value);
  // The names of a million items take as long as to clone them. Those of a sparse array may be far fewer than its indices.
  for (; isList && place < value.length && hasOwn(value, place); place++) {
    const found = visitMember(value, place, true, visit);
    if (found !== undefined) return found;
  }
  for (const name of isNativeError(value) ? ['cause'] : keys(value).slice(place)) {
    const found = visitMember(value, name, isList, visit);
    if (found !== undefined) return found;
  }
  return undefined;
}

function visitMap<Found>(map: Map<unknown, unknown>, visit: Visit<Found>): Found | undefined {
  let place = 0;
  for (const [key, item] of entriesOf.call(map)) {
    const at = place++;
    const isNamed = typeof key !== 'object' && typeof key !== 'function';
    const found =
      visit(key, () => `.keys()[${at}]`) ??
      visit(item, () => (isNamed ? `.get(${String(key)})` : `.values()[${at}]`));
    if (found !== undefined) return found;
  }
  return undefined;
}

function visitMember<Found>(
  value: object,
  name: string | number,
  isInList: boolean,
  visit: Visit<Found>,
): Found | undefined {
  const part = read(value, name);
  if (Object(part) !== part && typeof part !== 'symbol') return undefined;
  return visit(part, () => stepTo(String(name), isInList));
}

function stepTo(name: string, isInList: boolean): string {
  if (isInList && /^\d+$/.test(name)) return `[${name}]`;
  return /^[\w$]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** How to get from an object to one that is cloned with it. */
export const stepFrom = (object: object, part: unknown): string | undefined =>
  visitParts(object, (one, stepOf) => (one === part ? stepOf() : undefined));

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
  return visitParts(value, (part) => reaches(part, isKind, depth + 1, seen) || undefined) ?? false;
}

/** Behind this object the search goes on: it is cloned without its properties. */
const SKIPPED = Symbol('skipped');

/**
 * Finds the part for which a value cannot be cloned, or gives up. It only looks, in the order of cloning, for what can never be
 * cloned: to clone each part for itself would take a hundred times as long as the whole.
 */
export function findCulprit(root: unknown, most = MOST): Culprit | undefined {
  const seen = new Set<object>();
  /** Those all of whose parts can be cloned. */
  const suspects: Found[] = [];
  let looks = 0;
  let mistakes = 0;
  let port: Found | undefined;

  /** @param outermost the suspect that the part is in */
  function search(
    value: unknown,
    place: Place | undefined,
    outermost?: object,
  ): Found | typeof SKIPPED | undefined {
    if (++looks > most || mistakes > MOST_MISTAKES) throw new RangeError('too many parts');
    const verdict = judge(value);
    if (verdict === 'hopeless') {
      if (outermost === undefined || port !== undefined || fails(outermost)) return { value, place };
      mistakes++;
      return SKIPPED;
    }
    if (verdict === 'port') port ??= { value, place };
    if (verdict === 'port' || typeof value !== 'object' || value === null || seen.has(value))
      return undefined;
    seen.add(value);
    const suspect = verdict === 'suspect' ? value : undefined;
    const found = visitParts(value, (part, stepOf) =>
      search(part, { around: place, stepOf }, outermost ?? suspect),
    );
    if (found !== undefined) return found === SKIPPED && outermost === undefined ? undefined : found;
    if (suspect !== undefined) suspects.push({ value, place });
    return undefined;
  }

  try {
    const found = (search(root, undefined) as Found | undefined) ?? port ?? firstOf(suspects);
    return found && { value: found.value, path: pathTo(found.place) };
  } catch {
    // Too many parts, or nested more deeply than the stack allows.
    return undefined;
  }
}

function pathTo(place: Place | undefined): string {
  let path = '';
  for (let at = place; at !== undefined; at = at.around) path = at.stepOf() + path;
  return path;
}

/** The first suspect that cannot be cloned. All of its parts can, as they come before it. */
function firstOf(suspects: readonly Found[]): Found | undefined {
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
