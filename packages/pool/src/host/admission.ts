import { PoolError } from '../errors.js';
import type { Guard } from './guard.js';
import type { PoolState } from './state.js';

/** Decides whether a task is taken. */
export class Admission {
  /** So many were not. */
  refused = 0;
  readonly #state: PoolState;
  readonly #guard: Guard;

  constructor(state: PoolState, guard: Guard) {
    this.#state = state;
    this.#guard = guard;
  }

  /** Why a task is refused, if it is. @param handler -1: there is no file */
  refusal(handler: number, abortable: 0 | 1): Error | undefined {
    const refusal = this.#refusal(handler, abortable);
    if (refusal !== undefined) this.refused++;
    return refusal;
  }

  #refusal(handler: number, abortable: 0 | 1): Error | undefined {
    const { options, handlers, workers, ledger } = this.#state;
    if (this.#guard.isUp) {
      const refusal = this.#guard.refusal(handlers.all[handler], workers.length > 0);
      if (refusal !== undefined) return refusal;
    }
    if (handler === -1) {
      const message = 'filename must be provided to run() or in options object';
      return new PoolError('PLIMSOLL_POOL_NO_FILENAME', message);
    }
    const { maxThreads, maxQueue } = options;
    if (maxQueue === Number.POSITIVE_INFINITY) return undefined;
    if (ledger.waiting(maxThreads, 1 - abortable, abortable) <= maxQueue) return undefined;
    const message =
      maxQueue === 0 ? 'No task queue available and all Workers are busy' : 'Task queue is at limit';
    return new PoolError('PLIMSOLL_POOL_QUEUE_FULL', message);
  }
}
