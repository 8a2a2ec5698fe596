import { types } from 'node:util';
import { PoolError } from '../errors.js';
import { read } from './untrusted.js';

/** Estimate for a number, a boolean, and the head of an object. */
const WORD = 8;

/** @throws PoolError PLIMSOLL_POOL_VALUE_TOO_LARGE */
export function checkSize(label: string, bytes: number, limit: number): void {
  if (bytes <= limit) return;
  const message = `${label} has at least ${bytes} bytes, more than options.maxValueBytes (${limit}) allows`;
  throw new PoolError('PLIMSOLL_POOL_VALUE_TOO_LARGE', message);
}

/** Estimated: V8 does not report how many bytes it clones. @throws PoolError PLIMSOLL_POOL_VALUE_TOO_LARGE */
export function checkClone(label: string, value: unknown, limit: number, moved: readonly unknown[]): void {
  if (limit !== Number.POSITIVE_INFINITY) checkSize(label, sizeOf(value, limit, moved), limit);
}

/** Stops above `limit`. */
function sizeOf(value: unknown, limit: number, moved: readonly unknown[]): number {
  const seen = new Set<unknown>(moved);
  const stack = [value];
  let bytes = 0;
  while (stack.length > 0 && bytes <= limit) {
    const part = stack.pop();
    if (typeof part === 'string') bytes += part.length;
    else if (typeof part !== 'object' || part === null || types.isProxy(part)) bytes += WORD;
    else if (!seen.has(part)) {
      seen.add(part);
      bytes += WORD;
      if (ArrayBuffer.isView(part)) stack.push(part.buffer);
      else if (types.isArrayBuffer(part)) bytes += part.byteLength;
      else if (types.isMap(part)) for (const entry of part) stack.push(...entry);
      else if (types.isSet(part)) for (const item of part) stack.push(item);
      else {
        const isList = Array.isArray(part);
        for (const key of Object.keys(part)) {
          if (!isList) bytes += key.length;
          stack.push(read(part, key));
        }
        if (types.isNativeError(part))
          stack.push(read(part, 'message'), read(part, 'stack'), read(part, 'cause'));
      }
    }
  }
  return bytes;
}
