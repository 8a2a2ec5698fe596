import { AbortError, PoolError } from '../errors.js';
import { now } from '../shared/clock.js';
import { wakeFor, wakeFurther } from '../shared/gate.js';
import type { Message } from '../shared/messages.js';
import { announce, anythingDone, oldestQueued, queuedEntries } from '../shared/table.js';
import { isInTime } from '../shared/timers.js';
import { usableCores } from './cpu-quota.js';
import {
  dispatch,
  drain,
  heed,
  postAhead,
  refill,
  refillLanes,
  rejectWaiting,
  takeBackAll,
  takeOut,
  waitsForMailRoom,
} from './dispatch.js';
import { cancel, END, withdraw, workerExited } from './ends.js';
import { Escort, isWatched, openTelemetryOf } from './escort.js';
import { closed, startFailure } from './faults.js';
import { checkDeadlock, hearPosted } from './host-calls.js';
import type { FilledOptions } from './options.js';
import { Pump, type Pumped } from './pump.js';
import { takeReturned, watchAhead } from './returns.js';
import { watch } from './signals.js';
import { type Emit, geometryFor, type Policy, State } from './state.js';
import { isQuick } from './takers.js';
import { CallingTask, type Extras, IN_LANE, Rejection, type Resolve, SETTLED, Task } from './task.js';
import { isRunning, READY, STARTING, STOPPING, type WorkerHandle } from './worker-handle.js';
import { findHome, hire, killAll, plan, recycle, retireAll, spawn, stuck } from './workers.js';

/** Milliseconds that stopped threads get to exit, whatever `closeTimeout`: a busy machine needs tenths of a second. */
const LEAST_PATIENCE = 2000;
const DRAIN_AT_ONCE = 256;
/** About half a microsecond: a worker that ends short tasks claims sooner. A needless wake-up costs twenty. */
const LOOKS = 32;

const settled = Promise.resolve();
const isNoStep = (task: Task): boolean => !task.isStep;

// One shared executor, so that `new Promise` makes no closure per task.
let resolveOf: Resolve;
const grab = (resolve: Resolve): void => {
  resolveOf = resolve;
};

/** The pool without its public interface: handles each event. */
export class Core extends State implements Pumped {
  readonly #startedAt = now();
  readonly openTelemetry = openTelemetryOf(this.options);
  needsDrain = false;
  readonly #notesTime: boolean;
  readonly #recycles = (this.options.maxTasksPerWorker ?? this.options.maxHeapMb) !== undefined;
  readonly #pump = new Pump(this.table.words, this);
  readonly #mustEscort = this.options.context !== undefined || this.openTelemetry !== undefined;
  #escort: Escort | undefined;
  #closing: Promise<void> | undefined;
  #capacity = { before: 0, since: this.#startedAt };

  constructor(options: FilledOptions, emit: Emit, policy?: Policy, geometry = geometryFor(options, policy)) {
    super(options, emit, geometry, policy);
    this.#notesTime = options.recordTiming || options.explain || policy !== undefined;
    // The first worker starts alone, to be ready sooner. The others follow in `#onReady`, or once tasks need them.
    if (options.minThreads > 0 && spawn(this) === undefined) throw this.startError?.error;
    // A load balancer sees all workers from its first task on.
    if (this.choose !== undefined) plan(this, true);
  }

  get duration(): number {
    return now() - this.#startedAt;
  }

  get idleThreads(): number {
    const idle = this.workers.filter((worker) => worker.state === READY && worker.hasNothing).length;
    return Math.min(idle, this.spareThreads);
  }

  get spareThreads(): number {
    return Math.max(0, this.workers.length - this.outstanding + this.bound);
  }

  get queueSize(): number {
    return this.waiting(this.count);
  }

  get isStreaming(): boolean {
    return this.#pump.isStreaming;
  }

  /** undefined: no stores, spans or events go with tasks submitted now. */
  get escort(): Escort | undefined {
    if (!this.#mustEscort && !isWatched()) return undefined;
    this.#escort ??= new Escort(this, this.openTelemetry);
    return this.#escort;
  }

  run(value: unknown, handler: number, extras: Extras | undefined): Promise<unknown> {
    const promise = new Promise<unknown>(grab);
    const resolve = resolveOf;
    try {
      this.start(value, handler === -1 ? this.defaultHandler : handler, extras, resolve);
    } catch (reason) {
      resolve(new Rejection(reason));
    }
    return promise;
  }

  /** Submits a task without a promise: `resolve` gets its result or a `Rejection`. @throws why it is refused */
  start(value: unknown, handler: number, extras: Extras | undefined, resolve: Resolve): Task {
    const escort = handler === -1 || extras?.stream !== undefined ? undefined : this.escort;
    return escort === undefined
      ? this.#submit(value, handler, extras, resolve)
      : escort.submit(value, handler, resolve, (...args) => this.#submit(args[0], args[1], extras, args[2]));
  }

  #submit(value: unknown, handler: number, extras: Extras | undefined, resolve: Resolve): Task {
    // Steps of open streams are always admitted, so that streams can end.
    if (extras?.stream !== 'continues') this.admit(handler, extras);
    const created = this.#notesTime ? now() : 0;
    // Rare work is in other functions, so that V8 can inline more of this one.
    const mayCall = this.callsHost && (extras?.host ?? this.options.host) !== undefined;
    const task = mayCall
      ? new CallingTask(value, handler, created, resolve, extras)
      : new Task(value, handler, created, resolve, extras);
    if (this.callsHost) checkDeadlock(this, task);
    if (extras !== undefined) this.#watch(task, extras);
    let isHeld = false;
    try {
      this.timing?.before(created);
      const tookBack = !task.isPinned && heed(this, task);
      // First: if the stack overflows here, nothing has happened yet.
      if (extras !== undefined) this.tally(extras, 1);
      task.number = ++this.lastNumber;
      this.outstanding++;
      isHeld = true;
      // At once, not in a microtask: the caller may block this thread until the task has done something.
      if (extras?.key !== undefined) findHome(this, task);
      if (this.count < this.options.maxThreads) hire(this);
      const mayBatch = dispatch(this, task);
      isHeld = false;
      if (tookBack) refill(this);
      if (this.startError !== undefined || this.homeless.size > 0) plan(this);
      if (!this.needsDrain && this.isFull) this.#setNeedsDrain(true);
      this.#pump.stateChanged(mayBatch);
    } catch (error) {
      // The stack may have overflowed: no call is safe here, so the slot is collected later.
      this.hasStrays = true;
      if (isHeld && task.place !== SETTLED) {
        // This call is safe: putting the task into its lane took deeper calls.
        if (task.place === IN_LANE) takeOut(this, task);
        task.place = SETTLED;
        this.outstanding = this.leaving === task.number ? this.outstandingAfter : this.outstanding - 1;
        if (extras !== undefined) this.tally(extras, -1);
      }
      task.reject(error);
    }
    return task;
  }

  #watch(task: Task, extras: Extras): void {
    const { signal, timeout } = extras;
    if ((signal ?? timeout) === undefined) return;
    const end = (reason: unknown): unknown => cancel(this, task, reason, END);
    extras.release = watch(end, this.handlers.of(task.handler).name, signal, timeout);
  }

  #setNeedsDrain(needed: boolean): void {
    this.needsDrain = needed;
    void settled.then(() => this.emit(needed ? 'needsDrain' : 'drain'));
  }

  changed(isShort = false): void {
    plan(this, isShort);
    if (!this.ended) this.#refill();
    this.#check();
    this.#pump.stateChanged();
  }

  #refill(): void {
    if (this.queue.size > 0) refill(this);
    if (this.lanes.size > 0) refillLanes(this);
  }

  #check(): void {
    if (this.needsDrain !== this.isFull && !this.closing) this.#setNeedsDrain(!this.needsDrain);
    for (const wait of [this.allReady, this.idle, this.room]) wait.check();
  }

  /** Resolves when `minThreads` workers are ready; rejects if a worker could not start. A later call tries again. */
  ready(): Promise<void> {
    if (this.closing) return Promise.reject(closed());
    const ready = this.allReady.promise();
    if (!this.allReady.isAwaited) return ready;
    plan(this, true);
    const { breaker, workers } = this;
    if (workers.length === 0)
      this.allReady.reject(breaker.pause > 0 ? breaker.refusal() : startFailure('Node refuses to make one'));
    return ready;
  }

  capacity(): Promise<void> {
    return this.closing ? Promise.reject(closed()) : this.room.promise();
  }

  pause(): void {
    this.isPaused = true;
    takeBackAll(this, isNoStep);
  }

  resume(): void {
    this.isPaused = false;
    this.changed();
  }

  clear(reasonFor = (): Error => new AbortError(undefined, 'The task was cleared from the queue')): void {
    this.#rejectAll(reasonFor);
    this.changed();
  }

  #rejectAll(reasonFor: () => unknown, filter = isNoStep, most = Number.POSITIVE_INFINITY): void {
    rejectWaiting(this, reasonFor, filter, most);
    for (const task of [...this.paused.keys()]) withdraw(this, task, reasonFor());
  }

  get hasSpareCore(): boolean {
    let awake = 0;
    for (const worker of this.workers) if (isRunning(worker) && worker.isAwake) awake++;
    return awake < usableCores();
  }

  get queued(): number {
    return queuedEntries(this.table) + Number(waitsForMailRoom(this));
  }

  turn(): number {
    this.timing?.before(now());
    let ended = 0;
    for (const worker of this.workers) {
      const endedByIt = drain(this, worker, DRAIN_AT_ONCE);
      // With host calls, the worker's current task may wait for any other task.
      if (endedByIt > 0 && !this.callsHost && isQuick(worker)) postAhead(this, worker);
      if (endedByIt < DRAIN_AT_ONCE) worker.lastNumber = this.lastNumber;
      ended += endedByIt;
    }
    if (this.slots.mailed > 0 && this.choose === undefined) watchAhead(this);
    this.#refill();
    if (ended > 0) {
      if (this.#recycles) recycle(this);
      // A worker that is blocked by a call takes no task, so waiting tasks may need another worker.
      if (this.blocked.size > 0) hire(this);
      const mayIdle = this.outstanding === 0 && this.count > this.options.minThreads;
      if (mayIdle || this.retiring > 0) plan(this);
      if (this.needsDrain || this.idle.isAwaited || this.room.isAwaited) this.#check();
    }
    return ended;
  }

  anythingDone(): boolean {
    for (const worker of this.workers) if (anythingDone(this.table, worker.index)) return true;
    return false;
  }

  wakeIfAllSleep(): void {
    announce(this.table);
    for (const worker of this.workers) if (isRunning(worker) && worker.isAwake) return;
    this.wakeWorkers();
  }

  wakeWorkers(): void {
    announce(this.table);
    wakeFor(this.table, queuedEntries(this.table), this.workers, this.abortable > 0, LOOKS);
  }

  wakeFurther(): boolean {
    const { completed } = this;
    this.#refill();
    // A load balancer or a failed write may have rejected tasks.
    if (this.completed > completed) this.changed();
    wakeFurther(queuedEntries(this.table), this.workers);
    // Steps of streams start no worker, but may be long, or wait for a task that waits here.
    const isFree = (worker: WorkerHandle): boolean => worker.state === STARTING || worker.hasNothing;
    if (this.bound > 0 && oldestQueued(this.table) !== -1 && !this.workers.some(isFree)) spawn(this);
    return waitsForMailRoom(this);
  }

  onWake(): void {
    this.#pump.woken();
  }

  onMessage(worker: WorkerHandle, received: Message): void {
    if (received[0] === 'ready') this.#onReady(worker, received[1]);
    else if (received[0] === 'started') this.#escort?.started(received[1], received[2], worker.threadId);
    else if (received[0] === 'call') hearPosted(this, worker, received[1], received[2], received[3]);
    else if (received[0] === 'returned') takeReturned(this, received[1], received[2]);
  }

  #onReady(worker: WorkerHandle, kernelThreadId: number): void {
    if (worker.state >= STOPPING) return;
    worker.ready(kernelThreadId, this.options.niceIncrement);
    this.breaker.started();
    this.hooks?.ready();
    this.refusedAt = -1;
    this.emit('workerCreate', worker);
    this.changed(true);
  }

  onExit(worker: WorkerHandle, exitCode: number): void {
    this.changed(workerExited(this, worker, exitCode));
  }

  /** Milliseconds for which the pool could have run tasks; `#capacity.before`: until the last resize. */
  get capacityTime(): number {
    const { maxThreads, concurrentTasksPerWorker } = this.options;
    return this.#capacity.before + (now() - this.#capacity.since) * maxThreads * concurrentTasksPerWorker;
  }

  resize(minThreads: number, maxThreads: number): void {
    if (this.closing) throw closed();
    this.#capacity = { before: this.capacityTime, since: now() };
    Object.assign(this.options, { minThreads, maxThreads });
    this.refusedAt = -1;
    this.changed(true);
  }

  /** Waits for tasks, streams and disposals, then ends. `force`, also in a later call, rejects waiting tasks. */
  close(force: boolean, patience = this.options.closeTimeout): Promise<void> {
    this.closing = true;
    if (this.isPaused) this.resume();
    if (force && !this.ended) {
      const reason = (): AbortError => new AbortError('pool is closed');
      for (const stream of [...this.streams]) stream.close(reason());
      this.#rejectAll(reason, isNoStep, this.queueSize);
      this.changed();
    }
    this.#closing ??= this.#close(patience);
    return this.#closing;
  }

  async #close(patience: number): Promise<void> {
    const end = now() + patience;
    const timeLeft = (): number => Math.max(0, end - now());
    let failure: PoolError | undefined;
    if (await isInTime(this.idle.promise(), timeLeft())) {
      this.ended = true;
      if (!(await retireAll(this, timeLeft())))
        failure = closeTimeout('dispose() of a worker did not end in time');
    } else {
      const tasks = `${this.outstanding} task${this.outstanding === 1 ? '' : 's'}`;
      failure = closeTimeout(`Close operation timed out with ${tasks} and ${this.streams.size} streams left`);
    }
    try {
      await this.destroy(timeLeft());
    } finally {
      this.emit('close');
    }
    if (failure !== undefined) throw failure;
  }

  /** Ends everything at once. @throws PoolError PLIMSOLL_POOL_CLOSE_TIMEOUT when threads do not end */
  async destroy(patience = this.options.closeTimeout): Promise<void> {
    this.allReady.reject(closed());
    this.closing = true;
    this.ended = true;
    const reason = (): PoolError => new PoolError('PLIMSOLL_POOL_CLOSED', 'Terminating worker thread');
    for (const stream of [...this.streams]) stream.fail(reason());
    this.#rejectAll(reason, () => true);
    // Claimed tasks, whose slots stay taken until their workers exit, and a task whose getter may have called this.
    for (const task of this.slots.tasks) if (task !== undefined) this.settle(task, reason(), true);
    this.#check();
    this.room.fulfil();
    const areGone = await killAll(this, Math.max(patience, LEAST_PATIENCE));
    this.#pump.stop();
    for (const end of this.onClosed) end();
    if (!areGone) throw closeTimeout(stuck(this.exiting.size));
  }
}

const closeTimeout = (message: string): PoolError => new PoolError('PLIMSOLL_POOL_CLOSE_TIMEOUT', message);
