/** Taken before a worker file can put a fake in its place. */
export const { nextTick } = process;

/**
 * Runs the microtasks and ticks that are queued, and reports unhandled rejections, as Node does between two callbacks of its own:
 * `runNextTicks`, which it keeps under this name. Does nothing inside a microtask.
 *
 * @throws what a tick throws
 */
export const runMicrotasks: () => void =
  (process as { _tickCallback?: () => void })._tickCallback ?? (() => {});
