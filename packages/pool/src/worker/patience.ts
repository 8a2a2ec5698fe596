/** So much of the time that a worker has worked it may then wait in place. */
const PART_OF_WORK = 0.02;
/**
 * It may spin for so many milliseconds at most: a host that will answer does so by then, and one that waits for this very
 * core (of a virtual machine, say) may come only after the spin.
 */
const LONGEST = 0.3;
/** And nap for so many after that, or instead. No longer, because its event loop waits meanwhile. */
const LONGEST_NAP = 1;
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
  /**
   * Milliseconds for which it may then sleep where a wake-up is soonest, which is not in the event loop. Unlike a spin this
   * leaves the core to the host, so it is never in vain.
   */
  nap = 0;
  private misses = 0;
  private shortSleeps = 0;

  /** Milliseconds; 0: sleep at once. */
  get current(): number {
    return this.misses < GIVE_UP ? this.limit : 0;
  }

  /** It has worked for so many milliseconds. Returns how many it may spin for that, if it has not given up. */
  worked(milliseconds: number): number {
    const part = milliseconds * PART_OF_WORK;
    this.limit = Math.min(LONGEST, part);
    this.nap = Math.min(LONGEST_NAP, part);
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
