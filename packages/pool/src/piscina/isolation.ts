import type { State } from '../host/state.js';
import { SETTLED, type Task } from '../host/task.js';
import { EXITED, takesTasks, type WorkerHandle } from '../host/worker-handle.js';
import { retire, spawn } from '../host/workers.js';

/** Gives each task a worker of its own, which gets no second task. */
export class Isolation {
  readonly #tasks = new Map<WorkerHandle, Task>();

  chooserOf(state: State): (task: Task) => WorkerHandle | undefined {
    return (task) => {
      const worker =
        state.workers.find((candidate) => takesTasks(candidate) && !this.#tasks.has(candidate)) ??
        spawn(state);
      if (worker !== undefined) this.#tasks.set(worker, task);
      return worker;
    };
  }

  /** Ends the workers whose tasks are settled. Resolves when their threads have exited. */
  retire(state: State): Promise<unknown> {
    const used: WorkerHandle[] = [];
    for (const [worker, task] of this.#tasks) {
      if (worker.state === EXITED) this.#tasks.delete(worker);
      else if (task.place === SETTLED) used.push(worker);
    }
    for (const worker of used) retire(state, worker);
    state.changed(true);
    return Promise.all(used.map((worker) => worker.exited));
  }
}
