import { types } from 'node:util';
import { VIEWS } from './tags.js';

const { getPrototypeOf } = Object;

/** The number of a view's kind, by its prototype. A Buffer is a Uint8Array. */
export const viewTags = new Map<object, number>(VIEWS.map((view, index) => [view.prototype, index]));
viewTags.set(Buffer.prototype, 0);

/** The buffer of a typed array, whatever properties it was given. */
export const bufferOf = Object.getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), 'buffer')
  ?.get as (this: unknown) => ArrayBufferLike;

/** The number of a view's kind, by what it is inside. */
export function kindOfView(value: ArrayBufferView): number {
  return VIEWS.findIndex((view) => view.name === (types.isDataView(value) ? 'DataView' : tagOf.call(value)));
}

const tagOf = Object.getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)
  ?.get as (this: unknown) => string;

/** For Node 20, whose buffers do not say it. */
export function isDetached(buffer: ArrayBuffer): boolean {
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}
