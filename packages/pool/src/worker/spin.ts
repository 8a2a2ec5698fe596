import { returnToken, takeToken } from '../shared/gate.js';
import { anythingQueued, type Table } from '../shared/table.js';

/** Milliseconds. A wake-up costs 10 to 60 microseconds, so spinning for about as long cannot lose much. */
const LONGEST = 0.2;
const SHORTEST = 0.006;
/** A worker that slept for less than this would have done better to spin. */
const WORTH_IT = 0.3;
const LOOKS = 32;

const pause = (Atomics as { pause?: () => void }).pause;

/**
 * How long a worker looks at the queue before it sleeps. The budget follows what happened: full when tasks follow
 * one another closely, halved each time that nothing came, nothing at all after a few idle times.
 */
export class Spinner {
  private budget = LONGEST;
  private sleptAt = Number.NEGATIVE_INFINITY;
  private readonly table: Table;
  private readonly worker: number;

  constructor(table: Table, worker: number) {
    this.table = table;
    this.worker = worker;
  }

  /** True when something was queued meanwhile. */
  spin(): boolean {
    if (this.budget === 0) return false;
    const token = takeToken(this.table, this.worker);
    if (token === -1) return false;
    const found = this.look();
    returnToken(this.table, token);
    if (found) this.budget = LONGEST;
    else this.budget = this.budget > SHORTEST ? this.budget / 2 : 0;
    return found;
  }

  private look(): boolean {
    const end = performance.now() + this.budget;
    do {
      for (let look = 0; look < LOOKS; look++) {
        if (anythingQueued(this.table, this.worker)) return true;
        pause?.();
      }
    } while (performance.now() < end);
    return false;
  }

  sleeps(): void {
    this.sleptAt = performance.now();
  }

  woken(): void {
    if (performance.now() - this.sleptAt < WORTH_IT) this.budget = LONGEST;
  }
}
