/**
 * Where everything lives in the shared task table: one SharedArrayBuffer, addressed as 32-bit words.
 *
 *     shared words | spin permits | queue ring | one block per worker | slots
 *
 * Words that different sides write often stand on different cache lines (16 words).
 */
export const LINE = 16;

/** Words of the whole table. */
export const QUEUE_HEAD = 0;
export const QUEUE_TAIL = LINE;
export const HOST_GATE = 2 * LINE;
/** The host's own: where the next slot goes, which is ahead of the tail by those that are not announced yet. */
export const QUEUE_NEXT = 3 * LINE;
/** Where the host last saw the head: reading the head itself takes its line away from the workers. */
export const QUEUE_SEEN = 3 * LINE + 1;
/** How many chunks the arena has got so far: a side that knows fewer reads the port, because indices are reused. */
export const CHUNKS_MADE = 4 * LINE;
const PERMITS = 5 * LINE;
const MOST_PERMITS = LINE;

/** Words of one worker's block. First what seldom changes, because the host looks at the gate with every task. */
export const GATE = 0;
export const ABORTABLE_NOW = 1;
/** How many rings for results the worker has made so far: a host that knows of fewer reads the port. */
export const RINGS_MADE = 2;
/** What a call that blocks the worker has come to, and the slot of the task that calls: see `host-call.ts`. */
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
/** The host's own; DONE_SEEN is where it last saw the tail. */
export const DONE_HEAD = 3 * LINE;
export const DONE_SEEN = 3 * LINE + 1;
const BLOCK_HEADER = 4 * LINE;

/**
 * Words of one slot. CREATED and START are times, 64-bit floats, so they stand on even words. The first words of the
 * payload, which are all that a small task has, share the line of the header.
 */
export const STATE = 0;
export const HANDLER = 1;
export const FLAGS = 2;
export const LENGTH = 3;
export const OFFSET = 4;
export const SEQUENCE = 5;
export const CREATED = 6;
export const START = 8;
export const PAYLOAD = 10;

/** How many words a table needs for its parts; both sides derive every address from it. */
export interface Geometry {
  /** Number of slots: a power of two. */
  readonly slots: number;
  /** Number of worker blocks, dead workers that have not exited yet included. */
  readonly workers: number;
  /** Words per slot, header included. */
  readonly slotWords: number;
  /** Entries of a worker's mailbox: a power of two. */
  readonly mailbox: number;
  /** How many workers may spin at once. */
  readonly spinners: number;
}

/** A geometry, and all addresses that follow from it. */
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
