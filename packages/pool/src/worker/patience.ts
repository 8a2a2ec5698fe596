/**
 * So much of the time that a worker has worked it may then spin, but at most so many milliseconds: a host that will
 * answer does so by then, and one that waits for this very core (of a virtual machine, say) comes only after the spin.
 */
const PART_OF_WORK = 0.02;
const LONGEST = 0.3;
/** After so many spins in vain it gives up. */
const GIVE_UP = 3;
/** A sleep of up to so many times the limit could have been a spin; so many of them are worth another trial. */
const SHORT_SLEEP = 2;
const TRY_EVERY = 4;

/**
 * How long a worker looks for work after a long task. The core of the host has fallen asleep by then, so that its answer
 * takes some tenths of a millisecond: far more than a `SpinBudget` allows, but little beside the work that was done. A
 * part of that time would always be too short, so it is all or nothing.
 */
export class Patience {
  private limit = 0;
  private misses = 0;
  private shortSleeps = 0;

  /** Milliseconds; 0: sleep at once. */
  get current(): number {
    return this.misses < GIVE_UP ? this.limit : 0;
  }

  /** It has worked for so many milliseconds. Returns how many it may spin for that, if it has not given up. */
  worked(milliseconds: number): number {
    this.limit = Math.min(LONGEST, milliseconds * PART_OF_WORK);
    return this.limit;
  }

  found(): void {
    this.misses = 0;
  }

  missed(): void {
    this.misses++;
  }

  slept(milliseconds: number): void {
    if (this.misses < GIVE_UP || milliseconds > SHORT_SLEEP * this.limit) return;
    if (++this.shortSleeps % TRY_EVERY === 0) this.misses = GIVE_UP - 1;
  }
}
