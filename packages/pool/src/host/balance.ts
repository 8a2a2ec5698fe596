import { badType } from '../errors.js';
import type { State } from './state.js';
import type { Task } from './task.js';
import type { LoadBalancer, PoolWorker } from './task-queue.js';
import { EXITED, READY, STOPPING, takesTasks, type WorkerHandle } from './worker-handle.js';

/** Turns the user's load balancer into the dispatcher's question. It may have one more worker started by `spawn`. */
export function chooserFor(
  balancer: LoadBalancer,
  state: State,
  spawn: () => void,
): (task: Task) => WorkerHandle | undefined {
  const { workers } = state;
  let first: ReadonlySet<WorkerHandle> | undefined;
  return (task) => {
    first ??= new Set(workers);
    const chosen = balancer(state.views.of(task), offered(workers, first));
    if (chosen === null) {
      spawn();
      return undefined;
    }
    if (typeof chosen !== 'object' || !views.has(chosen))
      throw badType('what loadBalancer returns', chosen, 'one of the workers, or null');
    return workers.find((worker) => worker.threadId === chosen.id && takesTasks(worker));
  };
}

/**
 * Workers that were started on need are offered when they are ready, or when no other ones are there. The first ones are
 * offered from the beginning, so that a balancer that counts on their number finds them all.
 */
function offered(workers: readonly WorkerHandle[], first: ReadonlySet<WorkerHandle>): PoolWorker[] {
  const staying = workers.filter(takesTasks);
  const ready = staying.filter((worker) => worker.state === READY || first.has(worker));
  return (ready.length > 0 ? ready : staying).map(workerView);
}

const known = new WeakMap<WorkerHandle, PoolWorker>();

const views = new WeakSet<object>();

/** Always the same object for a worker, and always up to date, so that a balancer may keep it. */
function workerView(worker: WorkerHandle): PoolWorker {
  const kept = known.get(worker);
  if (kept !== undefined) return kept;
  const view: PoolWorker = {
    id: worker.threadId,
    get currentUsage() {
      return worker.running + worker.mailCount;
    },
    get isRunningAbortableTask() {
      return worker.runsAbortable;
    },
    get histogram() {
      return worker.histogram?.summary() ?? null;
    },
    get terminating() {
      return worker.state === STOPPING;
    },
    get destroyed() {
      return worker.state === EXITED;
    },
  };
  known.set(worker, view);
  views.add(view);
  return view;
}
