/** How often the kernel refills a quota (scheduler/sched-bwc.rst: 100 ms unless somebody says otherwise). */
export const QUOTA_PERIOD_MS = 100;

const EPSILON = 1e-7;

/** The CPU time that a control group may use in each period: when it is used up, all of its threads stop until the next. */
export class Quota {
  readonly #perPeriod: number;
  #left: number;
  #accounted = 0;
  #period = 0;
  throttled = false;

  /** @param cores what the quota comes to; `null` for none. */
  constructor(cores: number | null) {
    this.#perPeriod = cores === null ? Number.POSITIVE_INFINITY : cores * QUOTA_PERIOD_MS;
    this.#left = this.#perPeriod;
  }

  get isUnlimited(): boolean {
    return this.#perPeriod === Number.POSITIVE_INFINITY;
  }

  get periodEnd(): number {
    return (this.#period + 1) * QUOTA_PERIOD_MS;
  }

  get isUsedUp(): boolean {
    return this.#left <= EPSILON;
  }

  /** When it is used up if `busy` cores go on. */
  usedUpAt(busy: number): number {
    return this.#accounted + this.#left / busy;
  }

  /** Book what `busy` cores have used since the last time. */
  account(now: number, busy: number): void {
    if (this.isUnlimited) return;
    this.#left -= busy * Math.max(0, now - this.#accounted);
    this.#accounted = now;
  }

  /** @returns whether a new period has begun. */
  refill(now: number): boolean {
    const period = Math.floor((now + EPSILON) / QUOTA_PERIOD_MS);
    if (period <= this.#period) return false;
    this.#period = period;
    this.#left = this.#perPeriod;
    return true;
  }
}
