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
 * Options of tinypool 2. `Tinypool` has the original's methods, options, statics and error texts, with threads only;
 * docs/guide/migrating-from-tinypool.md lists the differences.
 */
export interface TinypoolOptions
  extends Pick<PoolOptions, 'argv' | 'execArgv' | 'env' | 'workerData' | 'maxQueue'> {
  filename?: string | URL | null | undefined;
  /** Default: 'default'. */
  name?: string | undefined;
  /** The least number of workers; below 1, a share of the CPUs. Default: half of the CPUs. */
  minThreads?: number | undefined;
  /** The greatest number of workers; below 1, a share of the CPUs. Default: the number of CPUs. */
  maxThreads?: number | undefined;
  /** Milliseconds after which an idle worker beyond `minThreads` is stopped. Default: 0. */
  idleTimeout?: number | undefined;
  concurrentTasksPerWorker?: number | undefined;
  resourceLimits?: ResourceLimits | undefined;
  trackUnmanagedFds?: boolean | undefined;
  /** Child processes are refused. Default: 'worker_threads'. */
  runtime?: 'worker_threads' | undefined;
  /** A fresh worker for each task. Default: false. */
  isolateWorkers?: boolean | undefined;
  /** The exported function that is called before a worker ends. Default: none. */
  teardown?: string | undefined;
  /** Milliseconds that a worker may take to end. Default: no limit, 30 s for `destroy()`. */
  terminateTimeout?: number | undefined;
  /** Bytes of heap after a task above which its worker is replaced. Default: none. */
  maxMemoryLimitBeforeRecycle?: number | undefined;
  taskQueue?: TaskQueue | undefined;
  /** With false, idle workers sleep at once; otherwise they first look for tasks for up to 0.2 ms. Default: true. */
  useAtomics?: boolean | undefined;
  /** Record times for `histogram`, `utilization` and `stats`, which tinypool does not have. Default: false. */
  recordTiming?: boolean | undefined;
  /** Without effect: it is for child processes. */
  serialization?: 'json' | 'advanced' | undefined;
}

/** Options with every default filled in. */
export type FilledTinypoolOptions = FilledOptions &
  TinypoolOptions & { runtime: 'worker_threads'; useAtomics: boolean };

/** The channel of a task. With threads, send messages through a MessagePort in `transferList` instead. */
export interface TinypoolChannel {
  /** Called when the worker of the task ends, or when a later task with another channel begins. */
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

/** A task as a custom queue sees it. */
export interface Task extends PoolTask {
  /** Rejects the task if it still waits. */
  cancel(): void;
}

/** A custom queue: decides the order of waiting tasks. */
export interface TaskQueue {
  readonly size: number;
  push(task: Task): void;
  shift(): Task | null;
  remove(task: Task): void;
  /** Called by `cancelPendingTasks()` after all tasks were removed. */
  cancel?(): void;
}

/** The error of a task that `cancelPendingTasks()` took from the queue. */
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

/** @throws TypeError for members that need child processes */
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

/** As in tinypool, null counts as not given, except for `workerData`. */
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

  /** A timer keeps the process alive meanwhile; ending workers do not. */
  async #inTime(ends: Promise<unknown>): Promise<void> {
    // As in tinypool, 0 is no limit.
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

  /** Rejects the waiting tasks. Running tasks go on. */
  cancelPendingTasks(): void {
    this.core.clear(() => new CancelError());
    this.#taskQueue?.cancel?.();
  }

  /** Ends idle workers now and busy workers after their tasks, and replaces them. A starting worker stays if tasks wait. */
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

  /** Ends all workers, idle workers after their `teardown`, and rejects all unsettled tasks. */
  override async destroy(): Promise<void> {
    const { core } = this;
    const channels = [...this.#channels.keys()];
    this.isOver = true;
    core.ended = true;
    // The pool may not have read yet that a worker's file has a teardown.
    for (const worker of core.workers) worker.readMessages();
    const idle = core.workers.filter((worker) => worker.hasNothing && worker.disposes);
    for (const worker of idle) retire(core, worker);
    try {
      await this.#inTime(Promise.all(idle.map((worker) => worker.exited)));
    } finally {
      // A task that came meanwhile has reopened the pool, with another core.
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
/** Inside a worker: its number, from 1 to `maxThreads`; elsewhere undefined, which tinypool's type omits. */
export const workerId: number = tinypoolWorkerId() as number;
