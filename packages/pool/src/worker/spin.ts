import { SpinBudget } from '../shared/budget.js';
import { now } from '../shared/clock.js';
import { returnToken, takeToken } from '../shared/gate.js';
import { anythingQueued, type Table } from '../shared/table.js';

const LOOKS = 32;

const pause = (Atomics as { pause?: () => void }).pause;

/** Lets a worker look at the queue for a while before it sleeps, if there is a core to spare for it. */
export class Spinner {
  private readonly budget = new SpinBudget();
  private sleptAt = Number.NEGATIVE_INFINITY;
  private readonly table: Table;
  private readonly worker: number;

  constructor(table: Table, worker: number) {
    this.table = table;
    this.worker = worker;
  }

  /** True when something was queued meanwhile. */
  spin(): boolean {
    if (this.budget.current === 0) return false;
    const token = takeToken(this.table, this.worker);
    if (token === -1) return false;
    const found = this.look();
    returnToken(this.table, token);
    if (found) this.budget.found();
    else this.budget.missed();
    return found;
  }

  private look(): boolean {
    const end = now() + this.budget.current;
    do {
      for (let look = 0; look < LOOKS; look++) {
        if (anythingQueued(this.table, this.worker)) return true;
        pause?.();
      }
    } while (now() < end);
    return false;
  }

  sleeps(): void {
    this.sleptAt = now();
  }

  woken(): void {
    this.budget.slept(now() - this.sleptAt);
  }
}
