import { type InspectOptions, inspect, types } from 'node:util';
import { VIEWS } from './tags.js';

const tagOf = Object.prototype.toString;
const { isView } = ArrayBuffer;
const NOTHING = {};

/** Loops over keys would include an enumerable property that somebody has given to all objects. */
export function isPolluted(): boolean {
  for (const _ in NOTHING) return true;
  return false;
}

/**
 * Structured clone goes by internal slots, not by prototypes. False for most objects with slots; `hasInside` finds the rest.
 */
export function seemsPlain(value: object): boolean {
  try {
    return tagOf.call(value) === '[object Object]' && !isView(value);
  } catch {
    // A getter of Symbol.toStringTag has thrown, which structured clone would not call.
    return false;
  }
}

/** Has an object that `seemsPlain` internal slots? */
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

const WITHOUT_ITEMS: InspectOptions = {
  customInspect: false,
  showHidden: false,
  colors: false,
  depth: 0,
  maxArrayLength: 0,
};

/** Has an array no properties but indices? Listing all keys would take longer than writing numbers. False: perhaps. */
export function hasIndicesAlone(value: readonly unknown[]): boolean {
  try {
    return inspect(value, WITHOUT_ITEMS) === `[ ... ${value.length} more items ]`;
  } catch {
    return false;
  }
}

/** Reads an internal slot, whatever properties the object was given. */
type Getter<Value> = (this: unknown) => Value;

const getter = <Value>(prototype: object, name: PropertyKey): Getter<Value> =>
  Object.getOwnPropertyDescriptor(prototype, name)?.get as Getter<Value>;

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const kindNameOf = getter<string>(typedArray, Symbol.toStringTag);
export const byteLengthOf = getter<number>(ArrayBuffer.prototype, 'byteLength');
const resizableOf: Getter<boolean> | undefined = getter(ArrayBuffer.prototype, 'resizable');

const insideOf = (prototype: object, length: string) => ({
  bufferOf: getter<ArrayBufferLike>(prototype, 'buffer'),
  offsetOf: getter<number>(prototype, 'byteOffset'),
  lengthOf: getter<number>(prototype, length),
});
const ofArray = insideOf(typedArray, 'length');
const ofDataView = insideOf(DataView.prototype, 'byteLength');

export const gettersOf = (value: ArrayBufferView): typeof ofArray =>
  types.isDataView(value) ? ofDataView : ofArray;

const KINDS: readonly string[] = VIEWS.map(({ name }) => name);

/** The index of a view's class in VIEWS, by internal slots. */
export const kindOfView = (value: ArrayBufferView): number =>
  KINDS.indexOf(types.isDataView(value) ? 'DataView' : kindNameOf.call(value));

export function isFixed(buffer: ArrayBuffer): boolean {
  if (resizableOf?.call(buffer) === true) return false;
  if (byteLengthOf.call(buffer) > 0) return true;
  try {
    // Node 20 has no property `detached`.
    new Uint8Array(buffer);
    return true;
  } catch {
    return false;
  }
}
