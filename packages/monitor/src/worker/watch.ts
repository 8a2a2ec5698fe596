import type { Now } from '../shared/clock.js';
import type { Waits } from '../shared/memory.js';
import type { WatchNews, WatchOptions } from '../shared/messages.js';

/**
 * Reports when the pool has been saturated for `period`: no canary submitted in that time waited for less
 * than `wait`. The shortest wait decides, as in CoDel (Nichols and Jacobson, 2012): a burst makes some jobs
 * wait long, but only a queue that never empties makes all of them wait.
 */
export class Watch {
  readonly #options: WatchOptions;
  readonly #post: (news: WatchNews) => void;
  /** When the first canary of the current run of long waits was submitted. */
  #slowSince: number | undefined;
  /** When the last canary with a short wait was submitted. */
  #fineAt = 0;
  #saturated = false;

  constructor(options: WatchOptions, post: (news: WatchNews) => void) {
    this.#options = options;
    this.#post = post;
  }

  returned(sentAt: number, wait: number, now: number): void {
    if (wait > this.#options.wait) this.#slow(sentAt, wait, now);
    else this.#fine(sentAt, wait);
  }

  isOut(sentAt: number, now: number): void {
    if (now - sentAt > this.#options.wait) this.#slow(sentAt, now - sentAt, now);
  }

  #slow(sentAt: number, wait: number, now: number): void {
    if (sentAt <= this.#fineAt) return;
    this.#slowSince = Math.min(this.#slowSince ?? sentAt, sentAt);
    if (now - this.#slowSince >= this.#options.period) this.#report(true, wait);
  }

  #fine(sentAt: number, wait: number): void {
    this.#fineAt = Math.max(this.#fineAt, sentAt);
    if (this.#slowSince !== undefined && sentAt < this.#slowSince) return;
    this.#slowSince = undefined;
    this.#report(false, wait);
  }

  #report(saturated: boolean, wait: number): void {
    if (this.#saturated === saturated) return;
    this.#saturated = saturated;
    this.#post({ id: this.#options.id, saturated, wait });
  }
}

/** Passes the oldest canary that is out to all watches. */
export function lookAtOldest(watches: ReadonlyMap<number, Watch>, waits: Waits, now: Now): void {
  if (watches.size === 0) return;
  let oldest = Number.POSITIVE_INFINITY;
  waits.eachOut((sentAt) => {
    oldest = Math.min(oldest, sentAt);
  });
  const time = now();
  for (const watch of watches.values()) watch.isOut(oldest, time);
}
