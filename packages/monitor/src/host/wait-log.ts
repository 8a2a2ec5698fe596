import { BUCKETS } from '../shared/buckets.js';
import type { Now } from '../shared/clock.js';
import type { Waits } from '../shared/memory.js';
import { addTo, type Unfinished } from './censored.js';

/** The waits of one class, over all Workers that a monitor has started. */
export class WaitLog {
  readonly #now: Now;
  /** From Workers that have stopped. */
  #past: Float64Array = new Float64Array(BUCKETS);
  #live: Waits | undefined;

  constructor(now: Now) {
    this.#now = now;
  }

  begin(waits: Waits): void {
    this.#live = waits;
  }

  /** The Worker stops: its canaries that are still out will never return, so each counts with its age. */
  end(): void {
    const { totals, unfinished } = this.snapshot();
    this.#past = totals;
    addTo(this.#past, unfinished);
    this.#live = undefined;
  }

  /** All canaries, each once: as returned or as out. */
  snapshot(): { totals: Float64Array; unfinished: Unfinished[] } {
    const read = () => ({ totals: this.totals(), unfinished: this.unfinished() });
    return this.#live?.atOnce(read) ?? read();
  }

  /** Returned canaries by wait bucket, since the monitor was created. */
  totals(): Float64Array {
    const live = this.#live?.counts;
    return this.#past.map((count, bucket) => count + (live?.[bucket] ?? 0));
  }

  /** Canaries that have not returned. */
  unfinished(): Unfinished[] {
    const now = this.#now();
    const found: Unfinished[] = [];
    this.#live?.eachOut((sentAt, weight) => found.push({ age: now - sentAt, weight }));
    return found;
  }
}
