import { PoolError } from '../errors.js';
import { now } from '../shared/clock.js';
import { findOpenTelemetry, type OpenTelemetryApi } from '../shared/otel-api.js';
import { Admission } from './admission.js';
import { chooserFor } from './balance.js';
import { Crew } from './crew.js';
import { Dispatch } from './dispatch.js';
import { Ending } from './ending.js';
import { Escort } from './escort/escort.js';
import { isWatched } from './escort/events.js';
import type { Observer } from './explain/observer.js';
import { startFailure, workerFailure } from './faults.js';
import { Guard } from './guard.js';
import type { HandlerNames } from './handler-names.js';
import { Ladder } from './ladder.js';
import { Losses, type Lost } from './losses.js';
import { OpenStreams } from './open-streams.js';
import type { FilledOptions } from './options.js';
import { Pump } from './pump.js';
import { Readiness } from './readiness.js';
import { Recycler } from './recycler.js';
import { Rounds } from './rounds.js';
import { Staffing } from './staffing.js';
import { geometryFor, type PoolState, stateFor } from './state.js';
import { type Extras, Task, type Watch } from './task.js';
import { Tasks } from './tasks.js';
import { Timing } from './timing.js';
import type { WorkerHandle } from './worker-handle.js';

/** What the public class hears from the core. */
export interface CoreEvents {
  emit(event: 'needsDrain' | 'drain' | 'close'): void;
  emit(event: 'error' | 'message', value: unknown): void;
  emit(event: 'workerCreate' | 'workerDestroy', worker: WorkerHandle): void;
}

/** Blocks of the table that are kept for workers that do not end, when the pool is made larger than it was. */
const FEWEST_SPARE = 64;

const settled = Promise.resolve();

// `new Promise` with one shared executor makes no closure per task.
let resolveOf: (value: unknown) => void;
const grab = (resolve: (value: unknown) => void): void => {
  resolveOf = resolve;
};

/** The pool without its public face: makes the parts, each out of those before it, and tells them what happens to the others. */
export class Core {
  readonly options: FilledOptions;
  /** By the clock that all threads share. */
  readonly startedAt = now();
  /** Undefined without that option, and when the module is not installed. */
  readonly openTelemetry: OpenTelemetryApi | undefined;
  /** Undefined without `recordTiming`. */
  readonly timing: Timing | undefined;
  needsDrain = false;
  readonly streams = new OpenStreams(() => this.#ending.check());
  /** For what is built on this. */
  readonly tasks: Tasks;
  /** Workers that were made, and those among them whose threads have exited. */
  made = 0;
  exited = 0;
  readonly #events: CoreEvents;
  readonly #defaultHandler: number;
  /** The table was made for so many. */
  readonly #firstMaxThreads: number;
  /** When a task was submitted is shown to queues and balancers of the user's, too. */
  readonly #notesTime: boolean;
  readonly #state: PoolState;
  readonly #crew: Crew;
  readonly #staffing: Staffing;
  readonly #dispatch: Dispatch;
  readonly #pump: Pump;
  readonly #guard: Guard;
  readonly #admission: Admission;
  readonly #losses: Losses;
  readonly #readiness = new Readiness();
  readonly #recycler: Recycler | undefined;
  /** Something travels with every task. */
  readonly #mustEscort: boolean;
  #escort: Escort | undefined;
  readonly #ending: Ending;

  /** @param lifecycle Are `setup` and `dispose` of worker files called? */
  constructor(options: FilledOptions, events: CoreEvents, geometry = geometryFor(options), lifecycle = true) {
    this.options = options;
    this.#events = events;
    this.#firstMaxThreads = options.maxThreads;
    const state = stateFor(options, geometry, () => this.#onSettled(), lifecycle);
    this.#state = state;
    this.#guard = new Guard(options.breaker, options.quarantine);
    this.#admission = new Admission(state, this.#guard);
    this.#losses = new Losses(state, this.#guard, () => this.#onChange());
    const { filename, name, loadBalancer } = options;
    this.#defaultHandler = filename === null ? -1 : this.handlers.idOf(filename, name);
    this.#notesTime =
      options.recordTiming ||
      options.explain ||
      loadBalancer !== undefined ||
      options.taskQueue !== undefined;
    this.openTelemetry = openTelemetryOf(options);
    this.#mustEscort = options.context !== undefined || this.openTelemetry !== undefined;
    this.timing = options.recordTiming ? new Timing(state.ledger) : undefined;
    const crew = new Crew(state, () => this.#startup(), {
      onCreate: (worker) => this.#onCreate(worker),
      onReady: (worker) => this.#onReady(worker),
      onMessage: (value) => events.emit('message', value),
      onStarted: ({ threadId }, id, time) => this.#escort?.started(id, time, threadId),
      onWake: () => this.#pump.woken(),
      onKill: (worker) => {
        this.#dispatch.drain(worker);
        if (this.#escort !== undefined) worker.readMessages();
      },
      onGone: (worker, exitCode) => this.#onGone(worker, exitCode),
    });
    const staffing = new Staffing(state, crew, this.#guard, (error) => events.emit('error', error));
    const choose = loadBalancer && chooserFor(loadBalancer, state, () => staffing.spawn());
    this.#crew = crew;
    this.#staffing = staffing;
    this.#dispatch = new Dispatch(state, choose, () => this.#pump.isStreaming);
    const ladder = new Ladder(state, crew, this.#dispatch, () => this.#onChange());
    this.tasks = new Tasks(state, this.#admission, ladder, this.timing, {
      submit: (task) => this.#submit(task),
      onChange: () => this.#pump.stateChanged(),
    });
    const { streams } = this;
    const parts = {
      state,
      crew,
      staffing,
      dispatch: this.#dispatch,
      losses: this.#losses,
      guard: this.#guard,
      streams,
    };
    this.#ending = new Ending(parts, (error) => events.emit('error', error));
    if (options.maxTasksPerWorker !== undefined || options.maxHeapMb !== undefined) {
      this.#recycler = new Recycler(options, state.workers, crew, () => staffing.spawnInPlace());
    }
    const rounds = new Rounds(state, crew, this.#dispatch, this.timing, this.#recycler);
    this.#pump = new Pump(state.table.words, rounds);
    // One alone is ready sooner than beside others. Those follow it (`#onReady`), unless tasks need them before that.
    if (options.minThreads > 0) crew.spawn();
    // A balancer is offered all of them from its first task on.
    if (loadBalancer !== undefined) staffing.refill();
  }

  readMessages(): void {
    for (const worker of this.workers) worker.readMessages();
  }

  get isClosing(): boolean {
    return this.#staffing.closing;
  }

  get handlers(): HandlerNames {
    return this.#state.handlers;
  }

  get workers(): readonly WorkerHandle[] {
    return this.#state.workers;
  }

  get idleThreads(): number {
    return Math.min(this.#crew.idle, this.spareThreads);
  }

  /** Workers that no task needs, those that still start included. */
  get spareThreads(): number {
    return Math.max(0, this.workers.length - this.outstanding + this.#state.ledger.bound);
  }

  get outstanding(): number {
    return this.#state.ledger.outstanding;
  }

  get completed(): number {
    return this.#state.ledger.completed;
  }

  /** Tasks that were not accepted. */
  get refused(): number {
    return this.#admission.refused;
  }

  get failed(): number {
    return this.#state.ledger.failed;
  }

  /** Undefined without `explain`. */
  get observer(): Observer | undefined {
    return this.#state.observer;
  }

  /** Slots of the table that workers have work with. */
  get slotsInUse(): number {
    return this.#state.slots.inUse;
  }

  /** Tasks that no worker can take yet, neither a free one nor one that still starts. */
  get queueSize(): number {
    return this.#state.ledger.waiting(this.#crew.count);
  }

  /** What goes with tasks that are submitted now; undefined: nothing does. */
  get escort(): Escort | undefined {
    if (!this.#mustEscort && !isWatched()) return undefined;
    this.#escort ??= new Escort(this, this.options.context, this.openTelemetry);
    return this.#escort;
  }

  /** Submits a task. `handler` -1: the pool's own. `watch`, for abortable tasks, is told how to end it. */
  run(value: unknown, handler: number, extras: Extras | undefined, watch?: Watch): Promise<unknown> {
    const id = handler === -1 ? this.#defaultHandler : handler;
    const escort = id === -1 ? undefined : this.escort;
    if (escort === undefined) return this.#run(value, id, extras, watch);
    return escort.run(value, id, (packed, carried) => this.#run(packed, carried, extras, watch));
  }

  #run(value: unknown, id: number, extras: Extras | undefined, watch: Watch | undefined): Promise<unknown> {
    const refusal = this.#admission.refusal(id, watch === undefined ? 0 : 1);
    if (refusal !== undefined) return Promise.reject(refusal);
    const created = this.#notesTime ? now() : 0;
    const promise = new Promise<unknown>(grab);
    const task = new Task(value, id, created, resolveOf, extras);
    if (extras !== undefined && watch !== undefined) {
      extras.release = watch((reason) => this.tasks.end(task, reason), this.handlers.of(id).name);
    }
    try {
      this.#submit(task);
    } catch (error) {
      // The end of the stack. The task may have been submitted, or rejected already.
      task.reject(error);
    }
    return promise;
  }

  #submit(task: Task): void {
    this.timing?.atTime(task.created);
    this.#state.backlog.heed(task);
    // Both now, not in the next microtask: the caller may block this thread until the task has done something.
    if (task.abortable) this.#staffing.spawnForNeed(0, 1);
    else this.#staffing.spawnForNeed(1, 0);
    const mayBatch = task.pin === undefined ? this.#dispatch.submit(task) : this.#submitPinned(task);
    this.#staffing.rejectIfNoneCanStart();
    if (!this.needsDrain && this.#isFull) this.#setNeedsDrain(true);
    this.#pump.stateChanged(mayBatch);
  }

  #submitPinned(task: Task): boolean {
    this.#dispatch.submitPinned(task);
    return true;
  }

  /** A task more would wait, however many workers were started. */
  get #isFull(): boolean {
    return this.#state.ledger.waiting(this.options.maxThreads, 1) > 0;
  }

  #setNeedsDrain(needed: boolean): void {
    this.needsDrain = needed;
    void settled.then(() => this.#events.emit(needed ? 'needsDrain' : 'drain'));
  }

  #onChange(): void {
    this.refillCrew();
    this.#pump.stateChanged();
  }

  /** As many workers as there must be, and one more for tasks that wait. */
  refillCrew(): void {
    this.#staffing.refill();
  }

  #onSettled(): void {
    if (this.needsDrain && !this.#isFull) this.#setNeedsDrain(false);
    if (this.outstanding > 0) return;
    this.#ending.check();
    this.#crew.watchIdle();
  }

  #startup() {
    return {
      arenas: this.#state.inputs.arenas,
      shapes: this.#state.inputs.shapes,
      handlers: this.handlers.all.map(({ filename, name, call }, id) => [id, filename, name, call] as const),
      preload: this.#defaultHandler,
    };
  }

  #onCreate(worker: WorkerHandle): void {
    this.made++;
    if (worker.times === undefined) return;
    this.timing?.born(worker.times);
    if (this.options.workerHistogram) worker.histogram = worker.times.run;
  }

  #onReady(worker: WorkerHandle): void {
    this.#guard.started();
    this.observer?.came();
    this.#recycler?.onReady(worker);
    if (this.#isReady) this.#readiness.reached();
    this.#dispatch.reconsider();
    this.#events.emit('workerCreate', worker);
    this.refillCrew();
    this.#crew.watchIdle();
    this.#pump.stateChanged();
  }

  #onGone(worker: WorkerHandle, exitCode: number): void {
    this.exited++;
    this.#recycler?.onGone(worker);
    if (!worker.ready && !worker.leaving) this.#readiness.failed(workerFailure(worker, exitCode));
    const dead: Lost[] = [];
    const lost = this.#dispatch.reapWorker(worker, (task, hasRun) => dead.push({ task, hasRun }));
    this.#losses.bury(dead, worker.leaving, (handler) => workerFailure(worker, exitCode, handler));
    this.streams.onGone(worker, () => workerFailure(worker, exitCode));
    if (worker.times !== undefined) this.timing?.died(worker.times);
    this.#staffing.explain(worker, exitCode, lost);
    this.#events.emit('workerDestroy', worker);
    this.#staffing.replace(worker, exitCode, lost);
    this.#pump.stateChanged();
  }

  /** As many workers as there must be are ready. Rejects with why one could not start. */
  get ready(): Promise<void> {
    if (this.#staffing.closing) return Promise.reject(closed());
    if (this.#isReady) return Promise.resolve();
    const { promise } = this.#readiness;
    this.refillCrew();
    // Nobody will come.
    if (this.workers.length === 0) {
      const why =
        this.#guard.refusal(undefined, false) ?? startFailure(new Error('Node refuses to make one'));
      this.#readiness.failed(why);
    }
    return promise;
  }

  get #isReady(): boolean {
    const ready = this.workers.filter((worker) => worker.ready && !worker.retiring).length;
    return ready >= this.options.minThreads;
  }

  /** The most workers that the table has room for, with some that do not end. */
  get mostThreads(): number {
    const { layout } = this.#state.table;
    const bySlots = Math.floor(layout.slots / 2 / this.options.concurrentTasksPerWorker);
    return Math.max(this.#firstMaxThreads, Math.min(1024, bySlots, layout.workers - FEWEST_SPARE));
  }

  resize(minThreads: number, maxThreads: number): void {
    if (this.#staffing.closing) throw closed();
    Object.assign(this.options, { minThreads, maxThreads });
    this.#crew.shrink();
    this.#dispatch.reconsider();
    this.refillCrew();
    this.#crew.watchIdle();
    if (this.#isReady) this.#readiness.reached();
    if (this.needsDrain !== this.#isFull) this.#setNeedsDrain(this.#isFull);
    this.#pump.stateChanged();
  }

  /** Waits for every task and stream, then stops the workers. */
  async close(force: boolean): Promise<void> {
    await this.#ending.close(force);
    await this.destroy();
    this.#events.emit('close');
  }

  async destroy(): Promise<void> {
    this.#readiness.failed(closed());
    try {
      await this.#ending.destroy();
    } finally {
      this.#pump.stop();
      this.observer?.stop();
    }
  }
}

/** From the worker file first: that is a file of the program. */
function openTelemetryOf({ openTelemetry, filename }: FilledOptions): OpenTelemetryApi | undefined {
  if (typeof openTelemetry === 'object') return openTelemetry;
  if (openTelemetry !== true) return undefined;
  return findOpenTelemetry([filename, process.argv[1], `${process.cwd()}/`]);
}

const closed = (): PoolError => new PoolError('PLIMSOLL_POOL_CLOSED', 'The pool is closing or closed');
