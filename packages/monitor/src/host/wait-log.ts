import { BUCKETS } from '../shared/buckets.js';
import type { Now } from '../shared/clock.js';
import type { Waits } from '../shared/memory.js';
import { addTo, type Unfinished } from './censored.js';

/** The waits of one class over all Workers that a monitor has had. */
export class WaitLog {
  readonly #now: Now;
  /** Of Workers that are gone. */
  #past: Float64Array = new Float64Array(BUCKETS);
  #live: Waits | undefined;

  constructor(now: Now) {
    this.#now = now;
  }

  begin(waits: Waits): void {
    this.#live = waits;
  }

  /** The Worker is being stopped; nobody will hear of what is out any more, so it counts with its age. */
  end(): void {
    const unfinished = this.unfinished();
    this.#past = this.totals();
    addTo(this.#past, unfinished);
    this.#live = undefined;
  }

  /** Canaries that have returned, by the bucket of their wait, since the monitor was made. */
  totals(): Float64Array {
    const live = this.#live?.counts;
    return this.#past.map((count, bucket) => count + (live?.[bucket] ?? 0));
  }

  /** Those that are out. */
  unfinished(): Unfinished[] {
    const now = this.#now();
    const found: Unfinished[] = [];
    this.#live?.eachOut((sentAt, weight) => found.push({ age: now - sentAt, weight }));
    return found;
  }
}
