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
export const byteLengthOf = getter<number>(ArrayBuffer.prototype, 'byteLength');
const resizableOf: Getter<boolean> | undefined = getter(ArrayBuffer.prototype, 'resizable');
const detachedOf: Getter<boolean> | undefined = getter(ArrayBuffer.prototype, 'detached');

/** What there is to say of a view; its length in elements. */
const insideOf = (prototype: object, length: string) => ({
  bufferOf: getter<ArrayBufferLike>(prototype, 'buffer'),
  offsetOf: getter<number>(prototype, 'byteOffset'),
  lengthOf: getter<number>(prototype, length),
});
const ofArray = insideOf(typedArray, 'length');
const ofDataView = insideOf(DataView.prototype, 'byteLength');
const DATA_VIEW = VIEWS.length - 1;

export const gettersOf = (kind: number): typeof ofArray => (kind === DATA_VIEW ? ofDataView : ofArray);

/** The number of a view's kind, by what it is inside. */
export function kindOfView(value: ArrayBufferView): number {
  return VIEWS.findIndex((view) => view.name === (types.isDataView(value) ? 'DataView' : tagOf.call(value)));
}

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
