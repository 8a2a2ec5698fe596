import { workerData as threadData } from 'node:worker_threads';

/** What a task can know about the thread that it runs on. Filled in by the worker's entry. */
export const context = { isWorkerThread: false, workerData: undefined as unknown };

/** Called once by the worker's entry. */
export function enterWorker(): void {
  context.isWorkerThread = true;
  context.workerData = threadData;
}
