import { PoolError, type WorkerError } from '../errors.js';
import { now } from '../shared/clock.js';
import type { Breaking } from './fault-options.js';

/** Keeps a pool whose workers cannot start from starting one after another. */
export class Breaker {
  /** Workers in a row that have ended before they were ready. */
  #failures = 0;
  /** No worker is started until then; 0: they are. */
  #until = 0;
  #last: WorkerError | undefined;
  readonly #options: Breaking;

  constructor(options: Breaking) {
    this.#options = options;
  }

  get isOpen(): boolean {
    if (this.#until === 0) return false;
    if (now() < this.#until) return true;
    // One is tried. When it fails as well, that is enough.
    this.#until = 0;
    this.#failures = this.#options.failures - 1;
    return false;
  }

  /** A worker is ready. */
  started(): void {
    this.#failures = 0;
    this.#until = 0;
  }

  /** A worker has ended before it was ready. */
  failed(error: WorkerError): void {
    this.#last = error;
    if (++this.#failures >= this.#options.failures) this.#until = now() + this.#options.pause;
  }

  /** Why no worker is started, if that is so. */
  refusal(): PoolError | undefined {
    if (!this.isOpen) return undefined;
    const what = `Workers have failed to start ${this.#failures} times in a row, so none is started for now`;
    const message = `${what}: ${this.#last?.message}`;
    return new PoolError('PLIMSOLL_POOL_CIRCUIT_OPEN', message, { cause: this.#last });
  }
}
