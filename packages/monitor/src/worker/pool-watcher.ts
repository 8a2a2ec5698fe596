import type { Now } from '../shared/clock.js';
import type { PoolState } from '../shared/memory.js';
import { PoolMemory } from './pool-memory.js';
import { countByName } from './tasks.js';

/** If the pool's use cannot be known, canaries start after this time. */
const BLIND_NS = 1e9;
/** Walking the queue takes at most this share of the time: a long queue takes milliseconds. */
const WALKING_SHARE = 1 / 500;
const COUNTING_NS = 1e9;
/** In a pool in use, this many looks in a row hardly ever miss all jobs. */
const QUIET_LOOKS = 20;

/** Samples the pool whenever a canary is due, and reports whether the pool is in use. */
export class PoolWatcher {
  readonly #memory = PoolMemory.open();
  readonly #state: PoolState;
  readonly #now: Now;
  readonly #since: number;
  #nextWalk = 0;
  #nextCount = 0;
  #quietLooks = 0;

  constructor(state: PoolState, now: Now) {
    this.#state = state;
    this.#now = now;
    this.#since = now();
  }

  /**
   * Takes a sample, which counts `weight` times. The first job creates the pool, with the size in the
   * environment at that moment, so it must be the application's: its first lines may set
   * `process.env.UV_THREADPOOL_SIZE`.
   *
   * @param canaries that are out, nearly all of them in the queue
   * @returns whether canaries may be submitted
   */
  look(canaries: number, weight: number): boolean {
    const time = this.#now();
    if (this.#memory === undefined) return this.#lookByName(time);
    const { size, busy } = this.#memory.counters();
    this.#quietLooks = busy === 0 ? this.#quietLooks + 1 : 0;
    if (size === 0) return false;
    this.#state.sample(time, size, busy, weight);
    // While all threads are idle, no job waits.
    if (busy === 0) this.#state.queued = 0;
    else if (time >= this.#nextWalk) {
      this.#state.queued = Math.max(0, this.#memory.queued() - canaries);
      const end = this.#now();
      this.#nextWalk = end + (end - time) / WALKING_SHARE;
    }
    return true;
  }

  /** Whether no thread has had a job for a while. */
  get isQuiet(): boolean {
    return this.#quietLooks >= QUIET_LOOKS;
  }

  /** Counts threads until there are any: if libuv's variables cannot be read, the size never changes. */
  #lookByName(time: number): boolean {
    if (this.#state.size > 0) return true;
    if (time >= this.#nextCount) {
      this.#nextCount = time + COUNTING_NS;
      this.#state.size = countByName() ?? Number.NaN;
    }
    return this.#state.size > 0 || time - this.#since > BLIND_NS;
  }
}
