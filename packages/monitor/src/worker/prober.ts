import { bucketOf } from '../shared/buckets.js';
import type { Now } from '../shared/clock.js';
import type { Waits } from '../shared/memory.js';

/** A call that makes one job of the pool and calls back when it is done. */
export type Call = (done: () => void) => void;

/** Where a prober's time, chance and jobs come from. */
export interface ProberParts {
  readonly waits: Waits;
  readonly now: Now;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly call: Call;
  /** For how long this thread had no core since its last turn: that is no wait for a thread of the pool. */
  readonly coreWait: () => number;
  /** So many canaries that are out halve the rate at which further ones go. */
  readonly perHalving: number;
  /** Hears of every canary that has returned. */
  readonly onWait: (sentAt: number, wait: number) => void;
}

/**
 * Sends canaries of one class, jobs that cost nothing, in an open loop: a prober that waits for its answer asks least when the waits
 * are longest. The number of those out is bounded without a bias: the more are out the rarer the next one goes, by a throw of dice,
 * and what goes counts for those that did not (Horvitz and Thompson, 1952): weight 2^k with chance 2^-k.
 */
export class Prober {
  readonly #parts: ProberParts;
  #out = 0;

  constructor(parts: ProberParts) {
    this.#parts = parts;
  }

  /** Canaries that are out. */
  get out(): number {
    return this.#out;
  }

  /** One beat of the clock, which stands for so many. */
  tick(stretch = 1): void {
    const { waits, now, random, call, coreWait, perHalving, onWait } = this.#parts;
    const halved = 2 ** Math.floor(this.#out / perHalving);
    if (random() * halved >= 1) return;
    const weight = halved * stretch;
    const slot = waits.sentAt.indexOf(0);
    if (slot === -1) return;
    this.#out++;
    call(() => {
      const wait = Math.max(0, now() - sentAt - coreWait());
      const bucket = bucketOf(wait);
      waits.sentAt[slot] = 0;
      waits.counts[bucket] = (waits.counts[bucket] as number) + weight;
      this.#out--;
      onWait(sentAt, wait);
    });
    // The job is in the queue by now; what the call itself takes is no wait for a thread.
    const sentAt = now();
    waits.weights[slot] = weight;
    waits.sentAt[slot] = sentAt;
  }
}
