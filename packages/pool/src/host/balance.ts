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
  return loadBalancer === undefined ? undefined : (task) => ask(loadBalancer, crew, viewOf(task));
}

function ask(balancer: LoadBalancer, crew: Workers, task: PoolTask): WorkerHandle | undefined {
  // Workers that still start are only offered when no other ones are there.
  const ready = crew.workers.filter((worker) => worker.ready);
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
