import { PoolError, type WorkerError } from '../errors.js';
import { Breaker } from './breaker.js';
import type { Breaking, Quarantining } from './fault-options.js';
import { type FunctionName, Quarantine } from './quarantine.js';

/** Knows which tasks are refused for now, and whether workers may be started. */
export class Guard {
  /** There may be something to refuse. All that a task is asked about while all is well. */
  isUp = false;
  #isClosed = false;
  readonly #breaker: Breaker;
  readonly #quarantine: Quarantine | undefined;

  constructor(breaking: Breaking, quarantining: Quarantining | undefined) {
    this.#breaker = new Breaker(breaking);
    this.#quarantine = quarantining && new Quarantine(quarantining);
  }

  /** No task is taken any more. */
  close(): void {
    this.#isClosed = true;
    this.isUp = true;
  }

  /**
   * Why a task is refused, if it is.
   * @param handler undefined: it has no file
   * @param hasWorkers Is there anybody to run it?
   */
  refusal(handler: FunctionName | undefined, hasWorkers: boolean): Error | undefined {
    if (this.#isClosed) return new PoolError('PLIMSOLL_POOL_CLOSED', 'The pool is closing or closed');
    const broken = hasWorkers ? undefined : this.#breaker.refusal();
    const refusal = broken ?? (handler && this.quarantined(handler));
    if (refusal === undefined) this.isUp = this.#breaker.isOpen || this.#quarantine?.isAny === true;
    return refusal;
  }

  /** May a worker be started? */
  get maySpawn(): boolean {
    return !this.#breaker.isOpen;
  }

  /** A worker is ready. */
  started(): void {
    this.#breaker.started();
  }

  /** A worker has ended before it was ready. */
  failed(error: WorkerError): void {
    this.#breaker.failed(error);
    if (this.#breaker.isOpen) this.isUp = true;
  }

  /** A worker has ended while it ran a function. True: that is in quarantine from now on. */
  died(handler: FunctionName, error: WorkerError): boolean {
    const isFull = this.#quarantine?.died(handler, error) === true;
    if (isFull) this.isUp = true;
    return isFull;
  }

  /** Why the tasks of a function are rejected, if they are. */
  quarantined(handler: FunctionName): WorkerError | undefined {
    return this.#quarantine?.refusal(handler);
  }
}
