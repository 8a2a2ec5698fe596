import { types } from 'node:util';
import { PoolError } from '../errors.js';
import { Decoder, IS_LITTLE, memoryOf } from './codec/decode.js';
import { Encoder } from './codec/encode.js';
import { reaches } from './culprit.js';
import { carry, carryLess, restore, type Thrown } from './error-record.js';
import { isMovable, unwrap } from './move.js';
import { node } from './node-realm.js';
import { uncloneable } from './uncloneable.js';
import { clone } from './untrusted.js';

/**
 * Values as bytes that another process reads, perhaps another version of this package: the codec's words, or V8's own format for
 * what the codec leaves to structured clone. What is read equals `structuredClone` of what was written.
 *
 * A head of eight bytes: the version of this format, the kind, the flags of the encoder, the order of bytes; a CRC-32 of the rest,
 * since damaged lengths could ask for all memory. Then for WORDS: how many words and how many buffers there are, the length of each
 * buffer, the words, the buffers.
 */
const VERSION = 1;
const WORDS = 0;
const V8 = 1;
const ORDER = IS_LITTLE ? 0 : 1;
const SUM = 4;
const HEAD = 8;

// Asked for when they are needed: every user of the pool loads this file.
const v8 = (): typeof import('node:v8') => process.getBuiltinModule('node:v8');
const crc32 = (bytes: Uint8Array): number => process.getBuiltinModule('node:zlib').crc32(bytes);

const encoder = new Encoder();
const decoder = new Decoder();

/**
 * @param path what to call the value in an error
 * @throws UncloneableError for what cannot be copied, or only inside one process: ports, shared memory, Blobs, keys
 */
export function encode(value: unknown, path = 'value'): Uint8Array<ArrayBuffer> {
  const content = isMovable(value) ? unwrap(value).value : value;
  try {
    return wordsOf(content) ?? serialized(content);
  } catch (error) {
    throw uncloneable(path, content, error);
  }
}

/** As `encode`, but only so many bytes: of more their number, and a buffer that is larger by itself is not copied. */
export function encodeWithin(value: unknown, path: string, most: number): Uint8Array<ArrayBuffer> | number {
  const content = isMovable(value) ? unwrap(value).value : value;
  const isBuffer = ArrayBuffer.isView(content) || types.isArrayBuffer(content);
  if (isBuffer && content.byteLength > most) return content.byteLength;
  const bytes = encode(content, path);
  return bytes.length > most ? bytes.length : bytes;
}

/** @throws PoolError PLIMSOLL_POOL_BAD_BYTES for what `encode` has not written, or an unknown version of it */
export function decode(bytes: Uint8Array): unknown {
  if (bytes.length < HEAD) throw badBytes(`${bytes.length} bytes are too few`);
  const [version, kind, flags, order] = bytes;
  if (version !== VERSION) throw badBytes(`their format is ${version}, but this version reads ${VERSION}`);
  if (order !== ORDER) throw badBytes('a machine with another byte order wrote them');
  if (rawBytes(bytes).readUInt32BE(SUM) !== crc32(bytes.subarray(HEAD))) throw badBytes('they are damaged');
  try {
    return kind === V8 ? v8().deserialize(bytes.subarray(HEAD)) : decoded(bytes, flags as number);
  } catch (error) {
    throw error instanceof PoolError ? error : badBytes('they are damaged', error);
  }
}

/** What a task threw: class name, message, stack, code, causes and own properties. Never throws. */
export function encodeError(reason: unknown): Uint8Array<ArrayBuffer> {
  const thrown = carry(reason);
  try {
    return encode(thrown);
  } catch (error) {
    return encode(carryLess(thrown, error));
  }
}

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

/** Writes the head of bytes whose rest is there. */
function headed(bytes: Uint8Array<ArrayBuffer>, kind: number, flags: number): Uint8Array<ArrayBuffer> {
  bytes.set([VERSION, kind, flags, ORDER]);
  rawBytes(bytes).writeUInt32BE(crc32(bytes.subarray(HEAD)), SUM);
  return bytes;
}

function wordsOf(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  const encoded = encoder.encode(value);
  if (encoded === undefined) return undefined;
  const { words, length, externals = [], encodingFlags } = encoded;
  const sizes = Uint32Array.from([length, externals.length, ...externals.map((one) => one.byteLength)]);
  const parts = [sizes, words.subarray(0, length), ...externals.map((one) => new Uint8Array(one))].map(
    rawBytes,
  );
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, HEAD));
  let at = HEAD;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return headed(bytes, WORDS, encodingFlags);
}

const rawBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

function decoded(bytes: Uint8Array, flags: number): unknown {
  // A copy of its own: words have to stand at multiples of four, and buffers become parts of the value.
  const { buffer } = new Uint8Array(bytes.subarray(HEAD));
  const [length = 0, count = 0] = new Uint32Array(buffer, 0, 2);
  const sizes = new Uint32Array(buffer, 8, count);
  const start = 8 + count * 4;
  const words = buffer.slice(start, start + length * 4);
  let at = start + length * 4;
  const externals: ArrayBuffer[] = [];
  for (const size of sizes) {
    externals.push(buffer.slice(at, at + size));
    at += size;
  }
  if (at !== buffer.byteLength) throw badBytes(`there are ${buffer.byteLength} bytes instead of ${at}`);
  return decoder.decode(memoryOf(words), 0, length, flags, externals);
}

function serialized(value: unknown): Uint8Array<ArrayBuffer> {
  // Of class instances it makes plain objects, but for those that belong to the process. V8 would make nothing of these.
  const copy = clone(value);
  if (reaches(copy, isOfOneProcess)) throw new node.DOMException(OF_ONE_PROCESS, 'DataCloneError');
  const serializer = new (v8().Serializer)();
  serializer.writeRawBytes(new Uint8Array(HEAD));
  serializer.writeHeader();
  serializer.writeValue(copy);
  return headed(new Uint8Array(serializer.releaseBuffer()), V8, 0);
}

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
