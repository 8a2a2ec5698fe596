import { types } from 'node:util';
import { read } from './untrusted.js';

const { hasOwn, keys } = Object;
const { isAnyArrayBuffer, isBoxedPrimitive, isMap, isNativeError, isSet } = types;
const entriesOf = Map.prototype.entries;
const valuesOf = Set.prototype.values;

const isObject = (value: unknown): boolean => Object(value) === value;

/** Parts in the order of cloning, with their steps of the path: '.user'. Leaves out properties that are no objects. */
export function* partsOf(value: object): Generator<readonly [part: unknown, step: string]> {
  let at = 0;
  if (isMap(value)) {
    for (const [key, item] of entriesOf.call(value)) {
      yield [key, `.keys()[${at}]`];
      yield [item, isObject(key) ? `.values()[${at}]` : `.get(${String(key)})`];
      at++;
    }
  } else if (isSet(value)) for (const item of valuesOf.call(value)) yield [item, `.values()[${at++}]`];
  else if (!ArrayBuffer.isView(value) && !isAnyArrayBuffer(value) && !isBoxedPrimitive(value))
    yield* membersOf(value);
}

function* membersOf(value: object): ReturnType<typeof partsOf> {
  const isList = Array.isArray(value);
  let at = 0;
  // Listing the keys of a million items takes as long as cloning them; but a sparse array has few keys for many indices.
  for (; isList && at < value.length && hasOwn(value, at); at++) {
    const part = read(value, at);
    if (isObject(part) || typeof part === 'symbol') yield [part, `[${at}]`];
  }
  for (const name of isNativeError(value) ? ['cause'] : keys(value).slice(at)) {
    const part = read(value, name);
    if (isObject(part) || typeof part === 'symbol') yield [part, stepTo(name, isList)];
  }
}

function stepTo(name: string, isInList: boolean): string {
  if (isInList && /^\d+$/.test(name)) return `[${name}]`;
  return /^[\w$]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** Does structured clone reach an object of this kind? For errors only, because it may be slow. */
export function reaches(
  value: unknown,
  isKind: (value: object, depth: number) => boolean,
  depth = 0,
  seen = new Set<object>(),
): boolean {
  if (typeof value !== 'object' || value === null || seen.has(value)) return false;
  if (isKind(value, depth)) return true;
  seen.add(value);
  for (const [part] of partsOf(value)) if (reaches(part, isKind, depth + 1, seen)) return true;
  return false;
}
