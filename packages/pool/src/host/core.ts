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
import type { FilledOptions } from './options.js';
import { Pump, type Pumped } from './pump.js';
import { ByPriority, Fifo, type Pending } from './queue.js';
import { type Extras, SETTLED, Task } from './task.js';
import { type PoolTask, queueOptionsSymbol } from './task-queue.js';
import { Timing } from './timing.js';
import type { WorkerHandle } from './worker-handle.js';

/** What the public class hears from the core. */
export interface CoreEvents {
  emit(event: 'needsDrain' | 'drain' | 'close'): void;
  emit(event: 'error' | 'message', value: unknown): void;
  emit(event: 'workerCreate' | 'workerDestroy', worker: WorkerHandle): void;
}

const DRAIN_AT_ONCE = 256;
/** Milliseconds that a worker that has just become ready has the cores for itself: its first task may wait for them. */
const ALONE = 10;

// `new Promise` with one shared executor makes no closure per task.
let resolveOf: (value: unknown) => void;
const grab = (resolve: (value: unknown) => void): void => {
  resolveOf = resolve;
};

/** The pool without its public face: ties dispatcher, crew and pump together. */
export class Core implements DispatchHost, CrewHost, Pumped {
  readonly options: FilledOptions;
  readonly concurrency: number;
  readonly startedAt = performance.now();
  /** Undefined without `recordTiming`. */
  readonly timing: Timing | undefined;
  readonly choose: DispatchHost['choose'];
  needsDrain = false;
  closing = false;
  private readonly table: SharedTable;
  private readonly dispatch: Dispatch;
  private readonly crew: Crew;
  private readonly pump: Pump;
  readonly handlers = new HandlerNames((id, { filename, name }) => {
    for (const worker of this.workers) worker.post([HANDLER, id, filename, name]);
  });
  private readonly events: CoreEvents;
  private taskIds = 0;
  private defaultHandler = -1;
  private onEmpty: (() => void) | undefined;
  /** Why the last worker could not even be made. */
  private hindrance: { error: unknown } | undefined;

  constructor(options: FilledOptions, events: CoreEvents) {
    this.options = options;
    this.events = events;
    this.concurrency = options.concurrentTasksPerWorker;
    this.table = tableOf(layoutOf(geometryFor(options)));
    if (options.filename !== null) this.defaultHandler = this.handlers.idOf(options.filename, options.name);
    this.dispatch = new Dispatch(this.table, this.newQueue(), this);
    this.timing = options.recordTiming ? new Timing(this.dispatch) : undefined;
    this.crew = new Crew(options, this.table, this);
    this.choose = chooserFor(options, this, (task) => this.viewOf(task));
    this.dispatch.ordered = options.taskQueue !== undefined;
    this.pump = new Pump(this);
    // One alone is ready sooner than beside others. Those follow it (`onReady`), unless tasks need them before that.
    if (options.minThreads > 0) this.crew.spawn();
  }

  private newQueue(): Pending {
    const { taskQueue } = this.options;
    if (taskQueue === undefined) return new Fifo();
    const viewOf = (task: Task): PoolTask => this.viewOf(task);
    return new CustomQueue(taskQueue, viewOf, (lost, error) => this.dispatch.reject(lost, error));
  }

  get workers(): readonly WorkerHandle[] {
    return this.crew?.workers ?? [];
  }

  get idleThreads(): number {
    return Math.min(this.crew.idle, Math.max(0, this.workers.length - this.outstanding));
  }

  get words(): Int32Array {
    return this.table.words;
  }

  get outstanding(): number {
    return this.dispatch.outstanding;
  }

  get completed(): number {
    return this.dispatch.completed;
  }

  /** Tasks that no worker can take yet, neither a free one nor one that still starts. */
  get queueSize(): number {
    return this.waiting(this.workers.length);
  }

  /** Tasks that so many workers could not take, if so many more were submitted. */
  private waiting(threads: number, morePlain = 0, moreExclusive = 0): number {
    const exclusive = this.dispatch.exclusive + moreExclusive;
    const plain = this.outstanding - this.dispatch.exclusive + morePlain;
    const others = Math.max(0, threads - exclusive) * this.concurrency;
    return Math.max(0, exclusive - threads) + Math.max(0, plain - others);
  }

  get isStreaming(): boolean {
    return this.pump.isStreaming;
  }

  get hasSpareCore(): boolean {
    return this.crew.hasSpareCore;
  }

  /** Submits a task. `handler` -1: the pool's own. */
  run(value: unknown, handler: number, extras: Extras | undefined): Promise<unknown> {
    const id = handler === -1 ? this.defaultHandler : handler;
    const refusal = this.refusal(id, 0);
    if (refusal !== undefined) return Promise.reject(refusal);
    const created = this.timing === undefined ? 0 : now();
    const promise = new Promise<unknown>(grab);
    const task = new Task(value, id, created, resolveOf, extras);
    this.submit(task);
    return promise;
  }

  /** As `run`, for tasks with a signal or a timeout; `watch` is told how to end the task. */
  runWatched(
    value: unknown,
    handler: number,
    extras: Extras,
    watch: (end: (reason: unknown) => void, name: string) => () => void,
  ): Promise<unknown> {
    const id = handler === -1 ? this.defaultHandler : handler;
    const refusal = this.refusal(id, 1);
    if (refusal !== undefined) return Promise.reject(refusal);
    const promise = new Promise<unknown>(grab);
    const task = new Task(value, id, now(), resolveOf, extras);
    extras.release = watch((reason) => this.end(task, reason), this.handlers.of(id).name);
    this.submit(task);
    return promise;
  }

  private refusal(handler: number, exclusive: 0 | 1): Error | undefined {
    if (this.closing) return new PoolError('PLIMSOLL_POOL_CLOSED', 'The pool is closing or closed');
    if (handler === -1) {
      const message = 'filename must be provided to run() or in options object';
      return new PoolError('PLIMSOLL_POOL_NO_FILENAME', message);
    }
    const { maxThreads, maxQueue } = this.options;
    if (maxQueue === Number.POSITIVE_INFINITY) return undefined;
    if (this.waiting(maxThreads, 1 - exclusive, exclusive) <= maxQueue) return undefined;
    const message =
      maxQueue === 0 ? 'No task queue available and all Workers are busy' : 'Task queue is at limit';
    return new PoolError('PLIMSOLL_POOL_QUEUE_FULL', message);
  }

  private submit(task: Task): void {
    this.timing?.atTime(task.created);
    if (task.extras !== undefined && task.extras.priority !== 0 && !this.dispatch.ordered) this.order();
    // Both now, not in the next microtask: the caller may block this thread until the task has done something.
    if (task.exclusive) this.spawnForNeed(0, 1);
    else this.spawnForNeed(1, 0);
    this.dispatch.submit(task);
    this.rejectIfHindered();
    if (!this.needsDrain && this.isFull) this.setNeedsDrain(true);
    this.pump.submitted(this.dispatch.inputs.wasSmall);
  }

  /** From the first task with a priority on, the order is the host's to keep. */
  private order(): void {
    this.dispatch.order(new ByPriority());
  }

  /** A task more would wait, however many workers were started. */
  private get isFull(): boolean {
    return this.waiting(this.options.maxThreads, 1) > 0;
  }

  private spawnForNeed(morePlain = 0, moreExclusive = 0): void {
    const count = this.workers.length;
    const { minThreads, maxThreads } = this.options;
    if (count >= maxThreads || this.closing) return;
    // A worker that is wanted anyway takes a task before another one gets its second: the first tasks begin first.
    const isWanted = count < minThreads && this.outstanding + morePlain + moreExclusive > count;
    if (isWanted || this.waiting(count, morePlain, moreExclusive) > 0) this.spawn();
  }

  /** Starts a worker. What hinders Node is kept for those who wait for one. */
  spawn(): boolean {
    try {
      return this.crew.spawn();
    } catch (error) {
      this.hindrance = { error };
      return false;
    }
  }

  /** With no worker and no way to start one, nobody would ever run what waits. */
  private rejectIfHindered(): void {
    if (this.hindrance === undefined || this.workers.length > 0) return;
    const { error } = this.hindrance;
    this.hindrance = undefined;
    this.dispatch.rejectUnclaimed(() => startFailure(error));
  }

  private setNeedsDrain(needed: boolean): void {
    if (this.needsDrain === needed) return;
    this.needsDrain = needed;
    queueMicrotask(() => this.events.emit(needed ? 'needsDrain' : 'drain'));
  }

  /** Ends a task from outside: aborted or timed out. A worker that runs it is killed and replaced. */
  private end(task: Task, reason: unknown): void {
    if (task.state === SETTLED) return;
    this.timing?.atTime(now());
    const runsOn = this.dispatch.cancel(task, reason);
    if (runsOn !== -1) this.crew.killByIndex(runsOn);
    this.refillCrew();
    this.pump.submitted();
  }

  /** As many workers as there must be, and one more for tasks that wait. */
  refillCrew(): void {
    if (this.closing) return;
    while (this.workers.length < this.options.minThreads && this.spawn());
    this.spawnForNeed();
    this.rejectIfHindered();
  }

  turn(): number {
    this.timing?.atTime(now());
    let ended = 0;
    for (const worker of this.crew.workers) ended += this.dispatch.drain(worker, DRAIN_AT_ONCE);
    if (this.dispatch.pending.size > 0) this.dispatch.refill();
    return ended;
  }

  anythingDone(): boolean {
    for (const worker of this.crew.workers) if (anythingDone(this.table, worker.index)) return true;
    return false;
  }

  wakeIfAllSleep(): void {
    announce(this.table);
    if (!this.crew.isAnyAwake) this.wakeWorkers();
  }

  get queued(): number {
    return queuedEntries(this.table);
  }

  wakeWorkers(): void {
    announce(this.table);
    wakeFor(this.table, this.queued, this.crew.workers);
  }

  wakeFurther(): void {
    wakeFurther(this.queued, this.crew.workers);
  }

  onSettled(): void {
    const { outstanding } = this.dispatch;
    if (this.needsDrain && !this.isFull) this.setNeedsDrain(false);
    if (outstanding > 0) return;
    this.onEmpty?.();
    this.crew.watchIdle();
  }

  startup(): Pick<Startup, 'arenas' | 'handlers' | 'preload' | 'shapes'> {
    return {
      arenas: this.dispatch.inputs.arenas,
      shapes: this.dispatch.inputs.shapes,
      handlers: this.handlers.all.map(({ filename, name }, id) => [id, filename, name]),
      preload: this.defaultHandler,
    };
  }

  onCreate(worker: WorkerHandle): void {
    if (worker.times === undefined) return;
    this.timing?.born(worker.times);
    if (this.options.workerHistogram) worker.histogram = worker.times.run;
  }

  onReady(worker: WorkerHandle): void {
    this.events.emit('workerCreate', worker);
    this.spawnForNeed();
    if (this.workers.length < this.options.minThreads) setTimeout(() => this.refillCrew(), ALONE).unref();
    this.crew.watchIdle();
    this.pump.submitted();
  }

  onMessage(value: unknown): void {
    this.events.emit('message', value);
  }

  onWake(): void {
    this.pump.woken();
  }

  onGone(worker: WorkerHandle, exitCode: number): void {
    const lost = this.dispatch.bury(worker, failureFor(worker, exitCode, this.handlers.all));
    if (worker.times !== undefined) this.timing?.died(worker.times);
    if (!worker.leaving) this.onUnexpectedExit(worker, exitCode, lost);
    this.events.emit('workerDestroy', worker);
    this.refillAfter(worker, lost);
    this.pump.submitted();
  }

  private onUnexpectedExit(worker: WorkerHandle, exitCode: number, lost: number): void {
    if (!worker.ready) this.onFailedStart(worker, exitCode);
    else if (lost === 0 && worker.failure !== undefined) this.events.emit('error', worker.failure.error);
  }

  /** No worker can start: every task that waits gets the reason, rather than waiting for ever. */
  private onFailedStart(worker: WorkerHandle, exitCode: number): void {
    const others = this.workers.some((other) => other !== worker);
    if (others) return;
    const failure = workerFailure(worker, exitCode);
    const waiting = this.outstanding;
    this.dispatch.rejectUnclaimed(() => workerFailure(worker, exitCode));
    if (waiting === 0) this.events.emit('error', failure);
  }

  /**
   * A worker that died before it did anything is replaced only when a task needs one, and one that could not even
   * start is not: no loop of deaths. The workers that are left serve the queue, or the last of them ends it.
   */
  private refillAfter(worker: WorkerHandle, lost: number): void {
    if (worker.leaving || worker.completed > 0 || lost > 0) this.refillCrew();
    else if (worker.ready) this.spawnForNeed();
  }

  private viewOf(task: Task): PoolTask {
    const { filename, name } = this.handlers.of(task.handler);
    const value = task.extras?.original ?? task.value;
    const own =
      typeof value === 'object' && value !== null ? (value as Partial<PoolTask>)[queueOptionsSymbol] : null;
    return {
      taskId: this.taskIds++,
      task: value,
      filename,
      name,
      created: performance.now() - (now() - task.created),
      isAbortable: task.exclusive,
      [queueOptionsSymbol]: own ?? null,
    };
  }

  /** Waits for every task, then stops the workers. */
  async close(force: boolean): Promise<void> {
    if (!this.closing) {
      this.closing = true;
      if (force) this.dispatch.rejectUnclaimed(() => new AbortError('pool is closed'), this.queueSize);
    }
    if (!(await this.emptied())) {
      const message = 'Close operation timed out';
      this.events.emit('error', new PoolError('PLIMSOLL_POOL_CLOSE_TIMEOUT', message));
    }
    await this.destroy();
    this.events.emit('close');
  }

  private async emptied(): Promise<boolean> {
    if (this.outstanding === 0) return true;
    const { closeTimeout } = this.options;
    let timer: NodeJS.Timeout | undefined;
    const empty = new Promise<boolean>((resolve) => {
      this.onEmpty = () => resolve(true);
      if (closeTimeout !== Number.POSITIVE_INFINITY) {
        timer = setTimeout(() => resolve(false), Math.min(closeTimeout, 0x7fffffff));
      }
    });
    const result = await empty;
    clearTimeout(timer);
    return result;
  }

  async destroy(): Promise<void> {
    this.closing = true;
    const reason = (): PoolError => new PoolError('PLIMSOLL_POOL_CLOSED', 'Terminating worker thread');
    this.dispatch.rejectUnclaimed(reason);
    this.dispatch.rejectRunning(reason);
    await this.crew.killAll();
    this.pump.stop();
  }
}

/** The reason with which a task that took too long is rejected. */
export const timeoutReason = (milliseconds: number, name: string): TimeoutError =>
  new TimeoutError(milliseconds, name);
