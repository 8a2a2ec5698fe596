import { type InspectOptions, inspect, types } from 'node:util';
import { VIEWS } from './tags.js';

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

const WITHOUT_ITEMS: InspectOptions = {
  customInspect: false,
  showHidden: false,
  colors: false,
  depth: 0,
  maxArrayLength: 0,
};

/**
 * Does an array of several items have no properties beside its indices? Nothing but this asks so without a string for each index,
 * and that takes longer than to write a number for it. When false, it may have none all the same.
 */
export function hasIndicesAlone(value: readonly unknown[]): boolean {
  try {
    return inspect(value, WITHOUT_ITEMS) === `[ ... ${value.length} more items ]`;
  } catch {
    return false;
  }
}

/** What an object is inside, whatever properties it was given. */
type Getter<Value> = (this: unknown) => Value;

const getter = <Value>(prototype: object, name: PropertyKey): Getter<Value> =>
  Object.getOwnPropertyDescriptor(prototype, name)?.get as Getter<Value>;

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object;
const kindNameOf = getter<string>(typedArray, Symbol.toStringTag);
export const byteLengthOf = getter<number>(ArrayBuffer.prototype, 'byteLength');
const resizableOf: Getter<boolean> | undefined = getter(ArrayBuffer.prototype, 'resizable');

/** What there is to say of a view; its length in elements. */
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

/** The number of a view's kind, by what it is inside. */
export const kindOfView = (value: ArrayBufferView): number =>
  KINDS.indexOf(types.isDataView(value) ? 'DataView' : kindNameOf.call(value));

/** Is it neither resizable nor detached? */
export function isFixed(buffer: ArrayBuffer): boolean {
  if (resizableOf?.call(buffer) === true) return false;
  if (byteLengthOf.call(buffer) > 0) return true;
  try {
    // The buffers of Node 20 do not say that they are detached.
    new Uint8Array(buffer);
    return true;
  } catch {
    return false;
  }
}
