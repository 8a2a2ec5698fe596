import type { Now } from '../shared/clock.js';
import type { Memory, PoolState } from '../shared/memory.js';
import { PoolMemory } from './pool-memory.js';
import { countByName } from './pool-names.js';

/** Where nothing tells whether the pool is in use, canaries go after so long. */
const BLIND_NS = 1e9;
/** The queue is walked for at most this part of the time: a long one takes milliseconds. */
const WALKING_SHARE = 1 / 500;
const COUNTING_NS = 1e9;

/** Looks at the pool itself whenever a canary is due, and says whether the pool is in use. */
export class PoolWatcher {
  readonly #memory = PoolMemory.open();
  readonly #shared: Memory;
  readonly #state: PoolState;
  readonly #now: Now;
  readonly #since: number;
  #nextWalk = 0;
  #nextCount = 0;

  constructor(shared: Memory, now: Now) {
    this.#shared = shared;
    this.#state = shared.pool;
    this.#now = now;
    this.#since = now();
  }

  /**
   * Takes a sample. The first job makes the pool, with the size that the environment has at that moment: that one must be the
   * application's, which may set `process.env.UV_THREADPOOL_SIZE` in its first lines.
   *
   * @returns whether canaries may go
   */
  look(): boolean {
    const time = this.#now();
    if (this.#memory === undefined) return this.#lookByName(time);
    const { size, busy } = this.#memory.counters();
    if (size === 0) return false;
    this.#state.sample(time, size, busy);
    if (time >= this.#nextWalk) this.#walk(this.#memory, time);
    return true;
  }

  #walk(memory: PoolMemory, time: number): void {
    this.#state.queued = Math.max(0, memory.queued() - this.#own());
    const end = this.#now();
    this.#nextWalk = end + (end - time) / WALKING_SHARE;
  }

  /** Canaries that are out. All but those that a thread runs or has just ended are in the queue. */
  #own(): number {
    let own = 0;
    for (const waits of [this.#shared.fast, this.#shared.slow])
      waits.eachOut(() => {
        own++;
      });
    return own;
  }

  /** The pool never grows, so it is counted until it is there. */
  #lookByName(time: number): boolean {
    if (this.#state.size > 0) return true;
    if (time >= this.#nextCount) {
      this.#nextCount = time + COUNTING_NS;
      this.#state.size = countByName() ?? Number.NaN;
    }
    return this.#state.size > 0 || time - this.#since > BLIND_NS;
  }
}
