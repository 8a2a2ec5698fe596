import type { HistogramSummary } from '../shared/histogram.js';

/** The key of a task's options for a custom queue, on the task's value. The same symbol as Piscina's. */
export const queueOptionsSymbol: unique symbol = Symbol.for('Piscina.queueOptions') as never;

/** A task as custom queues and load balancers see it. */
export interface PoolTask {
  /** What the task's value has under `queueOptionsSymbol`, or null. */
  readonly [queueOptionsSymbol]: object | null;
  readonly taskId: number;
  /** The value given to `run()`. */
  readonly task: unknown;
  readonly filename: string;
  readonly name: string;
  /** When `run()` was called, in milliseconds of `performance.now()`. */
  readonly created: number;
  /** The task has a signal or a timeout, so it may be killed while it runs. */
  readonly isAbortable: boolean;
}

/** A custom queue: decides in which order waiting tasks run. */
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

/** A worker as load balancers see it: one object per worker, always with current values. */
export interface PoolWorker {
  /** The thread id. */
  readonly id: number;
  /** How many tasks the worker runs or has been given; Infinity for one abortable task, which does not share its worker. */
  readonly currentUsage: number;
  /** Does the worker have an abortable task? True as soon as the task is given to it. */
  readonly isRunningAbortableTask: boolean;
  /** Run times in milliseconds, with the option `workerHistogram`; otherwise null. */
  readonly histogram: HistogramSummary | null;
  /** The worker is being stopped. */
  readonly terminating: boolean;
  /** The worker's thread has exited. */
  readonly destroyed: boolean;
}

/** Chooses the worker for a task. null or undefined: none for now, so the task waits, and a worker is started if allowed. */
export type LoadBalancer = (task: PoolTask, workers: PoolWorker[]) => PoolWorker | null | undefined;

/** A queue in one array, for compatibility with Piscina. */
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

/** A queue whose operations take constant time on average, except `remove`, and `unshift` before the first `shift`. */
export class FixedQueue implements TaskQueue {
  /** Starts at `#head`. */
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
    // More than half of the places are free. Give them up, except one for `unshift`.
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
