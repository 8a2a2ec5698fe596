import { timers } from './timers.js';

/** Milliseconds between two calls of `trim`: a load that comes and goes keeps its memory in between. */
const PERIOD = 500;

/**
 * Gives up what was not needed between two calls of `trim`: memory of large values, or a wait. Keeps no process alive.
 *
 * @param trim gives up what was not needed since its last call; returns false if nothing is left
 * @returns a function to call when there is something to give up
 */
export function trimmerOf(trim: () => boolean): () => void {
  let isLooking = false;
  return function grown() {
    if (isLooking) return;
    isLooking = true;
    const look = (): void => {
      isLooking = false;
      if (trim()) grown();
    };
    timers.setTimeout(look, PERIOD).unref();
  };
}
