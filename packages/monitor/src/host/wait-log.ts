import { BUCKETS, bucketOf } from '../shared/buckets.js';
import type { Now } from '../shared/clock.js';
import type { Waits } from '../shared/memory.js';
import type { Unfinished } from './censored.js';

/** The waits of one class over all Workers that a monitor has had. */
export class WaitLog {
  readonly #now: Now;
  /** Of Workers that are gone. */
  readonly #past = new Float64Array(BUCKETS);
  #live: Waits | undefined;

  constructor(now: Now) {
    this.#now = now;
  }

  begin(waits: Waits): void {
    this.#live = waits;
  }

  /** The Worker is being stopped; nobody will hear of what is out any more, so it counts with its age. */
  end(): void {
    const waits = this.#live;
    if (waits === undefined) return;
    const past = this.#past;
    for (const { age, weight } of this.unfinished()) {
      const bucket = bucketOf(age);
      past[bucket] = (past[bucket] as number) + weight;
    }
    this.#live = undefined;
    addTo(past, waits.counts);
  }

  /** Canaries that have returned, by the bucket of their wait, since the monitor was made. */
  totals(): Float64Array {
    const totals = this.#past.slice();
    if (this.#live !== undefined) addTo(totals, this.#live.counts);
    return totals;
  }

  /** Those that are out. */
  unfinished(): Unfinished[] {
    const now = this.#now();
    const found: Unfinished[] = [];
    this.#live?.eachOut((sentAt, weight) => found.push({ age: now - sentAt, weight }));
    return found;
  }
}

function addTo(sum: Float64Array, counts: Float64Array): void {
  for (let bucket = 0; bucket < BUCKETS; bucket++)
    sum[bucket] = (sum[bucket] as number) + (counts[bucket] as number);
}
