import { types } from 'node:util';
import { VIEWS } from './tags.js';

const { getPrototypeOf } = Object;

/** The number of a view's kind, by its prototype. A Buffer is a Uint8Array. */
export const viewTags = new Map<object, number>(VIEWS.map((view, index) => [view.prototype, index]));
viewTags.set(Buffer.prototype, 0);

/** What an object is inside, whatever properties it was given. */
type Getter<Value> = (this: unknown) => Value;

const getter = <Value>(prototype: object, name: PropertyKey): Getter<Value> =>
  Object.getOwnPropertyDescriptor(prototype, name)?.get as Getter<Value>;

const typedArray = getPrototypeOf(Uint8Array.prototype) as object;
const tagOf = getter<string>(typedArray, Symbol.toStringTag);
const bufferOfArray = getter<ArrayBufferLike>(typedArray, 'buffer');
const offsetOfArray = getter<number>(typedArray, 'byteOffset');
const lengthOfArray = getter<number>(typedArray, 'length');
const bufferOfDataView = getter<ArrayBufferLike>(DataView.prototype, 'buffer');
const offsetOfDataView = getter<number>(DataView.prototype, 'byteOffset');
const lengthOfDataView = getter<number>(DataView.prototype, 'byteLength');
export const byteLengthOf = getter<number>(ArrayBuffer.prototype, 'byteLength');
const resizableOf: Getter<boolean> | undefined = getter(ArrayBuffer.prototype, 'resizable');
const detachedOf: Getter<boolean> | undefined = getter(ArrayBuffer.prototype, 'detached');

const DATA_VIEW = VIEWS.length - 1;

/** The number of a view's kind, by what it is inside. */
export function kindOfView(value: ArrayBufferView): number {
  return VIEWS.findIndex((view) => view.name === (types.isDataView(value) ? 'DataView' : tagOf.call(value)));
}

export const bufferOf = (view: object, kind: number): ArrayBufferLike =>
  kind === DATA_VIEW ? bufferOfDataView.call(view) : bufferOfArray.call(view);

/** In bytes. */
export const offsetOf = (view: object, kind: number): number =>
  kind === DATA_VIEW ? offsetOfDataView.call(view) : offsetOfArray.call(view);

/** In elements. */
export const lengthOf = (view: object, kind: number): number =>
  kind === DATA_VIEW ? lengthOfDataView.call(view) : lengthOfArray.call(view);

export const isResizable = (buffer: ArrayBuffer): boolean => resizableOf?.call(buffer) ?? false;

export function isDetached(buffer: ArrayBuffer): boolean {
  if (detachedOf !== undefined) return detachedOf.call(buffer);
  // The buffers of Node 20 do not say it.
  if (byteLengthOf.call(buffer) > 0) return false;
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}
