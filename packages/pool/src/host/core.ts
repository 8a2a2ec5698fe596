import { AbortError, PoolError } from '../errors.js';
import { now } from '../shared/clock.js';
import { wakeFor, wakeFurther } from '../shared/gate.js';
import { findOpenTelemetry, type OpenTelemetryApi } from '../shared/otel-api.js';
import { announce, anythingDone, queuedEntries } from '../shared/table.js';
import { isInTime } from '../shared/timers.js';
import { ASK, cancel, END, LEAVE, unpause } from './cancel.js';
import { dispatch, drain, heed, pause, refill, refillLanes, rejectWaiting } from './dispatch.js';
import { Escort, isWatched } from './escort.js';
import { type ExitEvents, workerExited } from './exits.js';
import { closed } from './faults.js';
import type { FilledOptions } from './options.js';
import { Pump, type Pumped } from './pump.js';
import { geometryFor, type OpenStream, type Policy, State } from './state.js';
import { type Extras, type HandlerNames, SETTLED, Task, type Watch } from './task.js';
import { Waits } from './waits.js';
import { READY, STOPPING, type WorkerHandle } from './worker-handle.js';
import {
  findHome,
  hasSpareCore,
  hire,
  isAnyAwake,
  killAll,
  plan,
  recycle,
  replaceBy,
  retireAll,
  spawn,
  stuck,
} from './workers.js';

/** What the public class hears from the core. */
export interface CoreEvents {
  emit(event: 'needsDrain' | 'drain' | 'close'): void;
  emit(event: 'error' | 'message', value: unknown): void;
  emit(event: 'workerCreate' | 'workerDestroy', worker: WorkerHandle): void;
}

/** Blocks of the table that are kept for workers that do not end, when the pool is made larger than it was. */
const FEWEST_SPARE = 64;
/** Milliseconds that a stopped thread has to end, however short `closeTimeout` is: a busy machine may need some tenths of a second. */
const LEAST_PATIENCE = 2000;
const DRAIN_AT_ONCE = 256;

// `new Promise` with one shared executor makes no closure per task.
let resolveOf: (value: unknown) => void;
const grab = (resolve: (value: unknown) => void): void => {
  resolveOf = resolve;
};

/** The pool without its public face: what happens to it, event by event. After each event it is planned what is to be done. */
export class Core implements Pumped, ExitEvents {
  readonly options: FilledOptions;
  /** By the clock that all threads share. */
  readonly startedAt = now();
  /** Undefined without that option, and when the module is not installed. */
  readonly openTelemetry: OpenTelemetryApi | undefined;
  readonly state: State;
  readonly handlers: HandlerNames;
  readonly workers: readonly WorkerHandle[];
  readonly waits: Waits;
  readonly #events: CoreEvents;
  /** The table was made for so many. */
  readonly #firstMaxThreads: number;
  /** When a task was submitted is shown to queues and balancers of the user's, too. */
  readonly #notesTime: boolean;
  readonly #recycles: boolean;
  readonly #pump: Pump;
  /** Something travels with every task. */
  readonly #mustEscort: boolean;
  #escort: Escort | undefined;
  #closing: Promise<void> | undefined;
  /** Until the last resize, and when that was. */
  #capacity = { before: 0, since: this.startedAt };

  constructor(options: FilledOptions, events: CoreEvents, policy?: Policy, geometry = geometryFor(options)) {
    this.options = options;
    this.#events = events;
    this.#firstMaxThreads = options.maxThreads;
    const state = new State(options, geometry, policy);
    this.state = state;
    this.handlers = state.handlers;
    this.workers = state.workers;
    this.waits = new Waits(state, (event) => events.emit(event));
    const { filename, name, maxTasksPerWorker, maxHeapMb } = options;
    state.defaultHandler = filename === null ? -1 : state.handlers.idOf(filename, name);
    this.#notesTime = options.recordTiming || options.explain || policy !== undefined;
    this.#recycles = maxTasksPerWorker !== undefined || maxHeapMb !== undefined;
    this.openTelemetry = openTelemetryOf(options);
    this.#mustEscort = options.context !== undefined || this.openTelemetry !== undefined;
    state.changed = (isShort) => this.changed(isShort);
    state.workerEvents = {
      onWake: () => this.#pump.woken(),
      onReady: (worker, kernelThreadId) => this.#onReady(worker, kernelThreadId),
      onMessage: (value) => events.emit('message', value),
      onStarted: ({ threadId }, id, time) => this.#escort?.started(id, time, threadId),
      onExit: (worker, exitCode) => this.changed(workerExited(state, worker, exitCode, this)),
    };
    this.#pump = new Pump(state.table.words, this);
    state.isStreaming = () => this.#pump.isStreaming;
    // One alone is ready sooner than beside others. Those follow it (`#onReady`), unless tasks need them before that.
    if (options.minThreads > 0 && spawn(state) === undefined) throw state.startError?.error;
    // A balancer is offered all of them from its first task on.
    if (state.choose !== undefined) plan(state, true);
  }

  /** Milliseconds since the pool was made. */
  get duration(): number {
    return now() - this.startedAt;
  }

  get idleThreads(): number {
    const idle = this.workers.filter((worker) => worker.state === READY && worker.hasNothing).length;
    return Math.min(idle, this.spareThreads);
  }

  /** Workers that no task needs, those that still start included. */
  get spareThreads(): number {
    return Math.max(0, this.workers.length - this.outstanding + this.state.bound);
  }

  get outstanding(): number {
    return this.state.outstanding;
  }

  /** Tasks that no worker can take yet, neither a free one nor one that still starts. */
  get queueSize(): number {
    return this.state.waiting(this.state.count);
  }

  readMessages(): void {
    for (const worker of this.workers) worker.readMessages();
  }

  /** What goes with tasks that are submitted now; undefined: nothing does. */
  get escort(): Escort | undefined {
    if (!this.#mustEscort && !isWatched()) return undefined;
    this.#escort ??= new Escort(this, this.options.context, this.openTelemetry);
    return this.#escort;
  }

  /** Submits a task. `handler` -1: the pool's own. `watch`, for abortable tasks, is told how to end it. */
  run(value: unknown, handler: number, extras: Extras | undefined, watch?: Watch): Promise<unknown> {
    const { state } = this;
    const id = handler === -1 ? state.defaultHandler : handler;
    if (this.escort !== undefined)
      return new Promise((resolve) => this.startEscorted(value, id, extras, resolve, watch));
    const refusal = state.refusal(id, extras);
    if (refusal !== undefined) return Promise.reject(refusal);
    const promise = new Promise<unknown>(grab);
    this.#submit(value, id, extras, resolveOf, watch);
    return promise;
  }

  /** As `start`, with what travels with tasks that are submitted now. @throws why it is refused */
  startEscorted(...[value, handler, extras, resolve, watch]: Parameters<Core['start']>): Task {
    const { escort } = this;
    if (escort === undefined || handler === -1) return this.start(value, handler, extras, resolve, watch);
    return escort.start(value, handler, resolve, (packed, carried, onEnd) =>
      this.start(packed, carried, extras, onEnd, watch),
    );
  }

  /**
   * Submits a task without a promise: `resolve` gets its result, or a `Rejection`.
   * @throws why it is refused
   */
  start(
    value: unknown,
    handler: number,
    extras: Extras | undefined,
    resolve: (value: unknown) => void,
    watch?: Watch,
  ): Task {
    // Steps of streams that are open come to their end, whatever is closed or broken.
    const refusal = extras?.stream === 'continues' ? undefined : this.state.refusal(handler, extras);
    if (refusal !== undefined) throw refusal;
    return this.#submit(value, handler, extras, resolve, watch);
  }

  #submit(
    value: unknown,
    handler: number,
    extras: Extras | undefined,
    resolve: (value: unknown) => void,
    watch: Watch | undefined,
  ): Task {
    const { state, waits } = this;
    const created = this.#notesTime ? now() : 0;
    const task = new Task(value, handler, created, resolve, extras);
    if (extras !== undefined && watch !== undefined)
      extras.release = watch((reason) => this.end(task, reason), state.handlers.of(handler).name);
    let isHeld = false;
    try {
      state.timing?.atTime(created);
      if (!task.isPinned) heed(state, task);
      state.enter(task);
      isHeld = true;
      // Both now, not in the next microtask: the caller may block this thread until the task has done something.
      if (extras?.key !== undefined) findHome(state, task);
      if (state.count < state.options.maxThreads) hire(state);
      const mayBatch = dispatch(state, task);
      isHeld = false;
      if (state.startError !== undefined || state.homeless.size > 0) plan(state);
      if (!waits.needsDrain && waits.isFull) waits.setNeedsDrain(true);
      this.#pump.stateChanged(mayBatch);
    } catch (error) {
      // The end of the stack: nothing can be called here, not even what gives the slot back.
      state.hasStrays = true;
      if (isHeld && task.place !== SETTLED) {
        task.place = SETTLED;
        state.outstanding = state.leaving === task.number ? state.outstandingAfter : state.outstanding - 1;
        if (extras !== undefined) state.tally(extras, -1);
      }
      task.reject(error);
    }
    return task;
  }

  /** Ends a task from outside: aborted or timed out. One that runs is asked to end first, if it has a `grace`. */
  end(task: Task, reason: unknown): void {
    this.#cancel(task, reason, END);
  }

  /** Asks a task that runs to end; it must have been called with a context. After `grace` ms its worker is stopped. */
  ask(task: Task, reason: unknown, grace: number): void {
    this.#cancel(task, reason, ASK, grace);
  }

  /** Rejects a task unless a worker has claimed it. False when one has. */
  withdraw(task: Task, reason: unknown): boolean {
    return this.#cancel(task, reason, LEAVE);
  }

  #cancel(task: Task, reason: unknown, how: Parameters<typeof cancel>[3], grace?: number): boolean {
    this.state.timing?.atTime(now());
    const isCancelled = cancel(this.state, task, reason, how, grace);
    if (isCancelled) this.changed();
    return isCancelled;
  }

  /** After every event. @param isShort see `plan` */
  changed(isShort = false): void {
    const { state } = this;
    plan(state, isShort);
    if (!state.ended) {
      if (state.queue.size > 0) refill(state);
      if (state.lanes.size > 0) refillLanes(state);
    }
    this.waits.check();
    this.#pump.stateChanged();
  }

  pause(): void {
    pause(this.state);
  }

  resume(): void {
    this.state.isPaused = false;
    this.changed();
  }

  /** Rejects the tasks that no worker has claimed. */
  clear(): void {
    const reason = (): AbortError => new AbortError(undefined, 'The task was cleared from the queue');
    rejectWaiting(this.state, reason, (task) => !task.isStep);
    this.#rejectPaused(reason);
    this.changed();
  }

  // What the pump asks.

  get hasSpareCore(): boolean {
    return hasSpareCore(this.state);
  }

  get queued(): number {
    return queuedEntries(this.state.table) + this.state.lanes.size;
  }

  turn(): number {
    const { state } = this;
    state.timing?.atTime(now());
    let ended = 0;
    for (const worker of state.workers) ended += drain(state, worker, DRAIN_AT_ONCE);
    if (state.queue.size > 0) refill(state);
    if (state.lanes.size > 0) refillLanes(state);
    if (ended > 0) this.#afterEnds();
    return ended;
  }

  #afterEnds(): void {
    const { state } = this;
    if (this.#recycles) recycle(state);
    const mayIdle = state.outstanding === 0 && state.count > this.options.minThreads;
    if (mayIdle || state.retiring > 0) plan(state);
    if (this.waits.isAwaited) this.waits.check();
  }

  anythingDone(): boolean {
    const { table, workers } = this.state;
    for (const worker of workers) if (anythingDone(table, worker.index)) return true;
    return false;
  }

  wakeIfAllSleep(): void {
    announce(this.state.table);
    if (!isAnyAwake(this.state)) this.wakeWorkers();
  }

  wakeWorkers(): void {
    announce(this.state.table);
    wakeFor(this.state.table, queuedEntries(this.state.table), this.workers);
  }

  /** A mailbox may have been full of what was taken back, which a worker passes without a word. */
  wakeFurther(): boolean {
    const { table, lanes } = this.state;
    if (lanes.size > 0) refillLanes(this.state);
    wakeFurther(queuedEntries(table), this.workers);
    return lanes.size > 0;
  }

  // What workers tell.

  #onReady(worker: WorkerHandle, kernelThreadId: number): void {
    const { state } = this;
    if (worker.state >= STOPPING) return;
    worker.ready(kernelThreadId, this.options.niceIncrement);
    state.guard.started();
    state.hooks?.ready();
    replaceBy(state, worker);
    state.refusedAt = -1;
    this.#events.emit('workerCreate', worker);
    this.changed(true);
  }

  stillborn(error: Error): void {
    this.waits.notReady(error);
  }

  destroyed(worker: WorkerHandle): void {
    this.#events.emit('workerDestroy', worker);
  }

  failed(error: unknown): void {
    this.#events.emit('error', error);
  }

  /** As many workers as there must be, and those that tasks need. */
  refillCrew(): void {
    plan(this.state, true);
  }

  /** The most workers that the table has room for, with some that do not end. */
  get mostThreads(): number {
    const { layout } = this.state.table;
    const bySlots = Math.floor(layout.slots / 2 / this.options.concurrentTasksPerWorker);
    return Math.max(this.#firstMaxThreads, Math.min(1024, bySlots, layout.workers - FEWEST_SPARE));
  }

  /** Milliseconds that all tasks together could have run so far. */
  get capacityTime(): number {
    const { maxThreads, concurrentTasksPerWorker } = this.options;
    return this.#capacity.before + (now() - this.#capacity.since) * maxThreads * concurrentTasksPerWorker;
  }

  resize(minThreads: number, maxThreads: number): void {
    if (this.state.closing) throw closed();
    this.#capacity = { before: this.capacityTime, since: now() };
    Object.assign(this.options, { minThreads, maxThreads });
    this.state.refusedAt = -1;
    this.changed(true);
  }

  addStream(stream: OpenStream): void {
    this.state.streams.add(stream);
  }

  removeStream(stream: OpenStream): void {
    this.state.streams.delete(stream);
    this.changed();
  }

  /**
   * Takes nothing more, and waits for every task and stream, then for what workers dispose of; `closeTimeout` for all of it. With
   * `force`, also later, what waits is rejected. Then stops the workers. Rejects with what was left when the time was over.
   */
  close(force: boolean, patience = this.options.closeTimeout): Promise<void> {
    const { state } = this;
    state.closing = true;
    state.guard.close();
    if (state.isPaused) this.resume();
    if (force && !state.ended) this.#rejectWaiting();
    this.#closing ??= this.#close(patience);
    return this.#closing;
  }

  async #close(patience: number): Promise<void> {
    const { state } = this;
    const end = now() + patience;
    const left = (): number => Math.max(0, end - now());
    let failure: PoolError | undefined;
    if (await isInTime(this.waits.idle(), left())) {
      state.ended = true;
      if (!(await retireAll(state, left()))) failure = closeTimeout('dispose() of a worker has not ended');
    } else {
      const tasks = `${state.outstanding} task${state.outstanding === 1 ? '' : 's'}`;
      failure = closeTimeout(
        `Close operation timed out with ${tasks} and ${state.streams.size} streams left`,
      );
    }
    try {
      await this.#destroy(left());
    } finally {
      this.#events.emit('close');
    }
    if (failure !== undefined) throw failure;
  }

  #rejectWaiting(): void {
    const { state } = this;
    const reason = (): AbortError => new AbortError('pool is closed');
    for (const stream of [...state.streams]) stream.close(reason());
    rejectWaiting(state, reason, (task) => !task.isStep, state.waiting(state.count));
    this.#rejectPaused(reason);
    this.changed();
  }

  #rejectPaused(reason: () => unknown): void {
    for (const task of [...this.state.paused.keys()]) {
      unpause(this.state, task);
      this.state.settle(task, reason(), true);
    }
  }

  /** Ends everything at once. @throws PoolError PLIMSOLL_POOL_CLOSE_TIMEOUT when threads do not end */
  destroy(): Promise<void> {
    return this.#destroy(this.options.closeTimeout);
  }

  async #destroy(patience: number): Promise<void> {
    const { state } = this;
    this.waits.notReady(closed());
    state.closing = true;
    state.ended = true;
    state.guard.close();
    const reason = (): PoolError => new PoolError('PLIMSOLL_POOL_CLOSED', 'Terminating worker thread');
    for (const stream of [...state.streams]) stream.fail(reason());
    rejectWaiting(state, reason);
    this.#rejectPaused(reason);
    // Those that a worker has claimed, whose slots stay taken until it has exited, and one that is being written, by a getter of
    // whose value this may be called.
    for (const task of state.slots.tasks) if (task !== undefined) state.settle(task, reason(), true);
    this.waits.end();
    const areGone = await killAll(state, Math.max(patience, LEAST_PATIENCE));
    this.#pump.stop();
    state.hooks?.closed();
    if (!areGone) throw closeTimeout(stuck(state.exiting.size));
  }
}

/** From the worker file first: that is a file of the program. */
function openTelemetryOf({ openTelemetry, filename }: FilledOptions): OpenTelemetryApi | undefined {
  if (typeof openTelemetry === 'object') return openTelemetry;
  if (openTelemetry !== true) return undefined;
  return findOpenTelemetry([filename, process.argv[1], `${process.cwd()}/`]);
}

const closeTimeout = (message: string): PoolError => new PoolError('PLIMSOLL_POOL_CLOSE_TIMEOUT', message);
