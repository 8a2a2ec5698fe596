const NOBODY = -1;

/** A mutex: who finds it taken sleeps, and is woken in turn to try again. */
export class Lock {
  #holder = NOBODY;
  /** Each of them once: a second entry would use up a wake-up that the next in line needs. */
  readonly #waiting: number[] = [];

  /** @returns whether the thread has it now; if not, it stands in line and is to sleep. */
  take(thread: number): boolean {
    const place = this.#waiting.indexOf(thread);
    if (this.#holder !== NOBODY && this.#holder !== thread) {
      if (place === -1) this.#waiting.push(thread);
      return false;
    }
    // Something else may have woken it before its turn.
    if (place !== -1) this.#waiting.splice(place, 1);
    this.#holder = thread;
    return true;
  }

  /** @returns who is to be woken to try again; -1 for nobody. */
  release(): number {
    this.#holder = NOBODY;
    return this.#waiting.shift() ?? NOBODY;
  }
}
