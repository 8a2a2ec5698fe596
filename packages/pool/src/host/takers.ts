import { queuedEntries } from '../shared/table.js';
import type { State } from './state.js';
import type { Task } from './task.js';
import { READY, takesTasks, type WorkerHandle } from './worker-handle.js';

// Which worker gets a task whose payload has to be posted.

/** So many tasks at most wait at the only worker of a pool with what they transfer: they are lost with it when it dies. */
const AHEAD = 14;
/** And at one of several workers, while its tasks end within so many milliseconds of one another. */
export const AHEAD_OF_SEVERAL = 4;
const QUICK = 2;

export const isQuick = ({ pace }: WorkerHandle): boolean => pace < QUICK;

/**
 * May a task wait at a busy worker with what it transfers, which then need not ask for it? An abort would lose that with the worker, so
 * not while a task that may be aborted is under way. And what ends its workers, or runs tasks again whose workers have ended, keeps it here.
 */
export function mayPostAhead(state: State, worker: WorkerHandle, { extras }: Task): boolean {
  const { retry, maxHeapMb, maxTasksPerWorker } = state.options;
  if (state.ordered || (extras?.retry ?? retry ?? maxHeapMb ?? maxTasksPerWorker) !== undefined) return false;
  if (state.abortable + state.bound + worker.pinnedAlone > 0) return false;
  return takesTasks(worker) && worker.hasMailRoom;
}

/** The only worker of a pool, which takes no later task before this one. */
export function onlyTaker(state: State, task: Task): WorkerHandle | undefined {
  const { options, workers, table } = state;
  const [worker] = workers;
  if (options.maxThreads > 1 || workers.length > 1 || worker === undefined) return undefined;
  return queuedEntries(table) === 0 && mayPostAhead(state, worker, task) ? worker : undefined;
}

/** Tasks under way at most, where the only worker gets what they transfer ahead. */
export const limitAhead = ({ options }: State): number => options.concurrentTasksPerWorker + AHEAD;

/** Who takes a task that needs the port: it is posted ahead, as the caller may block the host until the task has begun. */
export function takerOf(state: State, task: Task): WorkerHandle | undefined {
  if (queuedEntries(state.table) > 0) return undefined;
  const workers = state.workers.filter(takesTasks);
  const ready = workers.filter((worker) => worker.state === READY);
  if (ready.length > 0) {
    const awake = state.isStreaming ? ready.filter((worker) => worker.isAwake) : [];
    return (awake.length > 0 ? awake : ready).find((worker) => worker.hasNothing);
  }
  // They may run tasks already, which call functions that wait for this one.
  const idle = workers.find((worker) => worker.hasNothing);
  if (idle !== undefined || task.abortable || state.callsHost) return idle;
  const most = Math.min(state.options.concurrentTasksPerWorker, state.table.layout.mailbox);
  return workers.find((worker) => state.abortable + worker.pinnedAlone === 0 && worker.mailCount < most);
}
