import type { LoadBalancer, PoolWorker } from './load-balancer.js';
import type { FilledOptions } from './options.js';
import type { Task } from './task.js';
import type { PoolTask } from './task-queue.js';
import type { WorkerHandle } from './worker-handle.js';

/** Where a load balancer's workers come from. */
interface Workers {
  readonly workers: readonly WorkerHandle[];
  /** Starts one more, if there may be more. */
  spawn(): boolean;
}

/** Turns the user's load balancer into the dispatcher's question; undefined when there is none. */
export function chooserFor(
  options: FilledOptions,
  crew: Workers,
  viewOf: (task: Task) => PoolTask,
): ((task: Task) => WorkerHandle | undefined) | undefined {
  const { loadBalancer } = options;
  if (loadBalancer === undefined) return undefined;
  let first: ReadonlySet<WorkerHandle> | undefined;
  return (task) => {
    first ??= new Set(crew.workers);
    return ask(loadBalancer, crew, viewOf(task), first);
  };
}

/**
 * Workers that were started on need are offered when they are ready, or when no other ones are there. The first ones are
 * offered from the beginning, so that a balancer that counts on their number finds them all.
 */
function ask(
  balancer: LoadBalancer,
  crew: Workers,
  task: PoolTask,
  first: ReadonlySet<WorkerHandle>,
): WorkerHandle | undefined {
  const ready = crew.workers.filter((worker) => worker.ready || first.has(worker));
  const views = (ready.length > 0 ? ready : crew.workers).map(viewOf);
  const chosen = balancer(task, views);
  if (chosen === null || chosen === undefined) {
    crew.spawn();
    return undefined;
  }
  return crew.workers.find((worker) => worker.threadId === chosen.id);
}

const views = new WeakMap<WorkerHandle, PoolWorker>();

/** Always the same object for a worker, and always up to date, so that a balancer may keep it. */
function viewOf(worker: WorkerHandle): PoolWorker {
  const known = views.get(worker);
  if (known !== undefined) return known;
  const view: PoolWorker = {
    id: worker.threadId,
    get currentUsage() {
      return worker.running + worker.mailCount;
    },
    get isRunningAbortableTask() {
      return worker.runsExclusive;
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
  views.set(worker, view);
  return view;
}
