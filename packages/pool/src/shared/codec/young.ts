import { timers } from '../timers.js';
import { byteLengthOf } from './inside.js';
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
export const young = {
  /** Many results come to a host at a time. They must be dropped before the filling, or they get old. Workers do not wait. */
  schedule: timers.setImmediate as (fill: () => void) => unknown,
};
let capacity = 0;
let share = 0;
let sinceLook = 0;
let owed = 0;
let isDue = false;

/** Buffers that came from another thread by transfer. */
const arrivals = new WeakSet<object>();

/** Call when another thread has transferred buffers to this one. */
export function receiveBuffers(buffers: readonly ArrayBuffer[]): void {
  for (const buffer of buffers) {
    arrivals.add(buffer);
    madeBuffer(byteLengthOf.call(buffer));
  }
}

/** Call before objects are transferred to another thread: buffers that only pass through become no garbage. */
export function sendBuffers(transfer: readonly object[]): void {
  for (const object of transfer)
    if (arrivals.delete(object)) madeBuffer(-byteLengthOf.call(object as ArrayBuffer));
}

/** Takes the bytes of a new short-lived buffer, or less than 0: those of a buffer that leaves this thread. */
export function madeBuffer(bytes: number): void {
  if (Math.abs(bytes) > LARGEST_FILLED) return;
  sinceLook = Math.max(0, sinceLook + bytes);
  if (sinceLook >= PER_COLLECTION) look();
  owed = Math.min(capacity, Math.max(-capacity, owed + bytes * share));
  if (owed < PIECE || isDue) return;
  isDue = true;
  young.schedule(fill);
}

/** Creates garbage: strings without references. */
function fill(): void {
  isDue = false;
  // V8 has marked already for so many bytes at once.
  if (owed > LARGEST_FILLED * share) owed = 0;
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
