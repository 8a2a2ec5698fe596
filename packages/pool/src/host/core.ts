import { AbortError, PoolError, TimeoutError } from '../errors.js';
import { now } from '../shared/clock.js';
import { wakeFor, wakeFurther } from '../shared/gate.js';
import { layoutOf } from '../shared/layout.js';
import { type SharedTable, tableOf } from '../shared/memory.js';
import { HANDLER, type Startup } from '../shared/messages.js';
import { announce, anythingDone, queuedEntries } from '../shared/table.js';
import { chooserFor } from './balance.js';
import { Crew, type CrewHost } from './crew.js';
import { CustomQueue } from './custom-queue.js';
import { Dispatch, type DispatchHost } from './dispatch.js';
import { failureFor, startFailure, workerFailure } from './faults.js';
import { geometryFor } from './geometry.js';
import { HandlerNames } from './handler-names.js';
import { isInTime } from './in-time.js';
import type { FilledOptions } from './options.js';
import { Pump, type Pumped } from './pump.js';
import { Fifo, type Pending } from './queue.js';
import { type Extras, SETTLED, Task } from './task.js';
import { TaskViews } from './task-views.js';
import { Timing } from './timing.js';
import type { WorkerHandle } from './worker-handle.js';

/** What the public class hears from the core. */
export interface CoreEvents {
  emit(event: 'needsDrain' | 'drain' | 'close'): void;
  emit(event: 'error' | 'message', value: unknown): void;
  emit(event: 'workerCreate' | 'workerDestroy', worker: WorkerHandle): void;
}

const DRAIN_AT_ONCE = 256;
/** Milliseconds that a stopped thread has to end, however short `closeTimeout` is: a busy machine may need some tenths of a second. */
const LEAST_PATIENCE = 2000;

/** So many workers in a row may die before they take a task, although tasks wait. Some may have been ended from outside. */
const MOST_IDLE_DEATHS = 10;

const settled = Promise.resolve();

// `new Promise` with one shared executor makes no closure per task.
let resolveOf: (value: unknown) => void;
const grab = (resolve: (value: unknown) => void): void => {
  resolveOf = resolve;
};

/** The pool without its public face: ties dispatcher, crew and pump together. */
export class Core implements DispatchHost, CrewHost, Pumped {
  readonly options: FilledOptions;
  readonly concurrency: number;
  /** By the clock that all threads share. */
  readonly startedAt = now();
  /** Undefined without `recordTiming`. */
  readonly timing: Timing | undefined;
  readonly choose: DispatchHost['choose'];
  needsDrain = false;
  closing = false;
  /** It was destroyed: nothing runs any more. */
  #ended = false;
  readonly #table: SharedTable;
  readonly #dispatch: Dispatch;
  readonly #crew: Crew;
  readonly #pump: Pump;
  readonly handlers = new HandlerNames((id, { filename, name }) => {
    for (const worker of this.workers) worker.post([HANDLER, id, filename, name]);
  });
  readonly #events: CoreEvents;
  readonly #views = new TaskViews(this.handlers);
  #defaultHandler = -1;
  #onEmpty: (() => void) | undefined;
  #empty: Promise<void> | undefined;
  /** Workers that have died before they took a task, since one has ended a task. */
  #idleDeaths = 0;
  /** Why the last worker could not even be made. */
  #startError: { error: unknown } | undefined;

  constructor(options: FilledOptions, events: CoreEvents, geometry = geometryFor(options)) {
    this.options = options;
    this.#events = events;
    this.concurrency = options.concurrentTasksPerWorker;
    this.#table = tableOf(layoutOf(geometry));
    if (options.filename !== null) this.#defaultHandler = this.handlers.idOf(options.filename, options.name);
    this.#dispatch = new Dispatch(this.#table, this.#newQueue(), this);
    this.timing = options.recordTiming ? new Timing(this.#dispatch) : undefined;
    this.#crew = new Crew(options, this.#table, this);
    this.choose = chooserFor(options, this, (task) => this.#views.of(task));
    this.#dispatch.ordered = options.taskQueue !== undefined;
    this.#pump = new Pump(this);
    // One alone is ready sooner than beside others. Those follow it (`onReady`), unless tasks need them before that.
    if (options.minThreads > 0) this.#crew.spawn();
    // A balancer is offered all of them from its first task on.
    if (options.loadBalancer !== undefined) this.refillCrew();
  }

  #newQueue(): Pending {
    const { taskQueue } = this.options;
    if (taskQueue === undefined) return new Fifo();
    return new CustomQueue(taskQueue, this.#views, (lost, error) => this.#dispatch.reject(lost, error));
  }

  get workers(): readonly WorkerHandle[] {
    return this.#crew?.workers ?? [];
  }

  get idleThreads(): number {
    return Math.min(this.#crew.idle, this.spareThreads);
  }

  /** Workers that no task needs, those that still start included. */
  get spareThreads(): number {
    return Math.max(0, this.workers.length - this.outstanding);
  }

  get words(): Int32Array {
    return this.#table.words;
  }

  get outstanding(): number {
    return this.#dispatch.outstanding;
  }

  get completed(): number {
    return this.#dispatch.completed;
  }

  /** Slots of the table that workers have work with. */
  get slotsInUse(): number {
    return this.#dispatch.inTable;
  }

  /** Tasks that no worker can take yet, neither a free one nor one that still starts. */
  get queueSize(): number {
    return this.#waiting(this.workers.length);
  }

  /** Tasks that so many workers could not take, if so many more were submitted. */
  #waiting(threads: number, morePlain = 0, moreExclusive = 0): number {
    const exclusive = this.#dispatch.exclusive + moreExclusive;
    const plain = this.outstanding - this.#dispatch.exclusive + morePlain;
    const others = Math.max(0, threads - exclusive) * this.concurrency;
    return Math.max(0, exclusive - threads) + Math.max(0, plain - others);
  }

  get isStreaming(): boolean {
    return this.#pump.isStreaming;
  }

  get hasSpareCore(): boolean {
    return this.#crew.hasSpareCore;
  }

  /** Submits a task. `handler` -1: the pool's own. */
  run(value: unknown, handler: number, extras: Extras | undefined): Promise<unknown> {
    const id = handler === -1 ? this.#defaultHandler : handler;
    const refusal = this.#refusal(id, 0);
    if (refusal !== undefined) return Promise.reject(refusal);
    const created = this.timing === undefined ? 0 : now();
    const promise = new Promise<unknown>(grab);
    const task = new Task(value, id, created, resolveOf, extras);
    this.#trySubmit(task);
    return promise;
  }

  /** As `run`, for tasks with a signal or a timeout; `watch` is told how to end the task. */
  runWatched(
    value: unknown,
    handler: number,
    extras: Extras,
    watch: (end: (reason: unknown) => void, name: string) => () => void,
  ): Promise<unknown> {
    const id = handler === -1 ? this.#defaultHandler : handler;
    const refusal = this.#refusal(id, 1);
    if (refusal !== undefined) return Promise.reject(refusal);
    const promise = new Promise<unknown>(grab);
    const task = new Task(value, id, now(), resolveOf, extras);
    extras.release = watch((reason) => this.#end(task, reason), this.handlers.of(id).name);
    this.#trySubmit(task);
    return promise;
  }

  #refusal(handler: number, exclusive: 0 | 1): Error | undefined {
    if (this.closing) return new PoolError('PLIMSOLL_POOL_CLOSED', 'The pool is closing or closed');
    if (handler === -1) {
      const message = 'filename must be provided to run() or in options object';
      return new PoolError('PLIMSOLL_POOL_NO_FILENAME', message);
    }
    const { maxThreads, maxQueue } = this.options;
    if (maxQueue === Number.POSITIVE_INFINITY) return undefined;
    if (this.#waiting(maxThreads, 1 - exclusive, exclusive) <= maxQueue) return undefined;
    const message =
      maxQueue === 0 ? 'No task queue available and all Workers are busy' : 'Task queue is at limit';
    return new PoolError('PLIMSOLL_POOL_QUEUE_FULL', message);
  }

  #trySubmit(task: Task): void {
    try {
      this.#submit(task);
    } catch (error) {
      // The end of the stack. The task may have been submitted, or rejected already.
      task.reject(error);
    }
  }

  #submit(task: Task): void {
    this.timing?.atTime(task.created);
    if (this.options.taskQueue === undefined) this.#dispatch.heed(task);
    // Both now, not in the next microtask: the caller may block this thread until the task has done something.
    if (task.exclusive) this.#spawnForNeed(0, 1);
    else this.#spawnForNeed(1, 0);
    this.#dispatch.submit(task);
    this.#rejectIfNoneCanStart();
    if (!this.needsDrain && this.#isFull) this.#setNeedsDrain(true);
    this.#pump.stateChanged(this.#dispatch.inputs.wasSmall);
  }

  /** A task more would wait, however many workers were started. */
  get #isFull(): boolean {
    return this.#waiting(this.options.maxThreads, 1) > 0;
  }

  #spawnForNeed(morePlain = 0, moreExclusive = 0): void {
    const count = this.workers.length;
    const { minThreads, maxThreads } = this.options;
    if (count >= maxThreads || this.#ended) return;
    // A worker that is wanted anyway takes a task before another one gets its second: the first tasks begin first.
    const isWanted = count < minThreads && this.outstanding + morePlain + moreExclusive > count;
    if (isWanted || this.#waiting(count, morePlain, moreExclusive) > 0) this.spawn();
  }

  /** Starts a worker. An error of Node is kept for the tasks that wait for a worker. */
  spawn(): boolean {
    try {
      return this.#crew.spawn();
    } catch (error) {
      this.#startError = { error };
      return false;
    }
  }

  /** With no worker and no way to start one, nobody would ever run what waits. */
  #rejectIfNoneCanStart(): void {
    if (this.#startError === undefined || this.workers.length > 0) return;
    const { error } = this.#startError;
    this.#startError = undefined;
    this.#dispatch.rejectUnclaimed(() => startFailure(error));
  }

  #setNeedsDrain(needed: boolean): void {
    if (this.needsDrain === needed) return;
    this.needsDrain = needed;
    void settled.then(() => this.#events.emit(needed ? 'needsDrain' : 'drain'));
  }

  /** Ends a task from outside: aborted or timed out. A worker that runs it is killed and replaced. */
  #end(task: Task, reason: unknown): void {
    if (task.state === SETTLED) return;
    this.timing?.atTime(now());
    const runsOn = this.#dispatch.cancel(task, reason);
    if (runsOn !== -1) this.#crew.killByIndex(runsOn);
    this.refillCrew();
    this.#pump.stateChanged();
  }

  /** As many workers as there must be, and one more for tasks that wait. */
  refillCrew(): void {
    // A pool that closes still runs what was submitted before.
    if (this.#ended || (this.closing && this.outstanding === 0)) return;
    while (this.workers.length < this.options.minThreads && this.spawn());
    this.#spawnForNeed();
    this.#rejectIfNoneCanStart();
  }

  turn(): number {
    this.timing?.atTime(now());
    let ended = 0;
    for (const worker of this.#crew.workers) ended += this.#dispatch.drain(worker, DRAIN_AT_ONCE);
    if (this.#dispatch.pending.size > 0) this.#dispatch.refill();
    return ended;
  }

  anythingDone(): boolean {
    for (const worker of this.#crew.workers) if (anythingDone(this.#table, worker.index)) return true;
    return false;
  }

  wakeIfAllSleep(): void {
    announce(this.#table);
    if (!this.#crew.isAnyAwake) this.wakeWorkers();
  }

  get queued(): number {
    return queuedEntries(this.#table);
  }

  wakeWorkers(): void {
    announce(this.#table);
    wakeFor(this.#table, this.queued, this.#crew.workers);
  }

  wakeFurther(): void {
    wakeFurther(this.queued, this.#crew.workers);
  }

  onSettled(): void {
    const { outstanding } = this.#dispatch;
    if (this.needsDrain && !this.#isFull) this.#setNeedsDrain(false);
    if (outstanding > 0) return;
    this.#onEmpty?.();
    this.#crew.watchIdle();
  }

  startup(): Pick<Startup, 'arenas' | 'handlers' | 'preload' | 'shapes'> {
    return {
      arenas: this.#dispatch.inputs.arenas,
      shapes: this.#dispatch.inputs.shapes,
      handlers: this.handlers.all.map(({ filename, name }, id) => [id, filename, name]),
      preload: this.#defaultHandler,
    };
  }

  onCreate(worker: WorkerHandle): void {
    if (worker.times === undefined) return;
    this.timing?.born(worker.times);
    if (this.options.workerHistogram) worker.histogram = worker.times.run;
  }

  onReady(worker: WorkerHandle): void {
    this.#dispatch.reconsider();
    this.#events.emit('workerCreate', worker);
    this.refillCrew();
    this.#crew.watchIdle();
    this.#pump.stateChanged();
  }

  onMessage(value: unknown): void {
    this.#events.emit('message', value);
  }

  onWake(): void {
    this.#pump.woken();
  }

  /** What it has ended before is not to wait for its thread. */
  onKill(worker: WorkerHandle): void {
    this.#dispatch.drain(worker, Number.POSITIVE_INFINITY);
  }

  onGone(worker: WorkerHandle, exitCode: number): void {
    const lost = this.#dispatch.reapWorker(worker, failureFor(worker, exitCode, this.handlers.all));
    if (worker.times !== undefined) this.timing?.died(worker.times);
    if (!worker.leaving) this.#onUnexpectedExit(worker, exitCode, lost);
    this.#events.emit('workerDestroy', worker);
    this.#refillAfter(worker, exitCode, lost);
    this.#pump.stateChanged();
  }

  #onUnexpectedExit(worker: WorkerHandle, exitCode: number, lost: number): void {
    if (!worker.ready) this.#onFailedStart(worker, exitCode);
    else if (lost === 0 && worker.failure !== undefined) this.#events.emit('error', worker.failure.error);
  }

  /** No worker can start: every task that waits gets the reason, rather than waiting for ever. */
  #onFailedStart(worker: WorkerHandle, exitCode: number): void {
    const others = this.workers.some((other) => other !== worker);
    if (others) return;
    const failure = workerFailure(worker, exitCode);
    const waiting = this.outstanding;
    this.#dispatch.rejectUnclaimed(() => workerFailure(worker, exitCode));
    if (waiting === 0) this.#events.emit('error', failure);
  }

  /**
   * A worker that died before it did anything is replaced only when a task needs one, and one that could not even
   * start is not: no loop of deaths. The workers that are left serve the queue, or the last of them ends it.
   */
  #refillAfter(worker: WorkerHandle, exitCode: number, lost: number): void {
    if (worker.completed > 0 || lost > 0) this.#idleDeaths = 0;
    if (worker.leaving || worker.completed > 0 || lost > 0) this.refillCrew();
    else if (worker.ready) this.#replaceIdle(worker, exitCode);
  }

  #replaceIdle(worker: WorkerHandle, exitCode: number): void {
    if (++this.#idleDeaths < MOST_IDLE_DEATHS) {
      this.#spawnForNeed();
      return;
    }
    this.#idleDeaths = 0;
    this.#dispatch.rejectUnclaimed(() => workerFailure(worker, exitCode));
  }

  /** Waits for every task, then stops the workers. */
  async close(force: boolean): Promise<void> {
    if (!this.closing) {
      this.closing = true;
      if (force) this.#dispatch.rejectUnclaimed(() => new AbortError('pool is closed'), this.queueSize);
    }
    if (!(await this.#emptied())) {
      this.#events.emit('error', closeTimeout('Close operation timed out'));
    }
    await this.destroy();
    this.#events.emit('close');
  }

  async #emptied(): Promise<boolean> {
    if (this.outstanding === 0) return true;
    this.#empty ??= new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    return isInTime(this.#empty, this.options.closeTimeout);
  }

  async destroy(): Promise<void> {
    this.closing = true;
    this.#ended = true;
    const reason = (): PoolError => new PoolError('PLIMSOLL_POOL_CLOSED', 'Terminating worker thread');
    this.#dispatch.rejectUnclaimed(reason);
    this.#dispatch.rejectRunning(reason);
    try {
      await this.#crew.killAll(Math.max(this.options.closeTimeout, LEAST_PATIENCE));
    } catch (error) {
      this.#events.emit('error', closeTimeout((error as Error).message));
    } finally {
      this.#pump.stop();
    }
  }
}

const closeTimeout = (message: string): PoolError => new PoolError('PLIMSOLL_POOL_CLOSE_TIMEOUT', message);

/** The reason with which a task that took too long is rejected. */
export const timeoutReason = (milliseconds: number, name: string): TimeoutError =>
  new TimeoutError(milliseconds, name);
