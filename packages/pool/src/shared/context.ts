import { workerData as threadData } from 'node:worker_threads';
import type { HostRequest } from './calls.js';

/** What a task can know about the thread that it runs on. */
export interface WorkerContext {
  readonly isWorkerThread: boolean;
  readonly workerData: unknown;
}

/** What a task that runs can know about itself. */
export interface TaskContext {
  /**
   * Shall the task end? Read from shared memory, so it changes inside a loop that never returns to the event loop, too.
   * Always false without `grace`, for then the worker is stopped at once.
   */
  readonly aborted: boolean;
  /** Aborted when the task shall end. Its reason is that of the caller's signal, or a TimeoutError. */
  readonly signal: AbortSignal;
}

/** The same with what `host` stands on. */
export interface CurrentTask extends TaskContext {
  call(request: HostRequest): Promise<unknown>;
  /** Blocks the thread until there is an answer. */
  callSync(request: HostRequest): unknown;
}

/** On the global object, because worker files load copies of this package of their own, perhaps transpiled ones. */
const THREAD = Symbol.for('plimsoll.pool.context');
const TASK = Symbol.for('plimsoll.pool.task');
const registry = globalThis as { [THREAD]?: WorkerContext; [TASK]?: () => CurrentTask | undefined };

/** Called once by the worker's entry. */
export function enterWorker(): void {
  registry[THREAD] = { isWorkerThread: true, workerData: threadData };
}

/** The place where worker files written for tinypool, and their runners, look. */
export function enterTinypool(workerId: number): void {
  const state = { isTinypoolWorker: true, isWorkerThread: true, workerData: threadData, workerId };
  Reflect.set(process, '__tinypool_state__', state);
}

export const tinypoolWorkerId = (): number | undefined =>
  (process as { __tinypool_state__?: { workerId?: number } }).__tinypool_state__?.workerId;

export const workerContext = (): WorkerContext =>
  registry[THREAD] ?? { isWorkerThread: false, workerData: undefined };

/**
 * Called in a worker by the first task that has a context, and by a pool without threads, perhaps in the same thread. `_end` is for
 * pools that end before their thread does.
 */
export function provideContext(current: () => CurrentTask | undefined, _end?: () => void): void {
  const provider = registry[TASK];
  registry[TASK] = provider === undefined ? current : () => current() ?? provider();
}

export const currentContext = (): CurrentTask | undefined => registry[TASK]?.();
