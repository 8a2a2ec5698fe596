/** Parts of the pool for the other packages of this repository. They are not public, and may change in any version. */
import type { RunOptions } from './host/options.js';
import type { Pool } from './pool.js';

export { badRange, badType } from './errors.js';
export { usableCores } from './host/cpu-quota.js';
export { type EndItem, type MapLimits, mapOver, type StartItem } from './host/iterate.js';
export { count, duration, flag, pathOf, text } from './host/options.js';
export { listen, signalOf, unlisten, watch } from './host/signals.js';
export { plainCopy } from './host/submit.js';
export { Rejection } from './host/task.js';
export { decode, decodeError, encode, encodeError, encodeWithin } from './shared/bytes.js';
export { callsByName } from './shared/calls.js';
export { now } from './shared/clock.js';
export { Histogram } from './shared/histogram.js';
export { isInTime, LONGEST_TIMER, timers } from './shared/timers.js';
export { messageOf } from './shared/untrusted.js';

/**
 * Runs a task given as bytes of `encodeWithin`. Returns the bytes of its result, or their number if there are more than
 * `most`. The worker reads and writes the values, so this thread stays free however large they are.
 *
 * @param isSpread the task is a list of arguments
 */
export const runBytes = (
  pool: Pool,
  task: Uint8Array,
  most: number,
  isSpread: boolean,
  options: RunOptions,
): Promise<Uint8Array | number> => pool.runBytes({ task, most }, isSpread, options);
