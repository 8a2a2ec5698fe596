import { types } from 'node:util';
import type { Transferable } from 'node:worker_threads';
import { byteLengthOf } from './codec/inside.js';

const { isArrayBuffer } = types;
/** Much cheaper than `structuredClone`. Node 20 lacks it. */
const { transfer: transferTo } = ArrayBuffer.prototype as { transfer?(length: number): ArrayBuffer };

/** The key of the getter that returns what to transfer. The same symbol as Piscina's. */
export const transferableSymbol: unique symbol = Symbol.for('Piscina.transferable') as never;
/** The key of the getter that returns the value. The same symbol as Piscina's. */
export const valueSymbol: unique symbol = Symbol.for('Piscina.valueOf') as never;
const movableSymbol: unique symbol = Symbol.for('plimsoll.pool.movable') as never;

/** An object with its own rules for transfer: what to transfer of it, and its value. */
export interface TransferableValue {
  readonly [transferableSymbol]: object;
  readonly [valueSymbol]: unknown;
}

interface Movable extends TransferableValue {
  readonly [movableSymbol]: true;
}

/**
 * Marks a value so that it is transferred to the other thread instead of copied: a task's argument or its result.
 * The sender cannot use it any more. Takes an ArrayBuffer, a view of one, a MessagePort, any other transferable
 * object, or an object with `transferableSymbol` and `valueSymbol`. Primitives come back as they are.
 *
 * @example
 * export default (size: number) => move(new Uint8Array(size));
 */
export function move<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  const marked = isTransferable(value)
    ? value
    : {
        get [transferableSymbol](): object {
          return ArrayBuffer.isView(value) ? value.buffer : value;
        },
        get [valueSymbol](): unknown {
          return value;
        },
      };
  markMovable(marked);
  return marked as Value;
}

/** Marks an object with `transferableSymbol` and `valueSymbol`, as `move` does. */
export function markMovable(value: object): void {
  Object.defineProperty(value, movableSymbol, { value: true, configurable: true });
}

export function isTransferable(value: unknown): value is TransferableValue {
  return typeof value === 'object' && value !== null && transferableSymbol in value && valueSymbol in value;
}

export function isMovable(value: unknown): value is Movable {
  return typeof value === 'object' && value !== null && movableSymbol in value;
}

/** True for memory with several users, such as that of small Buffers. Node 20 lacks this, and copies such memory. */
const { isMarkedAsUntransferable: isFixed = () => false } = process.getBuiltinModule(
  'node:worker_threads',
) as {
  isMarkedAsUntransferable?(value: unknown): boolean;
};

/** The value of a `Movable` and the objects to transfer. Memory that cannot be transferred is left out, so it is copied. */
export function unwrap(value: unknown): { value: unknown; transfer: Transferable[] } {
  if (!isMovable(value)) return { value, transfer: [] };
  const transfer = [value[transferableSymbol]].flat() as Transferable[];
  return { value: value[valueSymbol], transfer: transfer.filter((item) => !isFixed(item)) };
}

/** Copying up to this size is cheaper than a message. WebAssembly memory, which must not be detached, is larger. */
const MOST_COPIED = 2 ** 14;

/** Are these objects small buffers only, which are copied and then detached? */
export function areCopied(transfer: readonly Transferable[]): boolean {
  let bytes = 0;
  for (const object of transfer) {
    if (!isArrayBuffer(object) || isFixed(object)) return false;
    // Not `object.byteLength`, which may be a getter of the caller's.
    const size = byteLengthOf.call(object);
    if (size === 0) return false;
    bytes += size;
  }
  return bytes > 0 && bytes <= MOST_COPIED && new Set(transfer).size === transfer.length;
}

/** Detaches buffers, as a transfer does, except for buffers that were transferred in the meantime. */
export function detach(transfer: readonly Transferable[]): void {
  for (const buffer of transfer as ArrayBuffer[]) {
    try {
      if (transferTo === undefined) structuredClone(buffer, { transfer: [buffer] });
      else transferTo.call(buffer, 0);
    } catch {
      // Already detached. The task must end all the same.
    }
  }
}

export function bytesOf(transfer: readonly Transferable[]): number {
  let bytes = 0;
  for (const object of transfer) if (isArrayBuffer(object)) bytes += byteLengthOf.call(object);
  return bytes;
}

export const buffersOf = (transfer: readonly Transferable[]): ArrayBuffer[] => transfer.filter(isArrayBuffer);
