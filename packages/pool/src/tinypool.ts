import { availableParallelism } from 'node:os';
import type { ResourceLimits, Transferable } from 'node:worker_threads';
import { badRange } from './errors.js';
import type { AbortSignalAny, FilledOptions, PoolOptions, RunOptions } from './host/options.js';
import type { Policy } from './host/state.js';
import { runWith } from './host/submit.js';
import { mayRetire, retire } from './host/workers.js';
import { CustomQueue } from './piscina/custom-queue.js';
import { Isolation } from './piscina/isolation.js';
import { isTaskQueue, type PoolTask, queueOptionsSymbol } from './piscina/task-queue.js';
import { tinypoolWorkerId } from './shared/context.js';
import {
  isMovable,
  isTransferable,
  markMovable,
  type TransferableValue,
  transferableSymbol,
  valueSymbol,
} from './shared/move.js';
import { isInTime, LONGEST_TIMER } from './shared/timers.js';
import {
  type Any,
  argvOf,
  type Checks,
  check,
  fill,
  isBoolean,
  isNumber,
  StandIn,
  threadsOf,
} from './stand-in.js';

/**
 * The interface of tinypool 2 over a plimsoll pool, with threads: the same class, options, statics and error texts. What
 * differs, and why, is in docs/guide/migrating-from-tinypool.md.
 */
export interface TinypoolOptions
  extends Pick<PoolOptions, 'argv' | 'execArgv' | 'env' | 'workerData' | 'maxQueue'> {
  filename?: string | URL | null | undefined;
  /** Default: 'default'. */
  name?: string | undefined;
  /** Threads, or below 1 a part of the CPUs. Default: half of the CPUs. */
  minThreads?: number | undefined;
  /** Threads, or below 1 a part of the CPUs. Default: the CPUs. */
  maxThreads?: number | undefined;
  /** Milliseconds. Default: 0. */
  idleTimeout?: number | undefined;
  concurrentTasksPerWorker?: number | undefined;
  resourceLimits?: ResourceLimits | undefined;
  trackUnmanagedFds?: boolean | undefined;
  /** Processes are refused. Default: 'worker_threads'. */
  runtime?: 'worker_threads' | undefined;
  /** A fresh worker for each task. Default: false. */
  isolateWorkers?: boolean | undefined;
  /** The exported function that is called before a worker ends. Default: none. */
  teardown?: string | undefined;
  /** Milliseconds that a worker may take to end. Default: no limit, 30 s for `destroy()`. */
  terminateTimeout?: number | undefined;
  /** Bytes of heap after a task from which on its worker is replaced. Default: none. */
  maxMemoryLimitBeforeRecycle?: number | undefined;
  taskQueue?: TaskQueue | undefined;
  /** Idle workers sleep in their event loop; with false at once, without looking for tasks for up to 0.2 ms before. Default: true. */
  useAtomics?: boolean | undefined;
  /** For `histogram`, `utilization` and `stats`, which tinypool has none of. Default: false. */
  recordTiming?: boolean | undefined;
  /** Without effect: it is for processes. */
  serialization?: 'json' | 'advanced' | undefined;
}

/** Options with every default filled in. */
export type FilledTinypoolOptions = FilledOptions &
  TinypoolOptions & { runtime: 'worker_threads'; useAtomics: boolean };

/** What goes with a task. With threads, messages go through a MessagePort in `transferList` instead. */
export interface TinypoolChannel {
  /** Called when the worker of the task ends, or when a task with another channel begins after it. */
  onClose?: () => void;
}

/** Options of `run`. */
export interface TinypoolRunOptions {
  transferList?: Transferable[] | undefined;
  channel?: TinypoolChannel | undefined;
  filename?: string | URL | null | undefined;
  signal?: AbortSignalAny | null | undefined;
  name?: string | null | undefined;
  runtime?: 'worker_threads' | undefined;
}

/** What a custom queue sees of a task. */
export interface Task extends PoolTask {
  /** Rejects it if it still waits. */
  cancel(): void;
}

/** A queue of one's own: decides in which order waiting tasks run. */
export interface TaskQueue {
  readonly size: number;
  push(task: Task): void;
  shift(): Task | null;
  remove(task: Task): void;
  /** Called by `cancelPendingTasks()`, which has removed all tasks before. */
  cancel?(): void;
}

/** What a task that `cancelPendingTasks()` took from the queue is rejected with. */
class CancelError extends Error {
  override readonly name = 'CancelError';

  constructor() {
    super('The task has been cancelled');
  }
}

const OPTIONS: Checks<TinypoolOptions> = [
  ['minThreads', isNumber(0), 'must be a non-negative number'],
  ['maxThreads', (value) => isNumber(0)(value) && value > 0, 'must be a positive number'],
  ['isolateWorkers', isBoolean, 'must be a boolean value'],
  ['teardown', (value) => typeof value === 'string', 'must be a string'],
  ['terminateTimeout', isNumber(0), 'must be a non-negative number'],
  ['maxMemoryLimitBeforeRecycle', isNumber(0), 'must be a non-negative number'],
  ['taskQueue', isTaskQueue, 'must be a TaskQueue object'],
];

/** @throws TypeError for what processes alone have */
function checkChannel(channel: TinypoolChannel): void {
  for (const name of ['onMessage', 'postMessage'])
    if ((channel as Record<string, unknown>)[name] !== undefined)
      throw new TypeError(
        `channel.${name} needs processes: send a MessagePort in the task and its transferList`,
      );
}

function checkRuntime(name: string, value: unknown): void {
  if ((value ?? 'worker_threads') === 'worker_threads') return;
  throw badRange(name, value, "'worker_threads', since it has no processes: for those, stay with tinypool");
}

const MEGABYTE = 2 ** 20;

/** As for tinypool, null is nothing, except as a value for the workers. */
function translate(source: TinypoolOptions): TinypoolOptions & PoolOptions {
  const options: TinypoolOptions & Record<string, unknown> = Object.assign(Object.create(null), source);
  for (const name in options) if (options[name] === null && name !== 'workerData') delete options[name];
  checkRuntime('options.runtime', options.runtime);
  check(options, OPTIONS, (name) => `options.${name}`);
  const cores = availableParallelism();
  const threads = (value: number | undefined): number | undefined =>
    value !== undefined && value > 0 && value < 1 ? Math.max(1, value * cores) : value;
  const limit = options.maxMemoryLimitBeforeRecycle;
  return Object.assign(options, {
    ...threadsOf(threads(options.minThreads), threads(options.maxThreads), cores),
    idleTimeout: options.idleTimeout ?? 0,
    argv: argvOf(options.argv),
    runtime: 'worker_threads' as const,
    useAtomics: options.useAtomics ?? true,
    filename: options.filename || undefined,
    recordTiming: options.recordTiming ?? false,
    maxHeapMb:
      limit === undefined || options.isolateWorkers ? undefined : Math.max(1, Math.ceil(limit / MEGABYTE)),
  });
}

/**
 * A drop-in replacement for tinypool with threads.
 *
 * @example
 * import Tinypool from '@plimsoll/pool/tinypool';
 *
 * const pool = new Tinypool({ filename: new URL('./worker.mjs', import.meta.url).href });
 * const result = await pool.run({ a: 4, b: 6 });
 * await pool.destroy();
 */
export class Tinypool extends StandIn {
  /** Written out, because bundlers rename classes. */
  static override readonly name: string = 'Tinypool';
  readonly #isolation: Isolation | undefined;
  readonly #taskQueue: TinypoolOptions['taskQueue'];
  /** Open channels, and whether their tasks are over. */
  readonly #channels = new Map<TinypoolChannel, boolean>();

  constructor(options: TinypoolOptions = {}) {
    const filled = fill(translate(options)) as FilledTinypoolOptions;
    const isolation = filled.isolateWorkers ? new Isolation() : undefined;
    super('Tinypool', filled, policyOf(filled, isolation));
    this.#isolation = isolation;
    this.#taskQueue = filled.taskQueue;
  }

  run(task: Any, options?: TinypoolRunOptions): Promise<Any> {
    try {
      const channel = options?.channel ?? undefined;
      const transferList = options?.transferList ?? undefined;
      checkRuntime('options.runtime', options?.runtime);
      if (channel !== undefined) checkChannel(channel);
      this.ensureOpen();
      if (channel !== undefined) this.#openChannel(channel);
      const result = this.inResource(runWith(this.core, task, { ...options, transferList } as RunOptions));
      const isPlain = channel === undefined && this.#isolation === undefined;
      return isPlain ? result : this.#followed(result, channel);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async #followed(result: Promise<unknown>, channel: TinypoolChannel | undefined): Promise<unknown> {
    const { core } = this;
    try {
      return await result;
    } finally {
      if (channel !== undefined) this.#channels.set(channel, true);
      if (this.#isolation !== undefined) await this.#inTime(this.#isolation.retire(core));
      if (channel !== undefined && this.#isolation !== undefined) this.#closeChannel(channel);
    }
  }

  /** A timer keeps the process alive meanwhile, which workers that end do not. */
  async #inTime(ends: Promise<unknown>): Promise<void> {
    // As for tinypool, 0 is no limit.
    const isEnded = await isInTime(ends, this.options.terminateTimeout || LONGEST_TIMER);
    if (!isEnded) throw new Error('Failed to terminate worker');
  }

  #openChannel(channel: TinypoolChannel): void {
    for (const [earlier, isOver] of this.#channels)
      if (isOver && earlier !== channel) this.#closeChannel(earlier);
    this.#channels.set(channel, false);
  }

  #closeChannel(channel: TinypoolChannel): void {
    if (this.#channels.delete(channel)) channel.onClose?.();
  }

  /** Rejects the tasks that wait. Those that run go on. */
  cancelPendingTasks(): void {
    this.core.clear(() => new CancelError());
    this.#taskQueue?.cancel?.();
  }

  /** Ends idle workers now, and busy ones after their tasks; new workers take their places. One that still starts stays if tasks wait. */
  async recycleWorkers(options?: { runtime?: 'worker_threads' }): Promise<void> {
    checkRuntime('options.runtime', options?.runtime);
    if (this.#isolation !== undefined) return;
    const { core } = this;
    const leaving = core.workers.filter((worker) => mayRetire(core, worker));
    const idle = leaving.filter((worker) => worker.hasNothing);
    for (const worker of leaving) retire(core, worker);
    core.changed(true);
    await this.#inTime(Promise.all(idle.map((worker) => worker.exited)));
    for (const [channel, isOver] of this.#channels) if (isOver) this.#closeChannel(channel);
  }

  /** Ends all workers, idle ones after their `teardown`, and rejects every task that is not done. */
  override async destroy(): Promise<void> {
    const { core } = this;
    const channels = [...this.#channels.keys()];
    this.isOver = true;
    core.ended = true;
    // A worker may have ended tasks before the pool has read that its file has a teardown.
    for (const worker of core.workers) worker.readMessages();
    const idle = core.workers.filter((worker) => worker.hasNothing && worker.disposes);
    for (const worker of idle) retire(core, worker);
    try {
      await this.#inTime(Promise.all(idle.map((worker) => worker.exited)));
    } finally {
      // A task that has come meanwhile has opened the pool again, with another core.
      if (this.core === core) await super.destroy();
      else await core.destroy();
      for (const channel of channels) this.#closeChannel(channel);
    }
  }

  /** As `destroy()`. */
  close(): Promise<void> {
    return this.destroy();
  }

  override get options(): Readonly<FilledTinypoolOptions> {
    return super.options as FilledTinypoolOptions;
  }
}

function policyOf(
  { taskQueue, teardown, useAtomics }: TinypoolOptions,
  isolation: Isolation | undefined,
): Policy {
  return {
    hooks: { dispose: teardown },
    hasNumbers: true,
    neverSpins: useAtomics === false,
    queueOf: (state) => taskQueue && new CustomQueue(taskQueue, state, () => new CancelError()),
    chooserOf: (state) => isolation?.chooserOf(state),
  };
}

export default Tinypool;
export {
  isMovable,
  isTaskQueue,
  isTransferable,
  markMovable,
  queueOptionsSymbol as kQueueOptions,
  type TransferableValue as Transferable,
  transferableSymbol as kTransferable,
  valueSymbol as kValue,
};
export type Options = TinypoolOptions;
/** Inside a worker: its number, from 1 to `maxThreads`; elsewhere undefined, which tinypool's type leaves out. */
export const workerId: number = tinypoolWorkerId() as number;
