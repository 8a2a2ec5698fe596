/** Cells per slot: a cache line, which prevents false sharing between workers. */
const CELLS = 8;
/** When the worker took the task. */
export const TAKEN = 0;
/** When the function was called; 0: never. */
export const CALLED = 1;
/** When the function was done, including its promise; 0: never called. */
export const RETURNED = 2;
/** When the outcome was written. */
export const WRITTEN = 3;
/** Milliseconds between CALLED and RETURNED in which the worker's event loop was idle; negative if there was no promise. */
export const IDLE = 4;

/** Times of each slot's task, in milliseconds of the shared clock. Written before the slot is DONE, and read after that. */
export const marksFor = (slots: number): Float64Array =>
  new Float64Array(new SharedArrayBuffer(slots * CELLS * Float64Array.BYTES_PER_ELEMENT));

export const cellsOf = (slot: number): number => slot * CELLS;
