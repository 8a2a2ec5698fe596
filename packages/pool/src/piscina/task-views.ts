import type { HandlerNames, Task } from '../host/task.js';
import { CARRIED, type Packed } from '../shared/calls.js';
import { now } from '../shared/clock.js';
import { type PoolTask, queueOptionsSymbol } from './task-queue.js';

const views = new WeakMap<Task, PoolTask>();

/** A task as custom queues and load balancers see it: always the same object, so they may keep it. */
export function viewOf(task: Task, handlers: HandlerNames): PoolTask {
  const before = views.get(task);
  if (before !== undefined) return before;
  const { filename, name, call } = handlers.of(task.handler);
  const payload = (call & CARRIED) === 0 ? task.value : (task.value as Packed).task;
  const value = task.extras?.original ?? payload;
  const queueOptions =
    typeof value === 'object' && value !== null ? (value as Partial<PoolTask>)[queueOptionsSymbol] : null;
  const view: PoolTask = {
    // From 0 on, like Piscina's.
    taskId: task.number - 1,
    task: value,
    filename,
    name,
    created: performance.now() - (now() - task.created),
    isAbortable: task.abortable,
    [queueOptionsSymbol]: queueOptions ?? null,
  };
  views.set(task, view);
  return view;
}
