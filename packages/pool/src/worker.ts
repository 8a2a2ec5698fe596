import { PoolError } from './errors.js';
import { callsByName } from './shared/calls.js';
import { type CurrentTask, currentContext, type TaskContext, workerContext } from './shared/context.js';
import type { AnyHost, HostCalls } from './types.js';

export type { TaskContext } from './shared/context.js';
export { move, type TransferableValue, transferableSymbol, valueSymbol } from './shared/move.js';
export { receiveContext, type Storage, type Storages } from './shared/stores.js';
export type { AnyHost, HostCalls } from './types.js';

/** Is this code inside a worker of a pool? */
export const isWorkerThread: boolean = workerContext().isWorkerThread;
/** Inside a worker: the option `workerData`. */
export const workerData: unknown = workerContext().workerData;

/**
 * The task that the calling code belongs to, also after an `await`. Outside a worker, and for a task without `grace`,
 * it is never aborted.
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
    // A new signal each time: listeners of many tasks would pile up on a shared signal that never fires.
    return currentContext()?.signal ?? new AbortController().signal;
  },
};

function callerOf(name: string): CurrentTask {
  const current = currentContext();
  if (current !== undefined) return current;
  const message = `host.${name}() was called outside a task, or neither the pool nor run() has a host`;
  throw new PoolError('PLIMSOLL_POOL_NO_HOST_FUNCTION', message);
}

const sync = callsByName(
  (name) =>
    (...items: unknown[]) =>
      callerOf(name).callSync([name, items]),
);

const call = (name: string, items: unknown[]): Promise<unknown> => {
  try {
    return callerOf(name).call([name, items]);
  } catch (error) {
    return Promise.reject(error);
  }
};

/**
 * The functions of the option `host`, of the pool or of `run()`: they run on the pool's thread. Arguments and results
 * are copied as tasks are; `move(value)` transfers one. `host.sync` has them too: it blocks this thread until the
 * answer is there, and costs about as much as a task.
 *
 * A task may call them while it runs: a call without an answer at the task's end rejects with
 * PLIMSOLL_POOL_CALL_TOO_LATE. What the function throws arrives as it was thrown.
 *
 * @example
 * import { host } from '@plimsoll/pool/worker';
 *
 * export async function bundle(entry) {
 *   const path = await host.resolve(entry); // or host.sync.resolve(entry)
 *   return compile(path);
 * }
 */
export const host = callsByName((name) =>
  name === 'sync' ? sync : (...items: unknown[]) => call(name, items),
) as HostCalls<AnyHost>;

/**
 * `host`, with types.
 *
 * @example
 * import type { api } from './build.js';
 *
 * const host = hostCalls<typeof api>();
 */
export const hostCalls = <Api>(): HostCalls<Api> => host as HostCalls<Api>;
