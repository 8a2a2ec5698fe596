import { Ring } from '../collections/ring.js';

const NOBODY = -1;

/** A mutex: who finds it taken sleeps, and is woken in turn to try again. */
export class Lock {
  #holder = NOBODY;
  readonly #waiting = new Ring();

  /** @returns whether the thread has it now; if not, it stands in line and is to sleep. */
  take(thread: number): boolean {
    if (this.#holder !== NOBODY && this.#holder !== thread) {
      this.#waiting.push(thread);
      return false;
    }
    this.#holder = thread;
    return true;
  }

  /** @returns who is to be woken to try again; -1 for nobody. */
  release(): number {
    this.#holder = NOBODY;
    return this.#waiting.size > 0 ? this.#waiting.shift() : NOBODY;
  }
}
