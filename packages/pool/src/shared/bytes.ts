import { types } from 'node:util';
import { PoolError } from '../errors.js';
import { restore, sendThrown, type Thrown } from './error-record.js';
import { unwrap } from './move.js';
import { node } from './node-realm.js';
import { reaches } from './parts.js';
import { uncloneable } from './uncloneable.js';
import { clone } from './untrusted.js';

/**
 * Values as bytes in V8's format, for other processes, perhaps with other versions of this package. The head has a
 * version and a CRC-32, because damaged lengths could request all memory.
 */
const VERSION = 1;
const SUM = 1;
const HEAD = 5;

// Loaded on demand: every user of the pool loads this file.
const v8 = (): typeof import('node:v8') => process.getBuiltinModule('node:v8');
const crc32 = (bytes: Uint8Array): number => process.getBuiltinModule('node:zlib').crc32(bytes);

/**
 * @param path name of the value in errors
 * @throws UncloneableError for values that cannot be copied, or only within one process: ports, shared memory, Blobs, keys
 */
export function encode(value: unknown, path = 'value'): Uint8Array<ArrayBuffer> {
  const content = unwrap(value).value;
  try {
    // Class instances become plain objects, except for instances that belong to the process; V8 would silently lose these.
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

/** As `encode`, but returns only the number of bytes if there are more than `most`. Larger buffers are not even copied. */
export function encodeWithin(value: unknown, path: string, most: number): Uint8Array<ArrayBuffer> | number {
  const content = unwrap(value).value;
  const isBuffer = ArrayBuffer.isView(content) || types.isArrayBuffer(content);
  if (isBuffer && content.byteLength > most) return content.byteLength;
  const bytes = encode(content, path);
  return bytes.length > most ? bytes.length : bytes;
}

/** @throws PoolError PLIMSOLL_POOL_BAD_BYTES unless `encode` of a known version has written the bytes */
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

/** Keeps class name, message, stack, code, causes and own properties of an error. Never throws. */
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

/** Is a part of a structured clone neither plain nor of a class that V8 writes? */
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
