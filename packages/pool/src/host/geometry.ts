import { availableParallelism } from 'node:os';
import type { Geometry } from '../shared/layout.js';
import type { FilledOptions } from './options.js';

const SLOT_WORDS = 128;
const FEWEST_SLOTS = 1024;
/** Memory that is not used until then costs next to nothing. */
const STUCK_WORKERS = 128;

/** The table is small: slots for what is in flight; what waits longer stays on the host. */
export function geometryFor(options: FilledOptions): Geometry {
  const inFlight = options.maxThreads * options.concurrentTasksPerWorker * 2;
  return {
    slots: Math.max(FEWEST_SLOTS, 2 ** Math.ceil(Math.log2(Math.min(inFlight, 2 ** 15)))),
    // A killed worker keeps its block until its thread has exited, which one in a native call that never returns does not;
    // its replacement needs another one meanwhile.
    workers: options.maxThreads * 2 + STUCK_WORKERS,
    slotWords: SLOT_WORDS,
    mailbox: Math.max(16, 2 ** Math.ceil(Math.log2(Math.min(options.concurrentTasksPerWorker * 2, 1024)))),
    spinners: Math.max(0, availableParallelism() - 1),
  };
}
