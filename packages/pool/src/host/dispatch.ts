import { restore } from '../shared/error-record.js';
import { FLAGS } from '../shared/layout.js';
import type { SharedTable } from '../shared/memory.js';
import { FAILED } from '../shared/messages.js';
import {
  condemn,
  drainOne,
  isFree,
  PULL,
  publish,
  publishTo,
  queuedEntries,
  release,
  retract,
  slotAt,
  sweep,
} from '../shared/table.js';
import { unreadable } from '../shared/uncloneable.js';
import { Inputs } from './inputs.js';
import { ByPriority, type Pending } from './queue.js';
import { Results } from './results.js';
import { LOOSE, PUBLISHED, SETTLED, type Task, WAITING } from './task.js';
import type { WorkerHandle } from './worker-handle.js';

/** What the dispatcher needs to know of the rest of the pool. */
export interface DispatchHost {
  readonly workers: readonly WorkerHandle[];
  /** Chooses the worker of the next task, or none for now; undefined: whoever is free claims it. */
  readonly choose: ((task: Task) => WorkerHandle | undefined) | undefined;
  readonly concurrency: number;
  /** Do tasks come one after another without a pause? */
  readonly isStreaming: boolean;
  onSettled(task: Task): void;
}

/** So many tasks pay for putting the published ones back in order when the next priority comes. */
const PLAIN_AGAIN = 2048;

/** Asked where the compiler takes the state for known. */
const isSettled = (task: Task): boolean => task.state === SETTLED;

/** Moves tasks into the table and their outcomes out of it. Knows every task between `run()` and its end. */
export class Dispatch {
  /** Tasks whose promise is not settled. */
  outstanding = 0;
  /** Those among them that share a worker with no other task. */
  exclusive = 0;
  completed = 0;
  /** Publish only what an idle worker takes at once, so that the order stays the queue's to decide. */
  ordered = false;
  /** Tasks without a priority since the last one with it. */
  #plainInARow = 0;
  /** Slots may belong to tasks that never got into the table. */
  #hasStrays = false;
  pending: Pending;
  readonly inputs: Inputs;
  readonly #free: Int32Array;
  #freeCount: number;
  readonly #tasks: (Task | undefined)[];
  readonly #results: Results;
  readonly #table: SharedTable;
  readonly #host: DispatchHost;
  /** Slots of ended tasks whose threads have not exited. One in a native call that does not return keeps its slot for good. */
  readonly #condemned = new Set<number>();
  /** How many tasks had ended when the next one was refused a worker: until another ends, the answer would be the same. */
  #refusedAt = -1;

  constructor(table: SharedTable, pending: Pending, host: DispatchHost) {
    this.#table = table;
    this.pending = pending;
    this.#host = host;
    const { slots } = table.layout;
    this.#free = Int32Array.from({ length: slots }, (_, index) => slots - 1 - index);
    this.#freeCount = slots;
    this.#tasks = new Array(slots).fill(undefined);
    this.inputs = new Inputs(table, (news) => {
      for (const worker of host.workers) worker.post(news);
    });
    this.#results = new Results(table);
  }

  /** Slots that workers have work with: published, running, or reported but not read. */
  get inTable(): number {
    return this.#table.layout.slots - this.#freeCount - this.#condemned.size;
  }

  submit(task: Task): void {
    const { exclusive } = task;
    this.outstanding++;
    if (exclusive) this.exclusive++;
    try {
      if (this.pending.size > 0 || !this.#hasRoom() || !this.#place(task)) this.#enqueue(task);
    } catch (error) {
      // The end of the stack: nothing can be called here, not even what gives the slot back.
      this.#hasStrays = true;
      if (task.state !== SETTLED) {
        task.state = SETTLED;
        this.outstanding--;
        if (exclusive) this.exclusive--;
      }
      throw error;
    }
  }

  /** Gives back the slots of tasks that could not be submitted. */
  #collectStrays(): void {
    for (const [slot, task] of this.#tasks.entries()) {
      if (task !== undefined && isSettled(task) && isFree(this.#table, slot)) this.#giveBack(slot);
    }
    this.#hasStrays = false;
  }

  #enqueue(task: Task): void {
    try {
      this.pending.push(task);
      task.state = WAITING;
    } catch (error) {
      // A queue of the user's may throw; run() may not.
      this.settle(task, error, true);
    }
  }

  #putBack(task: Task): void {
    task.state = WAITING;
    this.pending.unshift(task);
  }

  /** The workers are no longer those among which none was chosen for the next task. */
  reconsider(): void {
    this.#refusedAt = -1;
  }

  /** Moves waiting tasks into the table as far as they fit. */
  refill(): void {
    if (this.#refusedAt === this.completed) return;
    while (this.pending.size > 0 && this.#hasRoom()) {
      const task = this.pending.shift();
      if (task === undefined) return;
      task.state = LOOSE;
      if (!this.#place(task)) {
        this.#putBack(task);
        return;
      }
    }
  }

  #hasRoom(): boolean {
    if (this.#freeCount === 0) return false;
    return !this.ordered || this.inTable < this.#readyCapacity();
  }

  #readyCapacity(): number {
    let capacity = 0;
    for (const worker of this.#host.workers) {
      if (worker.ready && !worker.leaving) capacity += this.#host.concurrency;
    }
    return capacity;
  }

  /** Writes a task into the table and publishes it. False when it has to wait. */
  #place(task: Task): boolean {
    const { choose } = this.#host;
    let chosen: WorkerHandle | undefined;
    if (choose !== undefined) {
      try {
        chosen = choose(task);
      } catch (error) {
        this.settle(task, error, true);
        return true;
      }
      if (chosen === undefined) this.#refusedAt = this.completed;
      if (chosen === undefined || !chosen.hasMailRoom) return false;
    }
    const slot = this.#free[--this.#freeCount] as number;
    task.slot = slot;
    this.#tasks[slot] = task;
    try {
      this.inputs.write(task, slot);
    } catch (error) {
      this.#giveBack(slot);
      this.settle(task, error, true);
      return true;
    }
    if (isSettled(task)) {
      // By a getter of its value.
      this.#giveBack(slot);
      return true;
    }
    task.state = PUBLISHED;
    return chosen === undefined ? this.#publish(task, slot) : this.#publishTo(chosen, task, slot);
  }

  #publish(task: Task, slot: number): boolean {
    const taker = this.inputs.isOwed(slot) ? this.#taker(task) : undefined;
    if (taker !== undefined) return this.#publishTo(taker, task, slot);
    // Full of entries of retracted slots behind one that no worker has claimed: then every worker is busy.
    if (publish(this.#table, slot)) return true;
    this.#giveBack(slot);
    task.state = LOOSE;
    return false;
  }

  #publishTo(worker: WorkerHandle, task: Task, slot: number): boolean {
    if (!this.#sendPayload(worker, task)) {
      this.#giveBack(slot);
      return true;
    }
    if (publishTo(this.#table, worker.index, slot)) {
      worker.keptFree = task.exclusive;
      worker.wake();
      return true;
    }
    this.#giveBack(slot);
    task.state = LOOSE;
    return false;
  }

  /**
   * A worker that takes a task as soon as it gets it, or as soon as it has started when none is ready: what is handed
   * over with the task must not wait for the host's event loop, which the caller may block until the task has begun.
   * In a stream of tasks nobody is woken for one while another worker is awake, see `Pump`.
   */
  #taker(task: Task): WorkerHandle | undefined {
    if (queuedEntries(this.#table) > 0) return undefined;
    const workers = this.#host.workers.filter((worker) => !worker.leaving);
    const ready = workers.filter((worker) => worker.ready);
    if (ready.length > 0) {
      const awake = this.#host.isStreaming ? ready.filter((worker) => worker.isAwake) : [];
      return (awake.length > 0 ? awake : ready).find((worker) => worker.hasNothing);
    }
    const idle = workers.find((worker) => worker.mailCount === 0);
    if (idle !== undefined || task.exclusive) return idle;
    return workers.find((worker) => !worker.keptFree && worker.mailCount < this.#host.concurrency);
  }

  /** Posts what does not go through the table, if anything. False: it cannot be cloned, so the task has failed. */
  #sendPayload(worker: WorkerHandle, task: Task): boolean {
    try {
      this.inputs.send(worker, task);
      return true;
    } catch (error) {
      this.settle(task, error, true);
      return false;
    }
  }

  /** A worker has claimed a slot whose payload it lacks. */
  #onPull(worker: WorkerHandle, slot: number): void {
    const task = this.#tasks[slot] as Task;
    if (!this.#sendPayload(worker, task)) this.inputs.cancel(worker, slot);
  }

  /** Reads everything that a worker has reported. Returns how many tasks ended. */
  drain(worker: WorkerHandle, limit: number): number {
    if (this.#hasStrays) this.#collectStrays();
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
    const task = this.#tasks[slot] as Task;
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
    this.#giveBack(slot);
    this.settle(task, value, failed);
  }

  #giveBack(slot: number): void {
    if (this.#condemned.size > 0) this.#condemned.delete(slot);
    this.inputs.release(slot);
    release(this.#table, slot);
    this.#tasks[slot] = undefined;
    this.#free[this.#freeCount++] = slot;
  }

  /** Settles a task's promise, once. */
  settle(task: Task, outcome: unknown, failed: boolean): void {
    if (task.state === SETTLED) return;
    const waited = task.state === WAITING;
    const { exclusive } = task;
    task.state = SETTLED;
    task.value = undefined;
    this.outstanding--;
    if (exclusive) this.exclusive--;
    this.completed++;
    task.extras?.release?.();
    if (failed) task.reject(outcome);
    else task.resolve(outcome);
    if (waited) this.pending.forget(task);
    this.#host.onSettled(task);
  }

  /**
   * Ends a task before its time. Returns the worker that runs it and must be killed for it, if any: the slot stays
   * taken until that worker's thread has exited, because it may still write there.
   */
  cancel(task: Task, reason: unknown): number {
    const { slot } = task;
    if (task.state !== PUBLISHED) {
      this.settle(task, reason, true);
      return -1;
    }
    const unclaimed = retract(this.#table, slot);
    if (unclaimed) this.#giveBack(slot);
    this.settle(task, reason, true);
    if (unclaimed) return -1;
    const worker = condemn(this.#table, slot);
    if (worker !== -1) this.#condemned.add(slot);
    return worker;
  }

  /** Rejects the tasks that no worker has claimed yet; with `most`, only so many, those whose turn would come last. */
  rejectUnclaimed(reasonFor: (task: Task) => unknown, most = Number.POSITIVE_INFINITY): void {
    const waiting: Task[] = [];
    for (let task = this.pending.shift(); task !== undefined; task = this.pending.shift()) waiting.push(task);
    const rejected = waiting.splice(Math.max(0, waiting.length - most));
    for (const task of waiting.reverse()) this.pending.unshift(task);
    for (const task of this.#publishedYoungestFirst()) {
      if (rejected.length >= most) break;
      if (!retract(this.#table, task.slot)) continue;
      this.#giveBack(task.slot);
      rejected.unshift(task);
    }
    for (const task of rejected) this.#rejectWaiting(task, reasonFor(task));
  }

  /** Rejects tasks that have left the queue without getting into the table. */
  reject(tasks: readonly Task[], reason: unknown): void {
    for (const task of tasks) this.#rejectWaiting(task, reason);
  }

  #rejectWaiting(task: Task, reason: unknown): void {
    task.state = LOOSE;
    this.settle(task, reason, true);
  }

  #publishedYoungestFirst(): Task[] {
    const published = this.#tasks.filter((task) => task?.state === PUBLISHED) as Task[];
    return published.sort((one, other) => this.inputs.ageOf(one.slot) - this.inputs.ageOf(other.slot));
  }

  /**
   * Rejects every task in the table: those that a worker has claimed, whose slots stay taken until it has exited, and one that
   * is being written, by a getter of whose value this may be called.
   */
  rejectRunning(reasonFor: (task: Task) => unknown): void {
    for (const task of this.#tasks) if (task !== undefined) this.settle(task, reasonFor(task), true);
  }

  /**
   * From the first task with a priority on, the host keeps the order, down to the last task that no worker has claimed. That
   * takes a turn of the host for each task, so it ends when no task has had a priority for long.
   */
  heed(task: Task): void {
    const hasPriority = task.extras !== undefined && task.extras.priority !== 0;
    if (!this.ordered) {
      if (hasPriority) this.#order(new ByPriority());
      return;
    }
    this.#plainInARow = hasPriority ? 0 : this.#plainInARow + 1;
    if (this.#plainInARow >= PLAIN_AGAIN) this.#orderNoMore();
  }

  #orderNoMore(): void {
    const plain = (this.pending as ByPriority).plain;
    if (plain === undefined) return;
    this.ordered = false;
    this.pending = plain;
  }

  #order(queue: Pending): void {
    this.ordered = true;
    this.#plainInARow = 0;
    for (const task of this.#publishedYoungestFirst()) {
      if (this.#isOnItsWay(task) || !retract(this.#table, task.slot)) continue;
      this.#giveBack(task.slot);
      this.#putBack(task);
    }
    for (let task = this.pending.shift(); task !== undefined; task = this.pending.shift()) queue.push(task);
    this.pending = queue;
  }

  /** What it transfers has been posted to the worker that will run it, and cannot be had back. */
  #isOnItsWay(task: Task): boolean {
    return task.extras !== undefined && task.extras.transfer.length > 0 && !this.inputs.isOwed(task.slot);
  }

  /** A worker's thread has exited: its last reports, the tasks that died with it, and those it never claimed. */
  reapWorker(worker: WorkerHandle, failureOf: (task: Task) => unknown): number {
    this.reconsider();
    this.drain(worker, Number.POSITIVE_INFINITY);
    const left = sweep(this.#table, worker.index);
    for (const slot of left.done) this.#finish(worker, slot);
    for (const slot of left.running) {
      const task = this.#tasks[slot] as Task;
      this.#giveBack(slot);
      if (task.state !== SETTLED) this.settle(task, failureOf(task), true);
    }
    for (const slot of left.mail.reverse()) this.#takeBack(slot, failureOf);
    return left.running.length;
  }

  /** A task in a dead worker's mailbox goes back to the queue, unless what it transfers is gone. */
  #takeBack(slot: number, failureOf: (task: Task) => unknown): void {
    const task = this.#tasks[slot] as Task;
    this.#giveBack(slot);
    if (task.state === SETTLED) return;
    if (task.extras !== undefined && task.extras.transfer.length > 0) {
      this.settle(task, failureOf(task), true);
      return;
    }
    this.#putBack(task);
  }
}
