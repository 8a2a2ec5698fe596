/** What was so long ago counts half. */
const HALF_LIFE_MS = 32;

/** How busy the cores have recently been: the decaying average that Linux keeps (PELT). */
export class RecentLoad {
  /** From 0 to 1. */
  share = 0;
  #at = 0;

  /** Count the time until now, in which `busy` of the cores, a share, were busy. */
  account(now: number, busy: number): void {
    if (now <= this.#at) return;
    const kept = 2 ** ((this.#at - now) / HALF_LIFE_MS);
    this.share = this.share * kept + busy * (1 - kept);
    this.#at = now;
  }
}
