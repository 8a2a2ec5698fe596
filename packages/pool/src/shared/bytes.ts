import { types } from 'node:util';
import { PoolError } from '../errors.js';
import { restore, sendThrown, type Thrown } from './error-record.js';
import { unwrap } from './move.js';
import { node } from './node-realm.js';
import { reaches } from './parts.js';
import { uncloneable } from './uncloneable.js';
import { clone } from './untrusted.js';

/**
 * Values as bytes that another process reads, perhaps another version of this package, in V8's own format. What is read equals
 * `structuredClone` of what was written. Before them, the version of this format and a CRC-32 of the rest, since damaged lengths
 * could ask for all memory.
 */
const VERSION = 1;
const SUM = 1;
const HEAD = 5;

// Asked for when they are needed: every user of the pool loads this file.
const v8 = (): typeof import('node:v8') => process.getBuiltinModule('node:v8');
const crc32 = (bytes: Uint8Array): number => process.getBuiltinModule('node:zlib').crc32(bytes);

/**
 * @param path what to call the value in an error
 * @throws UncloneableError for what cannot be copied, or only inside one process: ports, shared memory, Blobs, keys
 */
export function encode(value: unknown, path = 'value'): Uint8Array<ArrayBuffer> {
  const content = unwrap(value).value;
  try {
    // Of class instances it makes plain objects, but for those that belong to the process. V8 would make nothing of these.
    const copy = clone(content);
    if (reaches(copy, isOfOneProcess)) throw new node.DOMException(OF_ONE_PROCESS, 'DataCloneError');
    const serializer = new (v8().Serializer)();
    serializer.writeRawBytes(new Uint8Array(HEAD));
    serializer.writeHeader();
    serializer.writeValue(copy);
    const bytes = serializer.releaseBuffer();
    bytes[0] = VERSION;
    bytes.writeUInt32BE(crc32(bytes.subarray(HEAD)), SUM);
    return new Uint8Array(bytes);
  } catch (error) {
    throw uncloneable(path, content, error);
  }
}

/** As `encode`, but only so many bytes: of more their number, and a buffer that is larger by itself is not copied. */
export function encodeWithin(value: unknown, path: string, most: number): Uint8Array<ArrayBuffer> | number {
  const content = unwrap(value).value;
  const isBuffer = ArrayBuffer.isView(content) || types.isArrayBuffer(content);
  if (isBuffer && content.byteLength > most) return content.byteLength;
  const bytes = encode(content, path);
  return bytes.length > most ? bytes.length : bytes;
}

/** @throws PoolError PLIMSOLL_POOL_BAD_BYTES for what `encode` has not written, or an unknown version of it */
export function decode({ buffer, byteOffset, byteLength }: Uint8Array): unknown {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  if (byteLength < HEAD) throw badBytes(`${byteLength} bytes are too few`);
  if (bytes[0] !== VERSION) throw badBytes(`their format is ${bytes[0]}, but this version reads ${VERSION}`);
  const content = bytes.subarray(HEAD);
  if (bytes.readUInt32BE(SUM) !== crc32(content)) throw badBytes('they are damaged');
  try {
    return v8().deserialize(content);
  } catch (error) {
    throw badBytes('they are damaged', error);
  }
}

/** What a task threw: class name, message, stack, code, causes and own properties. Never throws. */
export const encodeError = (reason: unknown): Uint8Array<ArrayBuffer> =>
  sendThrown(reason, (thrown) => encode(thrown));

/** @throws PoolError PLIMSOLL_POOL_BAD_BYTES */
export function decodeError(bytes: Uint8Array): unknown {
  const thrown = decode(bytes);
  try {
    return restore(thrown as Thrown);
  } catch (error) {
    throw badBytes('they hold no error', error);
  }
}

const badBytes = (what: string, cause?: unknown): PoolError =>
  new PoolError('PLIMSOLL_POOL_BAD_BYTES', `These bytes cannot be read: ${what}`, { cause });

const OF_ONE_PROCESS = 'a part of it belongs to one process, like ports, keys, Blobs and shared memory';

/** Is a part of a structured clone neither plain nor of a kind that V8 writes? */
function isOfOneProcess(part: object): boolean {
  if (types.isSharedArrayBuffer(ArrayBuffer.isView(part) ? part.buffer : part)) return true;
  const isWritten = Array.isArray(part) || ArrayBuffer.isView(part) || KINDS.some((isKind) => isKind(part));
  const prototype: unknown = Object.getPrototypeOf(part);
  return !isWritten && prototype !== null && Object.getPrototypeOf(prototype) !== null;
}

const KINDS = [
  types.isDate,
  types.isRegExp,
  types.isMap,
  types.isSet,
  types.isNativeError,
  types.isArrayBuffer,
  types.isBoxedPrimitive,
];
