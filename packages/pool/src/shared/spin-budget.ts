/** Milliseconds. A wake-up costs 10 to 60 microseconds; a spin of up to a few of them may pay. */
const LONGEST = 0.2;
const SHORTEST = 0.006;
/** A sleep shorter than this could have been a spin. */
const SHORT_SLEEP = 0.3;
/** After so many short sleeps, one spin finds out whether spinning pays by now. */
const TRY_EVERY = 32;

/**
 * How long a side looks for work before it sleeps. What happened decides: a spin that found something doubles the
 * budget, one that did not halves it, down to none at all. That sleeps are short does not mean that spinning pays:
 * where the other side has to wait for this core, it never does. So short sleeps only earn a trial now and then.
 */
export class SpinBudget {
  /** Milliseconds; 0: sleep at once. */
  current = LONGEST;
  #shortSleeps = 0;

  hit(): void {
    this.current = Math.min(LONGEST, this.current * 2);
  }

  missed(): void {
    this.current = this.current > SHORTEST ? this.current / 2 : 0;
  }

  slept(milliseconds: number): void {
    if (milliseconds > SHORT_SLEEP || this.current > 0) return;
    if (++this.#shortSleeps % TRY_EVERY === 0) this.current = LONGEST / 4;
  }
}
