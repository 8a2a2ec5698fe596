import { queuedEntries } from '../shared/table.js';
import type { State } from './state.js';
import type { Task } from './task.js';
import { READY, takesTasks, type WorkerHandle } from './worker-handle.js';

/** The most tasks whose transfers are posted ahead to a worker: they are lost if it dies. */
export const AHEAD = 14;
/** The same for tasks with a key. */
export const KEYED_AHEAD = 4;
/** One of several workers gets tasks ahead only if at least this many tasks wait for each worker. */
export const LEAST_SHARE = 4;
/** And only if its tasks end less than this many milliseconds apart. */
const QUICK = 2;

export const isQuick = ({ pace }: WorkerHandle): boolean => pace < QUICK;

/** May a payload wait at a busy worker? Not if the worker may be stopped, or the task retried: it would be lost. */
export function mayPostAhead(state: State, worker: WorkerHandle, { extras }: Task): boolean {
  const { retry, maxHeapMb, maxTasksPerWorker } = state.options;
  if (state.ordered || (extras?.retry ?? retry ?? maxHeapMb ?? maxTasksPerWorker) !== undefined) return false;
  if (state.abortable + state.bound + worker.pinnedAlone > 0) return false;
  return takesTasks(worker) && worker.hasMailRoom;
}

/** The pool's only worker, if it will take this task next. */
export function onlyTaker(state: State, task: Task): WorkerHandle | undefined {
  const { options, workers, table } = state;
  const [worker] = workers;
  if (options.maxThreads > 1 || workers.length > 1 || worker === undefined) return undefined;
  return queuedEntries(table) === 0 && mayPostAhead(state, worker, task) ? worker : undefined;
}

/** The most slots in use while transfers are posted ahead to the only worker. */
export const limitAhead = ({ options }: State): number => options.concurrentTasksPerWorker + AHEAD;

/** The worker to post a payload to ahead, because the caller may block the host until the task has begun. */
export function takerOf(state: State, task: Task): WorkerHandle | undefined {
  if (queuedEntries(state.table) > 0) return undefined;
  const workers = state.workers.filter(takesTasks);
  const ready = workers.filter((worker) => worker.state === READY);
  if (ready.length > 0) {
    const awake = state.isStreaming ? ready.filter((worker) => worker.isAwake) : [];
    return (awake.length > 0 ? awake : ready).find((worker) => worker.hasNothing);
  }
  // Starting workers may already run tasks, whose host calls may wait for this task.
  const idle = workers.find((worker) => worker.hasNothing);
  if (idle !== undefined || task.abortable || state.callsHost) return idle;
  const most = Math.min(state.options.concurrentTasksPerWorker, state.table.layout.mailbox);
  return workers.find((worker) => state.abortable + worker.pinnedAlone === 0 && worker.mailCount < most);
}
