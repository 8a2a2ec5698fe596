import { timers } from './timers.js';

/** Milliseconds from one look to the next: a load that comes and goes keeps its memory in between. */
const PERIOD = 500;

/**
 * Gives up memory that large values have needed once nothing has needed it from one look to the next. It looks only while there is
 * some, and keeps no process alive.
 */
export class Trimmer {
  #timer: NodeJS.Timeout | undefined;
  readonly #trim: () => boolean;

  /** @param trim gives up what nothing has needed since it was called last; false: it is all gone. */
  constructor(trim: () => boolean) {
    this.#trim = trim;
  }

  /** There is some memory more than small values need. */
  grown(): void {
    if (this.#timer !== undefined) return;
    this.#timer = timers.setTimeout(() => {
      this.#timer = undefined;
      if (this.#trim()) this.grown();
    }, PERIOD);
    this.#timer.unref();
  }
}
