import { restore } from '../shared/error-record.js';
import { FLAGS } from '../shared/layout.js';
import { FAILED } from '../shared/messages.js';
import { drainOne, PULL, publish, publishTo, queuedEntries, slotAt, sweep } from '../shared/table.js';
import { unreadable } from '../shared/uncloneable.js';
import type { Results } from './results.js';
import type { PoolState } from './state.js';
import { LOOSE, PUBLISHED, SETTLED, type Task, WAITING } from './task.js';
import type { WorkerHandle } from './worker-handle.js';

/** Chooses the worker of the next task, or none for now. */
export type Choose = (task: Task) => WorkerHandle | undefined;

/** What became of a task that was to be placed. */
const NO_ROOM = 0;
const SMALL = 1;
const LARGE = 2;
type Placed = typeof NO_ROOM | typeof SMALL | typeof LARGE;

/** Asked where the compiler takes the state for known. */
const isSettled = (task: Task): boolean => task.state === SETTLED;

/** Moves tasks into the table and their outcomes out of it. */
export class Dispatch {
  // Fields of its own, because every task goes through here.
  readonly #table: PoolState['table'];
  readonly #workers: PoolState['workers'];
  readonly #ledger: PoolState['ledger'];
  readonly #slots: PoolState['slots'];
  readonly #inputs: PoolState['inputs'];
  readonly #backlog: PoolState['backlog'];
  readonly #concurrency: number;
  readonly #results: Results;
  /** undefined: whoever is free claims the task. */
  readonly #choose: Choose | undefined;
  readonly #isStreaming: () => boolean;
  /** Slots may belong to tasks that never got into the table. */
  #hasStrays = false;
  /** How many tasks had ended when the next one was refused a worker: until another ends, the answer would be the same. */
  #refusedAt = -1;

  /** @param isStreaming Do tasks come one after another without a pause? */
  constructor(state: PoolState, choose: Choose | undefined, isStreaming: () => boolean) {
    this.#table = state.table;
    this.#workers = state.workers;
    this.#ledger = state.ledger;
    this.#slots = state.slots;
    this.#inputs = state.inputs;
    this.#backlog = state.backlog;
    this.#concurrency = state.options.concurrentTasksPerWorker;
    this.#results = state.results;
    this.#choose = choose;
    this.#isStreaming = isStreaming;
  }

  /** False when it was published and is large: it took so long to write that no worker should wait for a further one. */
  submit(task: Task): boolean {
    const ledger = this.#ledger;
    const backlog = this.#backlog;
    const { abortable } = task;
    ledger.outstanding++;
    if (abortable) ledger.abortable++;
    try {
      const placed = backlog.queue.size > 0 || !this.#hasRoom() ? NO_ROOM : this.#place(task);
      if (placed === NO_ROOM) this.#enqueue(task);
      return placed !== LARGE;
    } catch (error) {
      // The end of the stack: nothing can be called here, not even what gives the slot back.
      this.#hasStrays = true;
      if (task.state !== SETTLED) {
        task.state = SETTLED;
        ledger.outstanding--;
        if (abortable) ledger.abortable--;
      }
      throw error;
    }
  }

  /** The same for a task that is for one worker alone. */
  submitPinned(task: Task): void {
    const ledger = this.#ledger;
    ledger.outstanding++;
    if (task.abortable) ledger.abortable++;
    this.#backlog.lanes.push(task);
    this.refillMailboxes();
  }

  /** Moves tasks that wait for one worker alone into its mailbox, as far as they fit. */
  refillMailboxes(): void {
    this.#backlog.lanes.place(
      (worker) => this.#slots.isAnyFree && worker.hasMailRoom,
      (worker, task) => {
        task.state = LOOSE;
        return this.#place(task, worker) !== NO_ROOM;
      },
    );
  }

  #enqueue(task: Task): void {
    try {
      this.#backlog.queue.push(task);
      task.state = WAITING;
    } catch (error) {
      // A queue of the user's may throw; run() may not.
      this.#ledger.settle(task, error, true);
    }
  }

  /** The workers are no longer those among which none was chosen for the next task. */
  reconsider(): void {
    this.#refusedAt = -1;
  }

  /** Moves waiting tasks into the table as far as they fit. */
  refill(): void {
    const ledger = this.#ledger;
    const backlog = this.#backlog;
    if (this.#refusedAt === ledger.completed) return;
    while (backlog.queue.size > 0 && this.#hasRoom()) {
      const task = backlog.queue.shift();
      if (task === undefined) return;
      task.state = LOOSE;
      if (this.#place(task) === NO_ROOM) {
        backlog.putBack(task);
        return;
      }
    }
  }

  #hasRoom(): boolean {
    if (!this.#slots.isAnyFree) return false;
    return !this.#backlog.ordered || this.#slots.inUse < this.#readyCapacity();
  }

  #readyCapacity(): number {
    let capacity = 0;
    for (const worker of this.#workers)
      if (worker.ready && !worker.leaving && !worker.retiring) capacity += this.#concurrency;
    return capacity;
  }

  /** Writes a task into the table and publishes it, unless that settles it. */
  #place(task: Task, pinnedTo?: WorkerHandle): Placed {
    const ledger = this.#ledger;
    const slots = this.#slots;
    let chosen = pinnedTo;
    if (chosen === undefined && this.#choose !== undefined) {
      try {
        chosen = this.#choose(task);
      } catch (error) {
        ledger.settle(task, error, true);
        return SMALL;
      }
      if (chosen === undefined) this.#refusedAt = ledger.completed;
      if (chosen === undefined || !chosen.hasMailRoom) return NO_ROOM;
    }
    const slot = slots.take(task);
    let isSmall: boolean;
    try {
      isSmall = this.#inputs.write(task, slot);
    } catch (error) {
      slots.giveBack(slot);
      ledger.settle(task, error, true);
      return SMALL;
    }
    if (isSettled(task)) {
      // By a getter of its value.
      slots.giveBack(slot);
      return SMALL;
    }
    task.state = PUBLISHED;
    if (chosen === undefined ? this.#publish(task, slot) : this.#publishTo(chosen, task, slot))
      return isSmall ? SMALL : LARGE;
    slots.giveBack(slot);
    task.state = LOOSE;
    return NO_ROOM;
  }

  #publish(task: Task, slot: number): boolean {
    const taker = this.#inputs.isOwed(slot) ? this.#taker(task) : undefined;
    if (taker !== undefined) return this.#publishTo(taker, task, slot);
    // Full of entries of retracted slots behind one that no worker has claimed: then every worker is busy.
    return publish(this.#table, slot);
  }

  #publishTo(worker: WorkerHandle, task: Task, slot: number): boolean {
    if (!this.#sendPayload(worker, task)) {
      this.#slots.giveBack(slot);
      return true;
    }
    if (!publishTo(this.#table, worker.index, slot)) return false;
    worker.hasAbortableMail = task.abortable;
    worker.wake();
    return true;
  }

  /**
   * A worker that takes a task as soon as it gets it, or as soon as it has started when none is ready: what is handed
   * over with the task must not wait for the host's event loop, which the caller may block until the task has begun.
   * In a stream of tasks nobody is woken for one while another worker is awake, see `Pump`.
   */
  #taker(task: Task): WorkerHandle | undefined {
    if (queuedEntries(this.#table) > 0) return undefined;
    const workers = this.#workers.filter((worker) => !worker.leaving && !worker.retiring);
    const ready = workers.filter((worker) => worker.ready);
    if (ready.length > 0) {
      const awake = this.#isStreaming() ? ready.filter((worker) => worker.isAwake) : [];
      return (awake.length > 0 ? awake : ready).find((worker) => worker.hasNothing);
    }
    const idle = workers.find((worker) => worker.mailCount === 0);
    if (idle !== undefined || task.abortable) return idle;
    return workers.find((worker) => !worker.hasAbortableMail && worker.mailCount < this.#concurrency);
  }

  /** Posts what does not go through the table, if anything. False: it cannot be cloned, so the task has failed. */
  #sendPayload(worker: WorkerHandle, task: Task): boolean {
    try {
      this.#inputs.send(worker, task);
      return true;
    } catch (error) {
      this.#ledger.settle(task, error, true);
      return false;
    }
  }

  /** A worker has claimed a slot whose payload it lacks. */
  #onPull(worker: WorkerHandle, slot: number): void {
    if (!this.#sendPayload(worker, this.#taskOf(slot))) this.#inputs.cancel(worker, slot);
  }

  #taskOf(slot: number): Task {
    return this.#slots.tasks[slot] as Task;
  }

  /** Reads everything that a worker has reported. Returns how many tasks ended. */
  drain(worker: WorkerHandle, limit = Number.POSITIVE_INFINITY): number {
    if (this.#hasStrays) {
      this.#slots.collectStrays();
      this.#hasStrays = false;
    }
    let ended = 0;
    while (ended < limit) {
      const entry = drainOne(this.#table, worker.index);
      if (entry === -1) break;
      if ((entry & PULL) !== 0) {
        this.#onPull(worker, entry & ~PULL);
        continue;
      }
      this.#finish(worker, entry);
      ended++;
    }
    return ended;
  }

  #finish(worker: WorkerHandle, slot: number): void {
    const { words, layout } = this.#table;
    const base = slotAt(layout, slot);
    const task = this.#taskOf(slot);
    const flags = words[base + FLAGS] as number;
    let failed = (flags & FAILED) !== 0;
    let value: unknown;
    try {
      value = this.#results.read(worker, slot, base, flags);
      if (failed) value = restore(value as never);
    } catch (reason) {
      value = unreadable(failed ? 'the thrown value' : 'result', reason);
      failed = true;
    }
    worker.completed++;
    this.#slots.giveBack(slot);
    this.#ledger.settle(task, value, failed);
  }

  /** Ends a task before its time. Returns the worker that runs it and must be killed for it, or -1. */
  cancel(task: Task, reason: unknown): number {
    const slots = this.#slots;
    const { slot, state } = task;
    const isClaimed = state === PUBLISHED && !slots.retract(task);
    this.#ledger.settle(task, reason, true);
    if (state === WAITING) this.#backlog.forget(task);
    return isClaimed ? slots.condemn(slot) : -1;
  }

  /**
   * Rejects every task in the table: those that a worker has claimed, whose slots stay taken until it has exited, and one that
   * is being written, by a getter of whose value this may be called.
   */
  rejectRunning(reasonFor: () => unknown): void {
    for (const task of this.#slots.tasks) {
      if (task !== undefined) this.#ledger.settle(task, reasonFor(), true);
    }
  }

  /**
   * A worker's thread has exited: its last reports, the tasks that died with it, and those it never claimed.
   * @param lose gets the tasks that died with it, or whose transferred objects did, and those that were for it alone
   */
  reapWorker(worker: WorkerHandle, lose: (task: Task, hasRun: boolean) => void): number {
    this.reconsider();
    this.drain(worker);
    const left = sweep(this.#table, worker.index);
    for (const slot of left.done) this.#finish(worker, slot);
    for (const slot of left.running) {
      const task = this.#taskOf(slot);
      this.#slots.giveBack(slot);
      lose(task, true);
    }
    for (const task of this.#backlog.lanes.abandon(worker)) lose(task, false);
    for (const slot of left.mail.reverse()) this.#takeBack(slot, lose);
    return left.running.length;
  }

  /** A task in a dead worker's mailbox goes back to the queue, unless what it transfers or continues is gone, or it is for that one alone. */
  #takeBack(slot: number, lose: (task: Task, hasRun: boolean) => void): void {
    const task = this.#taskOf(slot);
    this.#slots.giveBack(slot);
    if (task.state === SETTLED) return;
    if (task.hasTransfer || task.isBound || task.pin?.worker !== undefined) lose(task, false);
    else this.#backlog.putBack(task);
  }
}
