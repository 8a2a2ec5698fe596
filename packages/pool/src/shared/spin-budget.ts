/** Milliseconds. A wake-up takes 10 to 60 microseconds, so spinning for a few times as long may pay. */
const LONGEST = 0.2;
const SHORTEST = 0.006;
/** Milliseconds. During a shorter sleep, spinning might have paid. */
const SHORT_SLEEP = 0.3;
/** Short sleeps after which one spin tries whether spinning pays now. */
const TRY_EVERY = 32;

/**
 * How long a side spins before it sleeps: doubled by a spin that finds something, halved by any other. Short sleeps
 * only lead to a trial now and then, because spinning never pays if the other side waits for this core.
 */
export class SpinBudget {
  /** Milliseconds; 0: do not spin. */
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
