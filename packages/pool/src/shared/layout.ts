/**
 * The layout of the shared task table: one SharedArrayBuffer of 32-bit words.
 *
 *     shared words | spin permits | queue ring | one block per worker | slots
 *
 * Words that different sides write often are on different cache lines (16 words).
 */
export const LINE = 16;

/** Words of the whole table. */
export const QUEUE_HEAD = 0;
export const QUEUE_TAIL = LINE;
export const HOST_GATE = 2 * LINE;
/** The host's own: the next position, ahead of the tail by the slots that are not announced yet. */
export const QUEUE_NEXT = 3 * LINE;
/** Where the host last saw the head. Reading the head itself takes its cache line from the workers. */
export const QUEUE_SEEN = 3 * LINE + 1;
/** Chunks that the arena has had so far. Indices are reused, so a side that knows fewer chunks reads its port. */
export const CHUNKS_MADE = 4 * LINE;
const PERMITS = 5 * LINE;
const MOST_PERMITS = LINE;

/** Words of one worker's block. Words that rarely change come first, because the host reads the gate for every task. */
export const GATE = 0;
export const ABORTABLE_NOW = 1;
/** Rings that the worker has made so far. A host that knows fewer rings reads the port. */
export const RINGS_MADE = 2;
/** State of a blocking host call, and the slot of the calling task: see `host-call.ts`. */
export const HOST_CALL = 3;
export const CALL_SLOT = 4;
/** Written by the worker. */
export const CLAIMED = LINE;
export const RUNNING_NOW = LINE + 1;
export const DONE_TAIL = LINE + 2;
export const MAIL_HEAD = LINE + 3;
/** Written by the host. */
export const MAIL_TAIL = 2 * LINE;
export const RESULT_HEAD = 2 * LINE + 1;
/** The host's own. DONE_SEEN is where it last saw the tail. */
export const DONE_HEAD = 3 * LINE;
export const DONE_SEEN = 3 * LINE + 1;
const BLOCK_HEADER = 4 * LINE;

/** Words of a slot. CREATED and START are 64-bit floats, so they are even. Small payloads share the header's cache line. */
export const STATE = 0;
export const HANDLER = 1;
export const FLAGS = 2;
export const LENGTH = 3;
export const OFFSET = 4;
export const SEQUENCE = 5;
export const CREATED = 6;
export const START = 8;
export const PAYLOAD = 10;

/** The sizes from which both sides derive every address. */
export interface Geometry {
  /** A power of two. */
  readonly slots: number;
  /** Worker blocks, including those of dead workers whose threads have not exited. */
  readonly workers: number;
  /** Including the header. */
  readonly slotWords: number;
  /** Entries per mailbox; a power of two. */
  readonly mailbox: number;
  /** Workers that may spin at once. */
  readonly spinners: number;
}

export type Layout = Readonly<ReturnType<typeof layoutOf>>;

const toLine = (words: number): number => Math.ceil(words / LINE) * LINE;

export function layoutOf(geometry: Geometry) {
  const queue = PERMITS + MOST_PERMITS;
  const blocks = queue + toLine(geometry.slots);
  const blockWords = BLOCK_HEADER + toLine(geometry.slots) + toLine(geometry.mailbox);
  const slotBase = blocks + blockWords * geometry.workers;
  return {
    ...geometry,
    spinners: Math.min(geometry.spinners, MOST_PERMITS),
    permits: PERMITS,
    queue,
    blocks,
    blockWords,
    doneRing: BLOCK_HEADER,
    mailRing: BLOCK_HEADER + toLine(geometry.slots),
    slotBase,
    words: slotBase + geometry.slots * geometry.slotWords,
  };
}
