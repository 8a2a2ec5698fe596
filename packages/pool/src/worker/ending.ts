import { isInTime, timers } from '../shared/timers.js';
import type { Lifecycle } from './lifecycle.js';
import { nextTick } from './microtasks.js';
import { Output } from './output.js';

/** Ends this worker, which has nothing more to do: its files dispose of what they have, and what they print arrives. */
export async function endWorker(lifecycle: Lifecycle | undefined, patience = 0): Promise<void> {
  try {
    if (lifecycle !== undefined) await isInTime(lifecycle.dispose(), patience);
  } catch (error) {
    dieOf(error);
    return;
  }
  await new Output().taken();
  process.exit(0);
}

/** Ends this worker by an uncaught error, also when the worker file catches those. */
export function dieOf(error: unknown): void {
  nextTick(() => {
    timers.setImmediate(() => process.exit(1));
    throw error;
  });
}
