import { workerData as threadData } from 'node:worker_threads';

/** What a task can know about the thread that it runs on. */
export interface WorkerContext {
  readonly isWorkerThread: boolean;
  readonly workerData: unknown;
}

const KEY = Symbol.for('plimsoll.pool.context');
const registry = globalThis as { [KEY]?: WorkerContext };

/** Called once by the worker's entry. */
export function enterWorker(): void {
  registry[KEY] = { isWorkerThread: true, workerData: threadData };
}

/** Kept on the global object, because a worker file may load a second copy of this package, or a transpiled one. */
export const context: WorkerContext = {
  get isWorkerThread() {
    return registry[KEY]?.isWorkerThread ?? false;
  },
  get workerData() {
    return registry[KEY]?.workerData;
  },
};
