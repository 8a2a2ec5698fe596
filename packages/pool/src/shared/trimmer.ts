import { timers } from './timers.js';

/** Milliseconds from one look to the next: a load that comes and goes keeps its memory in between. */
const PERIOD = 500;

/**
 * Gives up memory that large values have needed, or a wait, once nothing has needed it from one look to the next. It looks only
 * while there is some, and keeps no process alive.
 *
 * @param trim gives up what nothing has needed since it was called last; false: it is all gone.
 * @returns to be called when there is something to give up, such as more memory than small values need
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
