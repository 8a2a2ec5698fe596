import { type RawBuffer, rawBuffer } from './tags.js';

/**
 * V8 counts what array buffers hold, and marks the whole heap after some tens of megabytes of new ones, nearly all of which are
 * garbage: of copies of 1 MB that took a third of all CPU (Node 22 and later). A collection of the young generation finds the
 * same for next to nothing, but thousands of buffers fit in before small objects fill it. So it is filled as they are made.
 */

/** It is to be full once for so many bytes of buffers: well before V8 loses patience, whatever else the app holds. */
const PER_COLLECTION = 16 * 2 ** 20;
/** Filling costs more than V8's marking where it would be done for each buffer. */
export const LARGEST_FILLED = 2 * PER_COLLECTION;
/** Bytes of filling per byte of buffer at most. */
const DEAREST = 1 / 2;
const PIECE = 64 * 1024;

const filling: RawBuffer = rawBuffer(new ArrayBuffer(PIECE));
/** From Node 24 on filling costs a host more than it saves: docs/decisions/pool-shapes-when-warm.md. Workers set this. */
export const young = { isFilled: Number.parseInt(process.versions.v8, 10) < 13 };
let capacity = 0;
let share = 0;
let sinceLook = 0;
let owed = 0;

/** A buffer of so many bytes was made, which will probably be garbage soon. */
export function madeBuffer(bytes: number): void {
  if (!young.isFilled || bytes > LARGEST_FILLED) return;
  sinceLook += bytes;
  if (sinceLook >= PER_COLLECTION) look();
  owed = Math.min(capacity, owed + bytes * share);
  // A string without a reference.
  for (; owed >= PIECE; owed -= PIECE) filling.latin1Slice(0, PIECE);
}

/** The young generation grows and shrinks with what the app does in this thread. */
function look(): void {
  sinceLook = 0;
  const { getHeapSpaceStatistics } = process.getBuiltinModule('node:v8');
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
  capacity = space === undefined ? 0 : space.space_used_size + space.space_available_size;
  share = Math.min(DEAREST, capacity / PER_COLLECTION);
}
