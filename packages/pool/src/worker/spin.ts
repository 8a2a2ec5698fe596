import { now } from '../shared/clock.js';
import { returnSpinPermit, takeSpinPermit } from '../shared/gate.js';
import { SpinBudget } from '../shared/spin-budget.js';
import type { Table } from '../shared/table.js';

const pause = (Atomics as { pause?: () => void }).pause;

/** Lets a worker look for something for a while before it sleeps (spin-then-park), if there is a core to spare for it. */
export class Spinner {
  readonly #budget = new SpinBudget();
  #sleptAt = Number.NEGATIVE_INFINITY;
  readonly #table: Table;
  readonly #holder: number;
  readonly #isThere: () => boolean;
  readonly #looks: number;

  /**
   * @param holder what its permit says, see `takeSpinPermit`
   * @param looks how often it looks before it reads the clock again: some microseconds
   */
  constructor(table: Table, holder: number, isThere: () => boolean, looks: number) {
    this.#table = table;
    this.#holder = holder;
    this.#isThere = isThere;
    this.#looks = looks;
  }

  /** True when it was there meanwhile. */
  spin(): boolean {
    if (this.#budget.current === 0) return false;
    const permit = takeSpinPermit(this.#table, this.#holder);
    if (permit === -1) return false;
    const found = this.#look(now() + this.#budget.current);
    returnSpinPermit(this.#table, permit);
    if (found) this.#budget.found();
    else this.#budget.missed();
    return found;
  }

  #look(end: number): boolean {
    do {
      for (let look = 0; look < this.#looks; look++) {
        if (this.#isThere()) return true;
        pause?.();
      }
    } while (now() < end);
    return false;
  }

  sleeps(): void {
    this.#sleptAt = now();
  }

  woken(): void {
    this.#budget.slept(now() - this.#sleptAt);
  }
}
