import { inspect } from 'node:util';
import type { Now } from '../shared/clock.js';
import type { PoolState } from '../shared/memory.js';

/**
 * The pool's state at the monitor's last sample. A property is `undefined` if this platform or this build of
 * Node does not provide it, if the monitor is disabled, or if nothing has used the pool yet.
 */
export interface ThreadPool {
  /** Pool threads, counted: the variable UV_THREADPOOL_SIZE proves nothing. Linux. */
  readonly size: number | undefined;
  /** Threads running a job, 0 to `size`. Linux, official builds of Node. */
  readonly busy: number | undefined;
  /** Waiting jobs, without the monitor's; counted up to 4,096. Linux, official builds of Node. */
  readonly queued: number | undefined;
  /** Busy threads divided by all, 0 to 1, averaged over ten seconds. Linux, official builds of Node. */
  readonly utilization: number | undefined;
}

export class ObservedPool implements ThreadPool {
  readonly #now: Now;
  /** Undefined while the monitor is disabled. */
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
