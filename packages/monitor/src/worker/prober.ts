import { bucketOf } from '../shared/buckets.js';
import type { Now } from '../shared/clock.js';
import type { Waits } from '../shared/memory.js';

/** A call that submits one pool job and calls back when it is done. */
export type Call = (done: () => void) => void;

/** A prober's clock, random numbers and jobs. */
export interface ProberParts {
  readonly waits: Waits;
  readonly now: Now;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly call: Call;
  /** How long this thread waited for a core since the last call: no part of the wait for a pool thread. */
  readonly coreWait: () => number;
  /** Each time this many more canaries are out, the rate of new ones halves. */
  readonly perHalving: number;
  /** Called for each canary that returns. */
  readonly onWait: (sentAt: number, wait: number) => void;
}

/**
 * Submits canaries, jobs without work, in an open loop: a prober that waits for its answer asks least often
 * when waits are longest. The number out is bounded without a bias: the more are out, the lower the chance
 * 2^-k that the next is submitted, and it then counts 2^k times (Horvitz and Thompson, 1952).
 */
export class Prober {
  readonly #parts: ProberParts;
  #out = 0;

  constructor(parts: ProberParts) {
    this.#parts = parts;
  }

  get out(): number {
    return this.#out;
  }

  /** One beat of the clock, which counts `stretch` times. */
  tick(stretch = 1): void {
    const { waits, now, random, call, coreWait, perHalving, onWait } = this.#parts;
    const halved = 2 ** Math.floor(this.#out / perHalving);
    if (random() * halved >= 1) return;
    const slot = waits.sentAt.indexOf(0);
    if (slot === -1) return;
    this.#out++;
    call(() => {
      const wait = Math.max(0, now() - sentAt - coreWait());
      waits.count(slot, bucketOf(wait));
      this.#out--;
      onWait(sentAt, wait);
    });
    // The job is in the queue now; the duration of the call is no part of its wait.
    const sentAt = now();
    waits.weights[slot] = halved * stretch;
    waits.sentAt[slot] = sentAt;
  }
}
