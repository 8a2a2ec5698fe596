import { timers } from '../shared/timers.js';

/**
 * The next turn of the event loop, for a file that failed to load.
 *
 * A thread that is ended inside CommonJS lets the ES module that imports it run on without it (Node 22 and 24: a synthetic
 * module swallows the termination). Such a thread gets no other turn, so what fails then is not told, and its end is.
 *
 * When such CommonJS throws, Node 20 leaves a rejection with its error unhandled, though the import was awaited, and would
 * end the thread by it.
 */
export async function nextTurn(error: unknown): Promise<void> {
  if (failures.size === 0) process.on('unhandledRejection', onUnhandled);
  failures.add(error);
  await new Promise<void>((resolve) => timers.setImmediate(resolve));
  failures.delete(error);
  if (failures.size === 0) process.off('unhandledRejection', onUnhandled);
}

const failures = new Set<unknown>();

/** Whatever else is rejected ends the thread as it would without this listener. */
function onUnhandled(reason: unknown): void {
  const isOurs = failures.has(reason);
  if (!isOurs && process.listenerCount('unhandledRejection') === 1) throw reason;
}
