/** Cells of one slot: a cache line, so that workers do not take each other's. */
const CELLS = 8;
/** When its worker took the task. */
export const TAKEN = 0;
/** When its function was called; 0: it was not. */
export const CALLED = 1;
/** When its function was done, promises included; 0: it was not called. */
export const RETURNED = 2;
/** When its outcome had been written. */
export const WRITTEN = 3;
/** Milliseconds of those between that the worker's event loop had nothing to do; negative: it was no promise. */
export const IDLE = 4;

/**
 * What the worker notes of the task in each of so many slots, in milliseconds of the clock that all threads share. Beside the table,
 * so that a pool without `explain` has none of it. Written before the slot is DONE, and read after that.
 */
export const marksFor = (slots: number): Float64Array =>
  new Float64Array(new SharedArrayBuffer(slots * CELLS * Float64Array.BYTES_PER_ELEMENT));

/** Where the cells of a slot begin. */
export const cellsOf = (slot: number): number => slot * CELLS;
