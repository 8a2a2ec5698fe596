import type { Pending } from '../host/queue.js';
import type { State } from '../host/state.js';
import { SETTLED, type Task } from '../host/task.js';
import type { PoolTask, TaskQueue } from './task-queue.js';
import { viewOf } from './task-views.js';

/** Adapts a custom queue. If the queue throws or returns an unknown task, the tasks in it are rejected. */
export class CustomQueue implements Pending {
  readonly #tasks = new Map<PoolTask, Task>();
  /** Removed tasks that the queue may still return. */
  readonly #stale = new WeakSet<PoolTask>();
  /** Tasks put back to the front, if the queue has no `unshift`. */
  readonly #front: Task[] = [];
  readonly #queue: TaskQueue;
  readonly #state: State;
  readonly #reasonOf: (() => Error) | undefined;

  /** @param reasonOf if given, tasks get a function `cancel`, which rejects them with this reason */
  constructor(queue: TaskQueue, state: State, reasonOf?: () => Error) {
    this.#queue = queue;
    this.#state = state;
    this.#reasonOf = reasonOf;
  }

  /** A queue may hold tasks back by reporting size 0. */
  get size(): number {
    return this.#front.length + (this.#tasks.size === 0 ? 0 : this.#ask((queue) => queue.size, 0));
  }

  /** @throws what the queue throws; it does not have the task then. */
  push(task: Task): void {
    const view = this.#enter(task);
    try {
      this.#queue.push(view);
    } catch (error) {
      this.#leave(view);
      this.#stale.add(view);
      throw error;
    }
  }

  *[Symbol.iterator](): Generator<Task, undefined> {
    yield* this.#front;
    yield* this.#tasks.values();
  }

  putBack(task: Task): void {
    if (this.#queue.unshift === undefined) {
      this.#front.unshift(task);
      return;
    }
    const view = this.#enter(task);
    this.#ask((queue) => queue.unshift?.(view), undefined);
  }

  shift(): Task | undefined {
    return this.#front.shift() ?? this.#ask(() => this.#next(), undefined);
  }

  #next(): Task | undefined {
    while (this.#tasks.size > 0) {
      const view = this.#queue.shift();
      if (view === null || view === undefined) return undefined;
      const task = this.#leave(view);
      if (task === undefined && !this.#stale.delete(view)) throw new TypeError(STRANGER);
      if (task !== undefined && task.place !== SETTLED) return task;
    }
    return undefined;
  }

  remove(task: Task): void {
    const index = this.#front.indexOf(task);
    if (index !== -1) this.#front.splice(index, 1);
    const view = viewOf(task, this.#state.handlers);
    if (this.#leave(view) === undefined) return;
    this.#stale.add(view);
    this.#ask((queue) => queue.remove(view), undefined);
  }

  /** @param otherwise the answer if the queue throws */
  #ask<Answer>(question: (queue: TaskQueue) => Answer, otherwise: Answer): Answer {
    try {
      return question(this.#queue);
    } catch (error) {
      this.#fail(error);
      return otherwise;
    }
  }

  #enter(task: Task): PoolTask {
    const view = viewOf(task, this.#state.handlers);
    this.#tasks.set(view, task);
    const reasonOf = this.#reasonOf;
    if (reasonOf !== undefined) Object.assign(view, { cancel: () => this.#cancel(view, reasonOf()) });
    return view;
  }

  /** Called by the queue, which therefore need not be told to remove the task. */
  #cancel(view: PoolTask, reason: Error): void {
    const task = this.#leave(view);
    if (task === undefined) return;
    this.#stale.add(view);
    this.#state.settle(task, reason, true);
    this.#state.changed();
  }

  #leave(view: PoolTask): Task | undefined {
    const task = this.#tasks.get(view);
    this.#tasks.delete(view);
    return task;
  }

  #fail(error: unknown): void {
    const lost = [...this.#tasks];
    this.#tasks.clear();
    for (const [view] of lost) this.#stale.add(view);
    for (const [, task] of lost) this.#state.settle(task, error, true);
  }
}

const STRANGER = 'taskQueue.shift() must return a task that push() received, or null if there is none';
