import type { Now } from '../shared/clock.js';
import type { Waits } from '../shared/memory.js';
import type { WatchNews, WatchOptions } from '../shared/messages.js';

/**
 * Says when the pool has been saturated for a while: no canary that was sent within `period` waited for less than `wait`.
 * It is the shortest wait that counts, as in CoDel (Nichols and Jacobson, 2012): a burst lets some jobs wait long, but only a
 * queue that never empties lets all of them wait.
 */
export class Watch {
  readonly #options: WatchOptions;
  readonly #post: (news: WatchNews) => void;
  /** When the first canary of an unbroken row of slow ones was sent. */
  #slowSince: number | undefined;
  /** When the last canary was sent that did not wait long. */
  #fineAt = 0;
  #saturated = false;

  constructor(options: WatchOptions, post: (news: WatchNews) => void) {
    this.#options = options;
    this.#post = post;
  }

  /** A canary has returned. */
  returned(sentAt: number, wait: number, now: number): void {
    if (wait > this.#options.wait) this.#slow(sentAt, wait, now);
    else this.#fine(sentAt, wait);
  }

  /** A canary has been out for so long. */
  isOut(sentAt: number, now: number): void {
    if (now - sentAt > this.#options.wait) this.#slow(sentAt, now - sentAt, now);
  }

  #slow(sentAt: number, wait: number, now: number): void {
    if (sentAt <= this.#fineAt) return;
    this.#slowSince = Math.min(this.#slowSince ?? sentAt, sentAt);
    if (now - this.#slowSince >= this.#options.period) this.#tell(true, wait);
  }

  #fine(sentAt: number, wait: number): void {
    this.#fineAt = Math.max(this.#fineAt, sentAt);
    if (this.#slowSince !== undefined && sentAt < this.#slowSince) return;
    this.#slowSince = undefined;
    this.#tell(false, wait);
  }

  #tell(saturated: boolean, wait: number): void {
    if (this.#saturated === saturated) return;
    this.#saturated = saturated;
    this.#post({ id: this.#options.id, saturated, wait });
  }
}

/** Shows them the oldest canary that is out. */
export function lookAtOldest(watches: ReadonlyMap<number, Watch>, waits: Waits, now: Now): void {
  if (watches.size === 0) return;
  let oldest = Number.POSITIVE_INFINITY;
  waits.eachOut((sentAt) => {
    oldest = Math.min(oldest, sentAt);
  });
  const time = now();
  for (const watch of watches.values()) watch.isOut(oldest, time);
}
