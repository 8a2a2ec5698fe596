import { WorkerError } from '../errors.js';
import { messageOf } from '../shared/untrusted.js';
import type { HandlerName } from './handler-names.js';
import type { WorkerHandle } from './worker-handle.js';

/** Why a task did not end well: its worker has exited. */
export function workerFailure(worker: WorkerHandle, exitCode: number, handler?: HandlerName): WorkerError {
  const { threadId } = worker;
  const context = { exitCode, threadId, taskName: handler?.name, filename: handler?.filename };
  const where = handler === undefined ? '' : ` while it ran '${handler.name}' of ${handler.filename}`;
  if (!worker.ready) {
    const options = worker.failure === undefined ? {} : { cause: worker.failure.error };
    const why = worker.failure === undefined ? '' : `: ${messageOf(worker.failure.error)}`;
    const message = `A worker ended before it was ready, with exit code ${exitCode}${why}`;
    return new WorkerError('PLIMSOLL_POOL_START_FAILED', message, context, options);
  }
  if (worker.leaving) {
    const message = `A worker was stopped for another task${where}`;
    return new WorkerError('PLIMSOLL_POOL_WORKER_STOPPED', message, context);
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
export function startFailure(cause: unknown): WorkerError {
  const message = `No worker can be started: ${messageOf(cause)}`;
  return new WorkerError('PLIMSOLL_POOL_START_FAILED', message, {}, { cause });
}
