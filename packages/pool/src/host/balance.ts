import type { Choose } from './dispatch.js';
import type { PoolState } from './state.js';
import type { LoadBalancer, PoolWorker } from './task-queue.js';
import type { WorkerHandle } from './worker-handle.js';

/** Turns the user's load balancer into the dispatcher's question. It may have one more worker started by `spawn`. */
export function chooserFor(balancer: LoadBalancer, { workers, views }: PoolState, spawn: () => void): Choose {
  let first: ReadonlySet<WorkerHandle> | undefined;
  return (task) => {
    first ??= new Set(workers);
    const chosen = balancer(views.of(task), offered(workers, first));
    if (chosen !== null && chosen !== undefined)
      return workers.find(({ threadId, retiring }) => threadId === chosen.id && !retiring);
    spawn();
    return undefined;
  };
}

/**
 * Workers that were started on need are offered when they are ready, or when no other ones are there. The first ones are
 * offered from the beginning, so that a balancer that counts on their number finds them all.
 */
function offered(workers: readonly WorkerHandle[], first: ReadonlySet<WorkerHandle>): PoolWorker[] {
  const staying = workers.filter((worker) => !worker.retiring);
  const ready = staying.filter((worker) => worker.ready || first.has(worker));
  return (ready.length > 0 ? ready : staying).map(workerView);
}

const known = new WeakMap<WorkerHandle, PoolWorker>();

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
      return worker.leaving && !worker.hasExited;
    },
    get destroyed() {
      return worker.hasExited;
    },
  };
  known.set(worker, view);
  return view;
}
