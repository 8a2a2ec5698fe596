import { AbortError, PoolError } from '../errors.js';
import { isInTime } from '../shared/timers.js';
import type { Crew } from './crew.js';
import type { Dispatch } from './dispatch.js';
import type { Guard } from './guard.js';
import type { Losses } from './losses.js';
import type { OpenStreams } from './open-streams.js';
import type { Staffing } from './staffing.js';
import type { PoolState } from './state.js';

/** What has to end when a pool does. */
export interface Parts {
  readonly state: PoolState;
  readonly crew: Crew;
  readonly staffing: Staffing;
  readonly dispatch: Dispatch;
  readonly losses: Losses;
  readonly guard: Guard;
  readonly streams: OpenStreams;
}

/** Milliseconds that a stopped thread has to end, however short `closeTimeout` is: a busy machine may need some tenths of a second. */
const LEAST_PATIENCE = 2000;

/** The end of a pool: of its tasks and streams, then of its workers. */
export class Ending {
  #onEmpty: (() => void) | undefined;
  #empty: Promise<void> | undefined;
  readonly #parts: Parts;
  readonly #onError: (error: unknown) => void;

  constructor(parts: Parts, onError: (error: unknown) => void) {
    this.#parts = parts;
    this.#onError = onError;
  }

  /** Takes nothing more, and waits for what was taken, `closeTimeout` at most. */
  async close(force: boolean): Promise<void> {
    const { staffing, guard, crew, state } = this.#parts;
    if (!staffing.closing) {
      staffing.closing = true;
      guard.close();
      if (force) this.#rejectWaiting();
    }
    if (!(await this.#emptied())) {
      this.#onError(closeTimeout('Close operation timed out'));
      return;
    }
    staffing.ended = true;
    await crew.retireAll(state.options.closeTimeout);
  }

  #rejectWaiting(): void {
    const { state, losses, streams, crew } = this.#parts;
    const reason = (): AbortError => new AbortError('pool is closed');
    streams.failAll(reason);
    state.backlog.reject(reason, state.ledger.waiting(crew.count));
    losses.reject(reason);
  }

  get #isEmpty(): boolean {
    return this.#parts.state.ledger.outstanding === 0 && this.#parts.streams.size === 0;
  }

  async #emptied(): Promise<boolean> {
    if (this.#isEmpty) return true;
    this.#empty ??= new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    return isInTime(this.#empty, this.#parts.state.options.closeTimeout);
  }

  /** The last task or the last stream has ended. */
  check(): void {
    if (this.#isEmpty) this.#onEmpty?.();
  }

  /** Ends everything at once. */
  async destroy(): Promise<void> {
    const { state, crew, staffing, dispatch, losses, guard, streams } = this.#parts;
    staffing.closing = true;
    staffing.ended = true;
    guard.close();
    const reason = (): PoolError => new PoolError('PLIMSOLL_POOL_CLOSED', 'Terminating worker thread');
    streams.failAll(reason);
    state.backlog.reject(reason);
    losses.reject(reason);
    dispatch.rejectRunning(reason);
    try {
      await crew.killAll(Math.max(state.options.closeTimeout, LEAST_PATIENCE));
    } catch (error) {
      this.#onError(closeTimeout((error as Error).message));
    }
  }
}

const closeTimeout = (message: string): PoolError => new PoolError('PLIMSOLL_POOL_CLOSE_TIMEOUT', message);
