import { LONGEST, SpinBudget } from '../shared/budget.js';
import { now } from '../shared/clock.js';
import { returnToken, takeToken } from '../shared/gate.js';
import type { Table } from '../shared/table.js';
import { Patience } from './patience.js';

const pause = (Atomics as { pause?: () => void }).pause;

/** Lets a worker look for something for a while before it sleeps, if there is a core to spare for it. */
export class Spinner {
  private readonly afterShortWork = new SpinBudget();
  private readonly afterLongWork = new Patience();
  private budget: SpinBudget | Patience = this.afterShortWork;
  private sleptAt = Number.NEGATIVE_INFINITY;
  /** When the worker last had nothing to do. */
  private idleAt = now();
  private readonly table: Table;
  private readonly holder: number;
  private readonly isThere: () => boolean;
  private readonly looks: number;

  /**
   * @param holder what its token says, see `takeToken`
   * @param looks so many before the clock is read again: some microseconds
   */
  constructor(table: Table, holder: number, isThere: () => boolean, looks: number) {
    this.table = table;
    this.holder = holder;
    this.isThere = isThere;
    this.looks = looks;
  }

  /** True when it was there meanwhile. */
  spin(): boolean {
    const start = now();
    const isLong = this.afterLongWork.worked(start - this.idleAt) > LONGEST;
    this.budget = isLong ? this.afterLongWork : this.afterShortWork;
    this.idleAt = start;
    if (this.budget.current === 0) return false;
    const token = takeToken(this.table, this.holder);
    if (token === -1) return false;
    const found = this.look(start + this.budget.current);
    returnToken(this.table, token);
    if (found) this.budget.found();
    else this.budget.missed();
    return found;
  }

  private look(end: number): boolean {
    do {
      for (let look = 0; look < this.looks; look++) {
        if (this.isThere()) return true;
        pause?.();
      }
    } while (now() < end);
    return false;
  }

  /** Milliseconds that it may then sleep in place, see `Patience`; 0: not at all. */
  get nap(): number {
    return this.budget === this.afterLongWork ? this.afterLongWork.nap : 0;
  }

  sleeps(): void {
    this.sleptAt = now();
  }

  woken(): void {
    this.idleAt = now();
    this.budget.slept(this.idleAt - this.sleptAt);
  }
}
