import { context, currentContext, type TaskContext } from './shared/context.js';

export type { TaskContext } from './shared/context.js';
export { move, type TransferableValue, transferableSymbol, valueSymbol } from './shared/move.js';
export { receiveContext, type Storage, type Storages } from './shared/stores.js';

/** Are we inside a worker of a pool? */
export const isWorkerThread: boolean = context.isWorkerThread;
/** Inside a worker: the option `workerData`. */
export const workerData: unknown = context.workerData;

/**
 * The task that this code belongs to, also after an `await`. For a task without `grace`, and outside of a worker, nothing
 * is ever aborted.
 *
 * @example
 * import { task } from '@plimsoll/pool/worker';
 *
 * export function search(items) {
 *   for (const item of items) {
 *     if (task.aborted) return undefined;
 *     if (matches(item)) return item;
 *   }
 * }
 *
 * export const load = (url) => fetch(url, { signal: task.signal }).then((response) => response.json());
 */
export const task: TaskContext = {
  get aborted(): boolean {
    return currentContext()?.aborted ?? false;
  },
  get signal(): AbortSignal {
    // A new one each time: listeners of many tasks would pile up on one that never fires.
    return currentContext()?.signal ?? new AbortController().signal;
  },
};
