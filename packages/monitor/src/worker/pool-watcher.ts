import type { Now } from '../shared/clock.js';
import type { PoolState } from '../shared/memory.js';
import { PoolMemory } from './pool-memory.js';
import { countByName } from './tasks.js';

/** Where nothing tells whether the pool is in use, canaries go after so long. */
const BLIND_NS = 1e9;
/** The queue is walked for at most this part of the time: a long one takes milliseconds. */
const WALKING_SHARE = 1 / 500;
const COUNTING_NS = 1e9;
/** In a pool that is used at all so many looks in a row see no job by chance hardly ever. */
const QUIET_LOOKS = 20;

/** Looks at the pool itself whenever a canary is due, and says whether the pool is in use. */
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
   * Takes a sample, which stands for `weight` of them. The first job makes the pool, with the size that the environment has then: it
   * must be the application's, which may set `process.env.UV_THREADPOOL_SIZE` in its first lines.
   *
   * @param canaries that are out; all but those that a thread runs or has just ended are in the queue
   * @returns whether canaries may go
   */
  look(canaries: number, weight: number): boolean {
    const time = this.#now();
    if (this.#memory === undefined) return this.#lookByName(time);
    const { size, busy } = this.#memory.counters();
    this.#quietLooks = busy === 0 ? this.#quietLooks + 1 : 0;
    if (size === 0) return false;
    this.#state.sample(time, size, busy, weight);
    // While every thread has time nothing waits.
    if (busy === 0) this.#state.queued = 0;
    else if (time >= this.#nextWalk) {
      this.#state.queued = Math.max(0, this.#memory.queued() - canaries);
      const end = this.#now();
      this.#nextWalk = end + (end - time) / WALKING_SHARE;
    }
    return true;
  }

  /** Whether no thread had a job for a while. */
  get isQuiet(): boolean {
    return this.#quietLooks >= QUIET_LOOKS;
  }

  /** Where libuv's variables cannot be read the pool gets no further threads, so it is counted until it is there. */
  #lookByName(time: number): boolean {
    if (this.#state.size > 0) return true;
    if (time >= this.#nextCount) {
      this.#nextCount = time + COUNTING_NS;
      this.#state.size = countByName() ?? Number.NaN;
    }
    return this.#state.size > 0 || time - this.#since > BLIND_NS;
  }
}
