import { type RawBuffer, rawBuffer } from './tags.js';

/**
 * V8 counts the bytes of array buffers, and marks the whole heap after some tens of megabytes of new ones, most of which are
 * garbage: with copies of 1 MB, marking took a third of all CPU (Node 22 and later). A collection of the young generation
 * frees them almost for nothing, but is far too rare, because buffers hardly fill it. So this fills it with other garbage.
 */

/** Bytes of buffers per filling of the young generation: well before V8 marks, whatever else the program holds. */
const PER_COLLECTION = 16 * 2 ** 20;
/** For larger buffers, filling costs more than marking. */
export const LARGEST_FILLED = 2 * PER_COLLECTION;
/** Most bytes of filling per byte of buffers. */
const DEAREST = 1 / 2;
const PIECE = 64 * 1024;

const filling: RawBuffer = rawBuffer(new ArrayBuffer(PIECE));
/** Workers turn this on. On the host it costs more than it saves from Node 24 on: docs/decisions/pool-shapes-when-warm.md. */
export const young = { isFilled: Number.parseInt(process.versions.v8, 10) < 13 };
let capacity = 0;
let share = 0;
let sinceLook = 0;
let owed = 0;

/** Call when a short-lived buffer was created. */
export function madeBuffer(bytes: number): void {
  if (!young.isFilled || bytes > LARGEST_FILLED) return;
  sinceLook += bytes;
  if (sinceLook >= PER_COLLECTION) look();
  owed = Math.min(capacity, owed + bytes * share);
  // Creates garbage: a string without references.
  for (; owed >= PIECE; owed -= PIECE) filling.latin1Slice(0, PIECE);
}

/** The size of the young generation changes with the program's load. */
function look(): void {
  sinceLook = 0;
  const { getHeapSpaceStatistics } = process.getBuiltinModule('node:v8');
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  capacity = space === undefined ? 0 : space.space_used_size + space.space_available_size;
  share = Math.min(DEAREST, capacity / PER_COLLECTION);
}
