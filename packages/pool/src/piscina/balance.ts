import { badType } from '../errors.js';
import type { State } from '../host/state.js';
import type { Task } from '../host/task.js';
import { EXITED, READY, STOPPING, takesTasks, type WorkerHandle } from '../host/worker-handle.js';
import { spawn } from '../host/workers.js';
import type { LoadBalancer, PoolWorker } from './task-queue.js';
import { viewOf } from './task-views.js';

export function chooserFor(
  balancer: LoadBalancer,
  state: State,
  hasHistograms: boolean,
): (task: Task) => WorkerHandle | undefined {
  const { workers } = state;
  let first: ReadonlySet<WorkerHandle> | undefined;
  return (task) => {
    first ??= new Set(workers);
    const views = offered(workers, first).map((worker) => workerView(worker, hasHistograms));
    const chosen = balancer(viewOf(task, state.handlers), views);
    if (chosen === null || chosen === undefined) {
      spawn(state);
      return undefined;
    }
    const { [handleSymbol]: worker } = chosen as Partial<WorkerView>;
    if (worker === undefined)
      throw badType('what loadBalancer returns', chosen, 'one of the workers, or null');
    return workers.includes(worker) && takesTasks(worker) ? worker : undefined;
  };
}

/** Offers ready workers, and the first workers even while they start, so that a balancer finds as many as it counts on. */
function offered(workers: readonly WorkerHandle[], first: ReadonlySet<WorkerHandle>): WorkerHandle[] {
  const staying = workers.filter(takesTasks);
  const ready = staying.filter((worker) => worker.state === READY || first.has(worker));
  return ready.length > 0 ? ready : staying;
}

/** Enumerable, so that a copy of a view also stands for its worker. */
const handleSymbol = Symbol('plimsoll.pool.worker');
type WorkerView = PoolWorker & { readonly [handleSymbol]: WorkerHandle };

const workerViews = new WeakMap<WorkerHandle, WorkerView>();

/** Without a balancer, tasks are in no mailbox. The block of an exited worker may belong to another worker by now. */
const usageOf = (worker: WorkerHandle): number =>
  worker.state === EXITED ? 0 : Math.max(worker.mailed, worker.running);

/** True as soon as an abortable task is given to the worker, even before it begins. */
const runsAlone = (worker: WorkerHandle): boolean =>
  usageOf(worker) === 1 && (worker.mailedAlone > 0 || worker.runsAbortable);

/** Always the same object for a worker, and always current, so balancers may keep it. */
export function workerView(worker: WorkerHandle, hasHistogram: boolean): PoolWorker {
  const before = workerViews.get(worker);
  if (before !== undefined) return before;
  const view: WorkerView = {
    [handleSymbol]: worker,
    id: worker.threadId,
    get currentUsage() {
      return runsAlone(worker) ? Number.POSITIVE_INFINITY : usageOf(worker);
    },
    get isRunningAbortableTask() {
      return runsAlone(worker);
    },
    get histogram() {
      return (hasHistogram && worker.times?.run.summary()) || null;
    },
    get terminating() {
      return worker.state === STOPPING;
    },
    get destroyed() {
      return worker.state === EXITED;
    },
  };
  workerViews.set(worker, view);
  return view;
}
