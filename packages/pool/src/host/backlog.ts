import type { Inputs } from './inputs.js';
import type { Lanes } from './lanes.js';
import type { Ledger } from './ledger.js';
import { ByPriority, Fifo, type Pending } from './queue.js';
import type { Slots } from './slots.js';
import { LOOSE, type Task, WAITING } from './task.js';

/** After so many tasks without a priority, order is no longer kept: until then it is probably needed again soon. */
const PLAIN_AGAIN = 2048;

/** The tasks that no worker has claimed, in the host's queue and in the table, and their order. */
export class Backlog {
  queue: Pending;
  /** Publish only what an idle worker takes at once, so that the order stays the queue's to decide. */
  ordered: boolean;
  /** Tasks without a priority since the last one with it. */
  #plainInARow = 0;
  /** What waits for one worker alone. */
  readonly lanes: Lanes;
  readonly #isCustom: boolean;
  readonly #slots: Slots;
  readonly #inputs: Inputs;
  readonly #ledger: Ledger;

  /** @param custom a queue of the user's, which alone decides the order. */
  constructor(slots: Slots, inputs: Inputs, ledger: Ledger, lanes: Lanes, custom: Pending | undefined) {
    this.lanes = lanes;
    this.#slots = slots;
    this.#inputs = inputs;
    this.#ledger = ledger;
    this.#isCustom = custom !== undefined;
    this.queue = custom ?? new Fifo();
    this.ordered = this.#isCustom;
  }

  putBack(task: Task): void {
    if (task.pin !== undefined) {
      this.lanes.unshift(task);
      return;
    }
    task.state = WAITING;
    this.queue.unshift(task);
  }

  /** A task that waits was settled. */
  forget(task: Task): void {
    if (task.pin === undefined) this.queue.forget(task);
    else this.lanes.forget(task);
  }

  /**
   * To be called with each task before it is submitted. From the first one with a priority on, the host keeps the order, down
   * to the last task that no worker has claimed. That takes a turn of the host for each task, so it ends when no task has
   * had a priority for long.
   */
  heed(task: Task): void {
    if (this.#isCustom) return;
    const hasPriority = task.extras !== undefined && task.extras.priority !== 0;
    if (!this.ordered) {
      if (hasPriority) this.#order(new ByPriority());
      return;
    }
    this.#plainInARow = hasPriority ? 0 : this.#plainInARow + 1;
    if (this.#plainInARow >= PLAIN_AGAIN) this.#orderNoMore();
  }

  #orderNoMore(): void {
    const { plain } = this.queue as ByPriority;
    if (plain === undefined) return;
    this.ordered = false;
    this.queue = plain;
  }

  #order(queue: Pending): void {
    this.ordered = true;
    this.#plainInARow = 0;
    for (const task of this.#slots.publishedYoungestFirst()) {
      if (!task.isBound && !this.#isOnItsWay(task) && this.#slots.retract(task)) this.putBack(task);
    }
    for (const task of this.#shiftAll()) queue.push(task);
    this.queue = queue;
  }

  /** What it transfers has been posted to the worker that will run it, and cannot be had back. */
  #isOnItsWay(task: Task): boolean {
    return task.hasTransfer && !this.#inputs.isOwed(task.slot);
  }

  #shiftAll(): Task[] {
    const tasks: Task[] = [];
    for (let task = this.queue.shift(); task !== undefined; task = this.queue.shift()) tasks.push(task);
    return tasks;
  }

  /** Rejects those among the tasks that no worker has claimed yet. */
  rejectThose(isOne: (task: Task) => boolean, reason: unknown): void {
    const waiting = this.#shiftAll();
    const rejected = [...waiting.filter(isOne), ...this.lanes.takeOut(isOne)];
    for (const task of waiting.reverse()) if (!isOne(task)) this.queue.unshift(task);
    for (const task of this.#slots.publishedYoungestFirst())
      if (isOne(task) && this.#slots.retract(task)) rejected.push(task);
    for (const task of rejected) task.state = LOOSE;
    for (const task of rejected) this.#ledger.settle(task, reason, true);
  }

  /** Rejects the tasks that no worker has claimed yet; with `most`, only so many, those whose turn would come last. */
  reject(reasonFor: () => unknown, most = Number.POSITIVE_INFINITY): void {
    const waiting = this.#shiftAll();
    const rejected = waiting.splice(Math.max(0, waiting.length - most));
    rejected.push(...this.lanes.takeOut(() => true, most - rejected.length));
    for (const task of waiting.reverse()) this.queue.unshift(task);
    for (const task of this.#slots.publishedYoungestFirst()) {
      if (rejected.length >= most) break;
      if (this.#slots.retract(task)) rejected.unshift(task);
    }
    // All of them first: what is called for the end of one may end another.
    for (const task of rejected) task.state = LOOSE;
    for (const task of rejected) this.#ledger.settle(task, reasonFor(), true);
  }
}
