import { types } from 'node:util';
import { WorkerError } from '../errors.js';
import type { HandlerName } from './handler-names.js';
import type { Task } from './task.js';
import type { WorkerHandle } from './worker-handle.js';

/** Why a task did not end well: its worker has exited. */
export function workerFailure(worker: WorkerHandle, exitCode: number, handler?: HandlerName): WorkerError {
  const context = {
    exitCode,
    threadId: worker.threadId,
    taskName: handler?.name,
    filename: handler?.filename,
  };
  const where = handler === undefined ? '' : ` while it ran '${handler.name}' of ${handler.filename}`;
  if (!worker.ready) {
    const options = worker.failure === undefined ? {} : { cause: worker.failure.error };
    const why = worker.failure === undefined ? '' : `: ${messageOf(worker.failure.error)}`;
    const message = `A worker ended before it was ready, with exit code ${exitCode}${why}`;
    return new WorkerError('PLIMSOLL_POOL_START_FAILED', message, context, options);
  }
  if (worker.failure === undefined) {
    const message = `worker exited with code: ${exitCode}${where}`;
    return new WorkerError('PLIMSOLL_POOL_WORKER_EXITED', message, context);
  }
  const { error } = worker.failure;
  const outOfMemory = (error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return new WorkerError(
    outOfMemory ? 'PLIMSOLL_POOL_OUT_OF_MEMORY' : 'PLIMSOLL_POOL_WORKER_CRASHED',
    `${outOfMemory ? 'A worker ran out of memory' : 'An uncaught error ended a worker'}${where}: ${messageOf(error)}`,
    context,
    { cause: error },
  );
}

/** Node refuses to make a worker at all. */
export const startFailure = (cause: unknown): WorkerError =>
  new WorkerError(
    'PLIMSOLL_POOL_START_FAILED',
    `No worker can be started: ${messageOf(cause)}`,
    {},
    { cause },
  );

const messageOf = (error: unknown): string => (types.isNativeError(error) ? error.message : String(error));

/** Makes the errors of tasks whose worker has exited. */
export function failureFor(
  worker: WorkerHandle,
  exitCode: number,
  handlers: readonly HandlerName[],
): (task: Task) => WorkerError {
  return (task) => workerFailure(worker, exitCode, handlers[task.handler]);
}
