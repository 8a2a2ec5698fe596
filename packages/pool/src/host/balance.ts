import type { Crew } from './crew.js';
import type { LoadBalancer, PoolWorker } from './load-balancer.js';
import type { FilledOptions } from './options.js';
import type { Task } from './task.js';
import type { PoolTask } from './task-queue.js';
import type { WorkerHandle } from './worker-handle.js';

/** Turns the user's load balancer into the dispatcher's question; undefined when there is none. */
export function chooserFor(
  options: FilledOptions,
  crew: Crew,
  viewOf: (task: Task) => PoolTask,
): ((task: Task) => WorkerHandle | undefined) | undefined {
  const { loadBalancer } = options;
  return loadBalancer === undefined ? undefined : (task) => ask(loadBalancer, crew, viewOf(task));
}

function ask(balancer: LoadBalancer, crew: Crew, task: PoolTask): WorkerHandle | undefined {
  const views = new Map<PoolWorker, WorkerHandle>();
  // Workers that still start are only offered when no other ones are there.
  const ready = crew.workers.filter((worker) => worker.ready);
  for (const worker of ready.length > 0 ? ready : crew.workers) views.set(viewOfWorker(worker), worker);
  const chosen = balancer(task, [...views.keys()]);
  if (chosen === null || chosen === undefined) {
    crew.spawn();
    return undefined;
  }
  return views.get(chosen) ?? crew.workers.find((worker) => worker.threadId === chosen.id);
}

function viewOfWorker(worker: WorkerHandle): PoolWorker {
  return {
    id: worker.threadId,
    currentUsage: worker.running + worker.mailCount,
    isRunningAbortableTask: worker.runsExclusive,
    histogram: worker.histogram?.summary() ?? null,
    terminating: worker.leaving,
    destroyed: false,
  };
}
