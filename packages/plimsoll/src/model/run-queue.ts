/** What the scheduler knows of every thread. Times in milliseconds, runtimes and deadlines virtual ones. */
export interface Threads {
  readonly runtime: Float64Array;
  readonly deadline: Float64Array;
  /** When it last had a core. */
  readonly lastRan: Float64Array;
}

const NOBODY = -1;
const EPSILON = 1e-7;

/** Threads that wait for one core, and its virtual time: the average runtime of those that can run on it. */
export class RunQueue {
  readonly #threads: Threads;
  readonly #waiting: number[] = [];
  #sum = 0;
  virtual = 0;

  constructor(threads: Threads) {
    this.#threads = threads;
  }

  get size(): number {
    return this.#waiting.length;
  }

  enqueue(thread: number): void {
    this.#waiting.push(thread);
    this.#sum += this.#threads.runtime[thread] as number;
  }

  dequeue(thread: number): void {
    const at = this.#waiting.indexOf(thread);
    // In order, because who waits longer goes first among equals.
    this.#waiting.splice(at, 1);
    this.#sum = this.#waiting.length === 0 ? 0 : this.#sum - (this.#threads.runtime[thread] as number);
  }

  /**
   * Bring the virtual time up to date.
   *
   * @param running runtime of the thread that has the core; `null` when nobody has it.
   * @returns how many threads can run.
   */
  update(running: number | null): number {
    const count = this.#waiting.length + (running === null ? 0 : 1);
    if (count > 0) this.virtual = (this.#sum + (running ?? 0)) / count;
    return count;
  }

  /** Of those who have had less than the average the one with the earliest deadline; there must be somebody. */
  pick(): number {
    const { runtime, deadline } = this.#threads;
    const limit = this.virtual + EPSILON;
    let best = NOBODY;
    let least = NOBODY;
    for (const thread of this.#waiting) {
      const own = runtime[thread] as number;
      if (least === NOBODY || own < (runtime[least] as number)) least = thread;
      if (own > limit) continue;
      if (best === NOBODY || (deadline[thread] as number) < (deadline[best] as number)) best = thread;
    }
    return best === NOBODY ? least : best;
  }

  /** Somebody who has not had a core since `before`, whose data no cache holds any more; -1 for nobody. */
  pickCold(before: number): number {
    const { lastRan } = this.#threads;
    return this.#waiting.find((thread) => (lastRan[thread] as number) <= before) ?? NOBODY;
  }
}
