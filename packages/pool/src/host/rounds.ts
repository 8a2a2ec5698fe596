import { now } from '../shared/clock.js';
import { wakeFor, wakeFurther } from '../shared/gate.js';
import { announce, anythingDone, queuedEntries } from '../shared/table.js';
import type { Crew } from './crew.js';
import type { Dispatch } from './dispatch.js';
import type { Pumped } from './pump.js';
import type { Recycler } from './recycler.js';
import type { PoolState } from './state.js';
import type { Timing } from './timing.js';

const DRAIN_AT_ONCE = 256;

/** What the pump does with the table and the workers, each time that it looks. */
export class Rounds implements Pumped {
  readonly #table: PoolState['table'];
  readonly #workers: PoolState['workers'];
  readonly #ledger: PoolState['ledger'];
  readonly #backlog: PoolState['backlog'];
  readonly #crew: Crew;
  readonly #dispatch: Dispatch;
  readonly #timing: Timing | undefined;
  readonly #recycler: Recycler | undefined;

  constructor(
    state: PoolState,
    crew: Crew,
    dispatch: Dispatch,
    timing: Timing | undefined,
    recycler: Recycler | undefined,
  ) {
    this.#recycler = recycler;
    this.#table = state.table;
    this.#workers = state.workers;
    this.#ledger = state.ledger;
    this.#backlog = state.backlog;
    this.#crew = crew;
    this.#dispatch = dispatch;
    this.#timing = timing;
  }

  get outstanding(): number {
    return this.#ledger.outstanding;
  }

  get hasSpareCore(): boolean {
    return this.#crew.hasSpareCore;
  }

  get queued(): number {
    return queuedEntries(this.#table);
  }

  turn(): number {
    this.#timing?.atTime(now());
    let ended = 0;
    for (const worker of this.#workers) ended += this.#dispatch.drain(worker, DRAIN_AT_ONCE);
    if (this.#backlog.queue.size > 0) this.#dispatch.refill();
    if (this.#backlog.lanes.size > 0) this.#dispatch.refillMailboxes();
    this.#recycler?.look();
    return ended;
  }

  anythingDone(): boolean {
    for (const worker of this.#workers) if (anythingDone(this.#table, worker.index)) return true;
    return false;
  }

  wakeIfAllSleep(): void {
    announce(this.#table);
    if (!this.#crew.isAnyAwake) this.wakeWorkers();
  }

  wakeWorkers(): void {
    announce(this.#table);
    wakeFor(this.#table, this.queued, this.#workers);
  }

  wakeFurther(): void {
    wakeFurther(this.queued, this.#workers);
  }
}
