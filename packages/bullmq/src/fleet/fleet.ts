import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AbortError, type AnyModule, type HistogramSummary, PoolError } from '@plimsoll/pool';
import { flag, Histogram, isInTime, now, plainCopy, watch } from '@plimsoll/pool/internal';
import { Queue } from 'bullmq';
import type { FleetError } from '../errors.js';
import { announceCancellation, forgetCancellation, isCancelled } from '../shared/cancellations.js';
import { codedError, Link } from '../shared/connection.js';
import {
  type CheckedFleet,
  checkFleet,
  checkRun,
  type FleetOptions,
  type FleetRunOptions,
} from '../shared/options.js';
import { Registry, type WorkerEntry } from '../shared/registry.js';
import { Payloads } from '../shared/wire.js';
import { TaskRunner } from '../tasks/task-runner.js';
import { type FleetJob, jobOf } from './job.js';
import { Pending, PendingTasks } from './pending.js';
import { Results } from './results.js';

/** Of BullMQ's stream of events, which all hosts read: about four a task. */
const MOST_EVENTS = 50_000;
/** Milliseconds between two looks for the end of a job that was cancelled. */
const ENDING = 20;
/** Milliseconds that cancellations have when the fleet closes: some round trips. */
const CANCELLED = 5_000;

/** The work of a queue, and its workers. */
export interface FleetStats {
  /** Tasks that wait for a worker. */
  readonly waiting: number;
  readonly active: number;
  /** Tasks that wait for a moment: their next attempt, or a worker that knows them. */
  readonly delayed: number;
  /** Ended tasks that are kept. */
  readonly completed: number;
  readonly failed: number;
  readonly workers: readonly WorkerEntry[];
}

/** Times of this process's tasks, in milliseconds. */
export interface FleetHistogram {
  /** How long functions ran, measured by the workers. */
  readonly runTime: HistogramSummary;
  /** The rest from `run()` to the result: in the queue, in the network, to a worker and back. */
  readonly waitTime: HistogramSummary;
}

/** Options of `close()`. */
export interface FleetCloseOptions {
  /** Cancel the tasks that are under way, instead of waiting for them, also when it closes already. Default: false. */
  readonly force?: boolean | undefined;
}

/**
 * The tasks of a module on worker processes, over BullMQ: `run()` as a pool has it. Tasks run at least once: one whose worker
 * process is lost runs again elsewhere.
 *
 * Events: 'offline' (why) and 'online' for the connection to Redis, 'stalled' (a job id: its worker is gone, and it runs again),
 * 'close', and 'error' for what no task can be told, which needs no listener.
 *
 * @example
 * const fleet = createFleet<typeof import('./tasks.js')>({ queue: 'numbers', connection: process.env.REDIS_URL });
 * const sum = await fleet.run({ a: 4, b: 6 }, { name: 'add' });
 */
export class Fleet<Module = AnyModule> extends TaskRunner<Module> {
  readonly kind = 'fleet';
  readonly #options: CheckedFleet;
  readonly #link: Link;
  readonly #queue: Queue;
  readonly #results: Results;
  readonly #registry: Registry;
  readonly #payloads: Payloads;
  readonly #pending = new PendingTasks();
  /** By the ids of their jobs. */
  readonly #cancelling = new Map<string, Promise<void>>();
  readonly #submitting = new Set<Promise<void>>();
  readonly #runTimes = new Histogram();
  readonly #waitTimes = new Histogram();
  readonly #startedAt = now();
  #completed = 0;
  #closing: Promise<void> | undefined;

  /** @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION for a bad option */
  constructor(options: FleetOptions) {
    super();
    this.#options = checkFleet(options);
    const { queue, prefix } = this.#options;
    this.#link = new Link(this.#options, {
      online: () => this.#onOnline(),
      offline: (reason) => this.emit('offline', reason),
      lost: (reason) => this.#onLost(reason),
    });
    const { client } = this.#link;
    const streams = { events: { maxLen: MOST_EVENTS } };
    this.#queue = new Queue(queue, { connection: client, prefix, streams });
    this.#queue.on('error', (error) => this.#onError(error));
    this.#registry = new Registry(client, this.#options);
    this.#payloads = new Payloads(client, this.#options);
    this.#results = new Results({
      ...{
        queue: this.#queue,
        client,
        place: this.#options,
        payloads: this.#payloads,
        pending: this.#pending,
      },
      succeeded: (task, value, ms) => this.#succeeded(task, value, ms),
      failed: (task, reason) => {
        this.#reject(task, reason);
        this.#dropLarge(task);
      },
      stalled: (id) => {
        if (this.#pending.has(id)) this.emit('stalled', id);
      },
      error: (error) => this.#onError(error),
    });
  }

  /** @internal */
  protected get defaultName(): string {
    return this.#options.name;
  }

  /** Redis is reached. Rejects with FleetError PLIMSOLL_FLEET_UNAVAILABLE or PLIMSOLL_FLEET_REFUSED. */
  ready(): Promise<void> {
    return this.#open();
  }

  /** Tasks of this process that are not settled. */
  get pending(): number {
    return this.#pending.size;
  }

  get completed(): number {
    return this.#completed;
  }

  /** Milliseconds since the fleet was made. */
  get duration(): number {
    return now() - this.#startedAt;
  }

  get histogram(): FleetHistogram {
    return { runTime: this.#runTimes.summary(), waitTime: this.#waitTimes.summary() };
  }

  /**
   * A task as BullMQ takes it, for what BullMQ has and this has not: flows (`FlowProducer`), schedules, delays.
   *
   * @throws TypeError, RangeError, UncloneableError, or FleetError PLIMSOLL_FLEET_TOO_LARGE
   * @example
   * await flowProducer.add({ name: 'report', queueName: 'reports', children: pages.map((page) => fleet.job(page)) });
   */
  job(task: unknown, options: FleetRunOptions = {}): FleetJob {
    const { queue, prefix } = this.#options;
    const { name, data, opts } = jobOf(task, checkRun(this.#options.name, options), this.#options);
    return { name, data, opts, queueName: queue, prefix };
  }

  /** Asks Redis for what the queue has to do, and which workers there are. Rejects as `ready` does. */
  async stats(): Promise<FleetStats> {
    await this.#open();
    const [counts, workers] = await this.#link.answer(
      Promise.all([
        this.#queue.getJobCounts('wait', 'prioritized', 'active', 'delayed', 'completed', 'failed'),
        this.#registry.all(),
      ]),
    );
    const { wait = 0, prioritized = 0, active = 0, delayed = 0, completed = 0, failed = 0 } = counts;
    return { waiting: wait + prioritized, active, delayed, completed, failed, workers };
  }

  /**
   * Refuses further tasks, waits for the results of those that were submitted (`closeTimeout` at most), and disconnects. Tasks
   * without a result by then are rejected with PLIMSOLL_POOL_CLOSED; their jobs stay in the queue.
   */
  async close(options: FleetCloseOptions = {}): Promise<void> {
    const force = flag('options.force', plainCopy(options).force) ?? false;
    this.#closing ??= this.#close();
    const reason = new AbortError(undefined, 'The fleet was closed');
    if (force) for (const task of this.#pending.all()) this.#end(task, reason);
    await this.#closing;
  }

  async #close(): Promise<void> {
    await isInTime(this.#pending.empty(), this.#options.closeTimeout);
    for (const task of this.#pending.all()) this.#reject(task, closed('before the result came'));
    const underWay = Promise.allSettled([...this.#submitting, ...this.#cancelling.values()]);
    if (this.#link.isOnline) await isInTime(underWay, CANCELLED);
    this.#results.close();
    this.#link.close();
    this.emit('close');
  }

  async #open(): Promise<void> {
    if (this.#closing !== undefined) throw closed('');
    await this.#link.usable();
    await this.#link.answer(this.#results.open());
  }

  #onOnline(): void {
    this.emit('online');
    void this.#results.lookAtAll();
  }

  #onLost(reason: FleetError): void {
    for (const task of this.#pending.all()) this.#reject(task, reason);
  }

  #onError(error: Error): void {
    if (this.listenerCount('error') > 0 && this.#link.isOnline) this.emit('error', error);
  }

  /** @internal */
  protected submit(task: unknown, options: FleetRunOptions, spread: boolean): Promise<unknown> {
    if (this.#closing !== undefined) throw closed('');
    const checked = checkRun(this.#options.name, options);
    const { signal } = checked;
    if ((signal as AbortSignal | undefined)?.aborted) throw new AbortError((signal as AbortSignal).reason);
    const job = jobOf(task, checked, this.#options, spread, true);
    const { name, jobId, timeout } = checked;
    return new Promise((resolve, reject) => {
      const isLarge = job.bytes !== undefined;
      const task = new Pending(jobId ?? randomUUID(), name, jobId !== undefined, isLarge, resolve, reject);
      this.#pending.add(task);
      task.unwatch = watch((reason) => this.#end(task, reason), name, signal, timeout);
      const submitting = this.#submit(task, job).finally(() => this.#submitting.delete(submitting));
      this.#submitting.add(submitting);
    });
  }

  async #submit(task: Pending, { data, opts, bytes }: ReturnType<typeof jobOf>): Promise<void> {
    try {
      await this.#open();
      if (task.isShared) await this.#clearFor(task);
      if (task.isSettled) return;
      // One connection keeps their order.
      const stored = bytes === undefined ? undefined : this.#payloads.putTask(task.id, bytes);
      await Promise.all([stored, this.#queue.add(task.name, data, { ...opts, jobId: task.id })]);
      task.isAdded = true;
      if (task.isCancelled) await this.#cancel(task);
      // Its job may have ended before, without an event to come.
      else if (task.isShared) await this.#results.lookFor(task);
    } catch (error) {
      this.#reject(task, codedError(error));
    }
  }

  /**
   * What has failed runs anew, and so does what is older than `keep` says: BullMQ removes that only when another job ends. A job
   * that is about to end because it was cancelled is waited for.
   */
  async #clearFor(task: Pending): Promise<void> {
    const { client } = this.#link;
    await this.#cancelling.get(task.id);
    while (await isCancelled(client, this.#options, task.id)) {
      const job = await this.#queue.getJob(task.id);
      if (task.isSettled || job === undefined || job.finishedOn !== undefined) break;
      await sleep(ENDING);
    }
    await forgetCancellation(client, this.#options, task.id);
    const job = await this.#queue.getJob(task.id);
    if (job?.finishedOn === undefined) return;
    const isOld = Date.now() - job.finishedOn >= this.#options.keep.age * 1000;
    if (isOld || job.returnvalue === null) await this.#queue.remove(task.id);
  }

  /** Of a job that has ended, or is out of the queue. Its worker does the same; either may be gone. */
  #dropLarge({ id, isLarge }: Pending): void {
    if (isLarge) void this.#payloads.dropTask(id).catch(() => {});
  }

  #succeeded(task: Pending, value: unknown, ms: number): void {
    this.#dropLarge(task);
    if (!this.#leave(task)) return;
    this.#runTimes.record(ms);
    this.#waitTimes.record(now() - task.submittedAt - ms);
    task.resolve(value);
  }

  #reject(task: Pending, reason: unknown): void {
    if (this.#leave(task)) task.reject(reason);
  }

  /** False when it is settled already. */
  #leave(task: Pending): boolean {
    if (task.isSettled) return false;
    task.isSettled = true;
    task.unwatch();
    this.#pending.remove(task);
    this.#completed++;
    return true;
  }

  #end(task: Pending, reason: unknown): void {
    if (task.isSettled) return;
    task.isCancelled = true;
    this.#reject(task, reason);
    if (task.isAdded) void this.#cancel(task);
  }

  #cancel(task: Pending): Promise<void> {
    const { id } = task;
    const cancelled = this.#takeBack(task)
      .catch((error: Error) => this.#onError(error))
      .finally(() => this.#cancelling.get(id) === cancelled && this.#cancelling.delete(id));
    this.#cancelling.set(id, cancelled);
    return cancelled;
  }

  /** Takes a job out of the queue, or has it ended where it runs, unless somebody here still waits for it. */
  async #takeBack(task: Pending): Promise<void> {
    const { id } = task;
    if (this.#pending.has(id)) return;
    const removed = await this.#queue.remove(id);
    if (removed === 0) await announceCancellation(this.#link.client, this.#options, id);
    else this.#dropLarge(task);
  }
}

const closed = (when: string): PoolError =>
  new PoolError('PLIMSOLL_POOL_CLOSED', `The fleet was closed${when === '' ? '' : ` ${when}`}`);

/**
 * The tasks of a module on worker processes. See `createFleetWorker` and the command `plimsoll-worker` for the other side.
 *
 * @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION
 * @example
 * await using fleet = createFleet<typeof import('./tasks.js')>({ queue: 'images', connection: process.env.REDIS_URL });
 * const thumbnail = await fleet.run(image, { name: 'resize' });
 */
export const createFleet = <Module = AnyModule>(options: FleetOptions): Fleet<Module> => new Fleet(options);
