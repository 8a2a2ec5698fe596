import { workerData as threadData } from 'node:worker_threads';
import type { HostRequest } from './calls.js';

export interface WorkerContext {
  readonly isWorkerThread: boolean;
  readonly workerData: unknown;
}

/** What a running task can find out about itself. */
export interface TaskContext {
  /**
   * Has the host asked the task to end? Read from shared memory, so a loop that never yields sees it, too. Without
   * the option `grace` always false, because then the worker is stopped at once.
   */
  readonly aborted: boolean;
  /** Aborted when the host asks the task to end. The reason is that of the caller's signal, or a TimeoutError. */
  readonly signal: AbortSignal;
}

/** With the functions behind `host`. */
export interface CurrentTask extends TaskContext {
  call(request: HostRequest): Promise<unknown>;
  callSync(request: HostRequest): unknown;
}

/** On the global object, because worker files may load their own copies of this package. */
const THREAD = Symbol.for('plimsoll.pool.context');
const TASK = Symbol.for('plimsoll.pool.task');
const registry = globalThis as { [THREAD]?: WorkerContext; [TASK]?: () => CurrentTask | undefined };

export function enterWorker(): void {
  registry[THREAD] = { isWorkerThread: true, workerData: threadData };
}

/** For worker files written for tinypool, and their test runners. */
export function enterTinypool(workerId: number): void {
  const state = { isTinypoolWorker: true, isWorkerThread: true, workerData: threadData, workerId };
  Reflect.set(process, '__tinypool_state__', state);
}

export const tinypoolWorkerId = (): number | undefined =>
  (process as { __tinypool_state__?: { workerId?: number } }).__tinypool_state__?.workerId;

export const workerContext = (): WorkerContext =>
  registry[THREAD] ?? { isWorkerThread: false, workerData: undefined };

/** Called by a worker's first task with a context, and by a pool for tests. `_end` is for pools that end before their thread does. */
export function provideContext(current: () => CurrentTask | undefined, _end?: () => void): void {
  const provider = registry[TASK];
  registry[TASK] = provider === undefined ? current : () => current() ?? provider();
}

export const currentContext = (): CurrentTask | undefined => registry[TASK]?.();
