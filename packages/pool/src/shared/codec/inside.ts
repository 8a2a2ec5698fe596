import { types } from 'node:util';

const tagOf = Object.prototype.toString;
const { isView } = ArrayBuffer;
const NOTHING = {};

/** Has somebody given every object an enumerable property? Then our loops over keys would meet it. */
export function isPolluted(): boolean {
  for (const _ in NOTHING) return true;
  return false;
}

/**
 * Structured clone goes by what an object is inside, whatever its prototype is: a Date without one is still a Date. Does an object
 * that looks plain by its prototype seem to be no error, date, array, view … inside?
 */
export function seemsPlain(value: object): boolean {
  try {
    return tagOf.call(value) === '[object Object]' && !isView(value);
  } catch {
    // A getter called Symbol.toStringTag, which structured clone does not call.
    return false;
  }
}

/** Is it one of those that seem to be plain, and are not? */
export function hasInside(value: object): boolean {
  return (
    types.isMap(value) ||
    types.isSet(value) ||
    types.isAnyArrayBuffer(value) ||
    types.isPromise(value) ||
    types.isWeakMap(value) ||
    types.isWeakSet(value) ||
    types.isGeneratorObject(value) ||
    types.isBigIntObject(value) ||
    types.isSymbolObject(value)
  );
}
