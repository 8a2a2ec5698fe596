import type { HistogramSummary } from '../shared/histogram.js';

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

export function isTaskQueue(value: unknown): value is TaskQueue {
  if (typeof value !== 'object' || value === null || !('size' in value)) return false;
  const methods = value as Record<string, unknown>;
  return ['push', 'shift', 'remove'].every((method) => typeof methods[method] === 'function');
}

/** What a load balancer sees of a worker: one object for each, whose values are always the current ones. */
export interface PoolWorker {
  /** The thread id. */
  readonly id: number;
  /** How many tasks it runs or has been given; Infinity for one with a signal alone, which shares the worker with no other. */
  readonly currentUsage: number;
  /** The task with a signal counts from the moment on that the worker is given it. */
  readonly isRunningAbortableTask: boolean;
  /** Run times in milliseconds, with the option `workerHistogram`; otherwise null. */
  readonly histogram: HistogramSummary | null;
  /** It is being stopped. */
  readonly terminating: boolean;
  /** Its thread has exited. */
  readonly destroyed: boolean;
}

/** Chooses the worker of a task; null or undefined: none for now, so the task waits (and a worker is started if there may be more). */
export type LoadBalancer = (task: PoolTask, workers: PoolWorker[]) => PoolWorker | null | undefined;

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

/** A queue whose operations take the same time however long it is, except `remove`, and `unshift` before the first `shift`. */
export class FixedQueue implements TaskQueue {
  /** The queue begins at `#head`. */
  readonly #tasks: (PoolTask | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#tasks.length - this.#head;
  }

  isEmpty(): boolean {
    return this.size === 0;
  }

  push(task: PoolTask): void {
    this.#tasks.push(task);
  }

  unshift(task: PoolTask): void {
    if (this.#head > 0) this.#tasks[--this.#head] = task;
    else this.#tasks.unshift(task);
  }

  shift(): PoolTask | null {
    const task = this.#tasks[this.#head];
    if (task === undefined) return null;
    this.#tasks[this.#head++] = undefined;
    // Half of the places are free: all but one, for `unshift`, are given up.
    if (this.#head > this.size + 1) {
      this.#tasks.splice(1, this.#head - 1);
      this.#head = 1;
    }
    return task;
  }

  remove(task: PoolTask): void {
    const index = this.#tasks.indexOf(task, this.#head);
    if (index !== -1) this.#tasks.splice(index, 1);
  }
}
