import { inspect } from 'node:util';
import type { Now } from '../shared/clock.js';
import type { PoolState } from '../shared/memory.js';

/**
 * What the pool itself looks like, as the monitor last saw it. `undefined`: this platform, or this build of Node, does not tell;
 * or the monitor is not enabled; or nothing has used the pool yet.
 */
export interface ThreadPool {
  /** Threads of the pool, counted: the variable UV_THREADPOOL_SIZE is no proof. Linux. */
  readonly size: number | undefined;
  /** Threads that run a job, 0 to `size`. Linux, official builds of Node. */
  readonly busy: number | undefined;
  /** Jobs that wait for a thread, the monitor's own left out; counted up to 4,096. Linux, official builds of Node. */
  readonly queued: number | undefined;
  /** Busy threads divided by all, 0 to 1, on average over the last ten seconds. Linux, official builds of Node. */
  readonly utilization: number | undefined;
}

export class ObservedPool implements ThreadPool {
  readonly #now: Now;
  /** Undefined while the monitor is not enabled. */
  state: PoolState | undefined;

  constructor(now: Now) {
    this.#now = now;
  }

  get size(): number | undefined {
    return known(this.state?.size);
  }

  get busy(): number | undefined {
    return known(this.state?.busy);
  }

  get queued(): number | undefined {
    return known(this.state?.queued);
  }

  get utilization(): number | undefined {
    return known(this.state?.utilization(this.#now()));
  }

  toJSON(): ThreadPool {
    const { size, busy, queued, utilization } = this;
    return { size, busy, queued, utilization };
  }

  [inspect.custom](): ThreadPool {
    return this.toJSON();
  }
}

const known = (value: number | undefined): number | undefined => (Number.isNaN(value) ? undefined : value);
