import type { HandlerNames, Task } from '../host/task.js';
import type { Packed } from '../shared/calls.js';
import { CARRIED } from '../shared/calls.js';
import { now } from '../shared/clock.js';
import { type PoolTask, queueOptionsSymbol } from './task-queue.js';

/** What custom queues and load balancers see of tasks: always the same object for a task, so that they may keep it. */
export class TaskViews {
  readonly #known = new WeakMap<Task, PoolTask>();
  readonly #handlers: HandlerNames;
  #ids = 0;

  constructor(handlers: HandlerNames) {
    this.#handlers = handlers;
  }

  of(task: Task): PoolTask {
    const known = this.#known.get(task);
    if (known !== undefined) return known;
    const view = this.#make(task);
    this.#known.set(task, view);
    return view;
  }

  #make(task: Task): PoolTask {
    const { filename, name, call } = this.#handlers.of(task.handler);
    const sent = (call & CARRIED) === 0 ? task.value : (task.value as Packed).task;
    const value = task.extras?.original ?? sent;
    const own =
      typeof value === 'object' && value !== null ? (value as Partial<PoolTask>)[queueOptionsSymbol] : null;
    return {
      taskId: this.#ids++,
      task: value,
      filename,
      name,
      created: performance.now() - (now() - task.created),
      isAbortable: task.abortable,
      [queueOptionsSymbol]: own ?? null,
    };
  }
}
