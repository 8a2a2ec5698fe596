import type { Pending } from './queue.js';
import { SETTLED, type Task } from './task.js';

/** The key under which a task's own options for a custom queue stand on its value. The same symbol as Piscina's. */
export const queueOptionsSymbol: unique symbol = Symbol.for('Piscina.queueOptions') as never;

/** What a custom queue or a load balancer sees of a task. */
export interface PoolTask {
  /** What the task's value has under `queueOptionsSymbol`, or null. */
  readonly [queueOptionsSymbol]: object | null;
  readonly taskId: number;
  /** The value that `run()` was given. */
  readonly task: unknown;
  readonly filename: string;
  readonly name: string;
  /** When `run()` was called, by `performance.now()`. */
  readonly created: number;
  /** It has a signal or a timeout, so it may be killed while it runs. */
  readonly isAbortable: boolean;
}

/** A queue of one's own: decides in which order waiting tasks run. */
export interface TaskQueue {
  readonly size: number;
  push(task: PoolTask): void;
  shift(): PoolTask | null;
  remove(task: PoolTask): void;
  unshift?(task: PoolTask): void;
}

/** Lets a queue of the user's decide the order. */
export class CustomQueue implements Pending {
  private readonly tasks = new Map<PoolTask, Task>();
  private readonly views = new Map<Task, PoolTask>();
  /** Tasks that had to go back to the front of a queue that has no front. */
  private readonly front: Task[] = [];
  private readonly queue: TaskQueue;
  private readonly viewOf: (task: Task) => PoolTask;

  constructor(queue: TaskQueue, viewOf: (task: Task) => PoolTask) {
    this.queue = queue;
    this.viewOf = viewOf;
  }

  get size(): number {
    return this.queue.size + this.front.length;
  }

  push(task: Task): void {
    this.queue.push(this.enter(task));
  }

  unshift(task: Task): void {
    if (this.queue.unshift === undefined) this.front.unshift(task);
    else this.queue.unshift(this.enter(task));
  }

  shift(): Task | undefined {
    const front = this.front.shift();
    if (front !== undefined) return front;
    while (this.tasks.size > 0) {
      const view = this.queue.shift();
      if (view === null || view === undefined) return undefined;
      const task = this.leave(view);
      if (task !== undefined && task.state !== SETTLED) return task;
    }
    return undefined;
  }

  forget(task: Task): void {
    const index = this.front.indexOf(task);
    if (index !== -1) this.front.splice(index, 1);
    const view = this.views.get(task);
    if (view === undefined) return;
    this.leave(view);
    this.queue.remove(view);
  }

  private enter(task: Task): PoolTask {
    const view = this.viewOf(task);
    this.tasks.set(view, task);
    this.views.set(task, view);
    return view;
  }

  private leave(view: PoolTask): Task | undefined {
    const task = this.tasks.get(view);
    this.tasks.delete(view);
    if (task !== undefined) this.views.delete(task);
    return task;
  }
}

/** A queue in one array, for the sake of Piscina's name. */
export class ArrayTaskQueue implements TaskQueue {
  readonly tasks: PoolTask[] = [];

  get size(): number {
    return this.tasks.length;
  }

  push(task: PoolTask): void {
    this.tasks.push(task);
  }

  unshift(task: PoolTask): void {
    this.tasks.unshift(task);
  }

  shift(): PoolTask | null {
    return this.tasks.shift() ?? null;
  }

  remove(task: PoolTask): void {
    const index = this.tasks.indexOf(task);
    if (index !== -1) this.tasks.splice(index, 1);
  }
}

/** A queue whose operations take the same time however long it is, except `remove`. */
export class FixedQueue implements TaskQueue {
  private ring: (PoolTask | null)[] = new Array(16).fill(null);
  private head = 0;
  private count = 0;

  get size(): number {
    return this.count;
  }

  isEmpty(): boolean {
    return this.count === 0;
  }

  push(task: PoolTask): void {
    this.makeRoom();
    this.ring[(this.head + this.count++) & (this.ring.length - 1)] = task;
  }

  unshift(task: PoolTask): void {
    this.makeRoom();
    this.head = (this.head - 1) & (this.ring.length - 1);
    this.ring[this.head] = task;
    this.count++;
  }

  shift(): PoolTask | null {
    if (this.count === 0) return null;
    const task = this.ring[this.head] ?? null;
    this.ring[this.head] = null;
    this.head = (this.head + 1) & (this.ring.length - 1);
    this.count--;
    return task;
  }

  remove(task: PoolTask): void {
    const mask = this.ring.length - 1;
    let found = 0;
    while (found < this.count && this.ring[(this.head + found) & mask] !== task) found++;
    if (found === this.count) return;
    for (let index = found; index < this.count - 1; index++) {
      this.ring[(this.head + index) & mask] = this.ring[(this.head + index + 1) & mask] ?? null;
    }
    this.count--;
    this.ring[(this.head + this.count) & mask] = null;
  }

  private makeRoom(): void {
    if (this.count < this.ring.length) return;
    const larger = new Array<PoolTask | null>(this.count * 2).fill(null);
    for (let index = 0; index < this.count; index++) {
      larger[index] = this.ring[(this.head + index) & (this.ring.length - 1)] ?? null;
    }
    this.ring = larger;
    this.head = 0;
  }
}
