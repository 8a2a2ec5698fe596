import { PoolError } from '../errors.js';
import { OBSERVED } from '../shared/calls.js';
import { type Geometry, layoutOf } from '../shared/layout.js';
import { marksFor } from '../shared/marks.js';
import { type SharedTable, tableOf } from '../shared/memory.js';
import type { LifecycleHooks, Message } from '../shared/messages.js';
import { detach } from '../shared/move.js';
import { usableCores } from './cpu-quota.js';
import { Breaker, closed } from './faults.js';
import type { FilledOptions, Key } from './options.js';
import { List, type Pending, Queue } from './queue.js';
import { Slots } from './slots.js';
import { type Extras, HandlerNames, placeOf, SETTLED, type Task } from './task.js';
import { Timing } from './timing.js';
import { Wait } from './waits.js';
import { READY, RETIRING, takesTasks, type WorkerEvents, type WorkerHandle } from './worker-handle.js';

const MOST_HANDLERS = 1000;
const SLOT_WORDS = 128;
const FEWEST_SLOTS = 1024;
/** Extra worker blocks: a killed worker keeps its block until its thread exits, if ever. An unused block costs little. */
const STUCK_WORKERS = 128;
/** A resize leaves at least this many of them. */
const FEWEST_SPARE = 64;

const powerOfTwo = (least: number): number => 2 ** Math.ceil(Math.log2(least));

/** The table has slots only for tasks that run or come next; further tasks wait on the host. */
export function geometryFor(
  { maxThreads, concurrentTasksPerWorker }: FilledOptions,
  policy: Policy | undefined,
): Geometry {
  return {
    slots: Math.max(FEWEST_SLOTS, powerOfTwo(Math.min(maxThreads * concurrentTasksPerWorker * 2, 2 ** 15))),
    workers: maxThreads * 2 + STUCK_WORKERS,
    slotWords: SLOT_WORDS,
    mailbox: Math.max(16, powerOfTwo(Math.min(concurrentTasksPerWorker * 2, 1024))),
    spinners: policy?.neverSpins ? 0 : usableCores() - 1,
  };
}

export type Emit = (
  event: 'needsDrain' | 'drain' | 'close' | 'error' | 'message' | 'workerCreate' | 'workerDestroy',
  value?: unknown,
) => void;

/** `fail` ends the stream when its worker or the pool is gone; `close` also closes its iterable in the worker. */
export interface OpenStream {
  readonly worker: WorkerHandle | undefined;
  fail(reason: unknown): void;
  close(reason: unknown): void;
}

/** Reports about tasks, for `explain()`. Times are milliseconds of the clock that all threads share. */
export interface TaskHooks {
  written(slot: number, from: number, to: number): void;
  read(worker: WorkerHandle, slot: number, base: number, failed: boolean, from: number, to: number): void;
  ready(): void;
}

/** How a `Piscina` or `Tinypool` differs from a `Pool`: its queue, load balancer and lifecycle hooks. */
export interface Policy {
  readonly hooks: LifecycleHooks;
  /** Number workers from 1, for worker files written for tinypool. */
  readonly hasNumbers?: boolean;
  readonly neverSpins?: boolean;
  queueOf(state: State): Pending | undefined;
  chooserOf(state: State): ((task: Task) => WorkerHandle | undefined) | undefined;
}

/** A `host.sync` call: its worker is blocked until the answer. */
export interface BlockingCall {
  readonly worker: WorkerHandle;
  readonly slot: number;
  readonly answer: (value: unknown, isFailed: boolean) => void;
  readonly isOpen: () => boolean;
  /** Tasks that the host function has submitted, by pool: the answer probably waits for them. */
  readonly nested: Map<State, Task[]>;
  /** The call, perhaps of another pool, whose host function submitted the calling task. */
  outer: BlockingCall | undefined;
}

/** The state of a pool. The functions in this folder act on it; `Core` calls them. */
export abstract class State implements WorkerEvents {
  readonly options: FilledOptions;
  readonly emit: Emit;
  readonly table: SharedTable;
  readonly policy: Policy | undefined;

  /** `workers` have not been stopped; `exiting` have been, but their threads have not exited. */
  readonly workers: WorkerHandle[] = [];
  readonly exiting = new Set<WorkerHandle>();
  /** Retiring workers count towards neither `minThreads` nor `maxThreads`. */
  retiring = 0;
  readonly freeIndexes: number[];
  started = 0;
  exited = 0;
  /** Ready workers that died in a row without having taken a task. */
  idleDeaths = 0;
  startError: { readonly error: unknown } | undefined;
  readonly breaker: Breaker;

  /** Where tasks wait: for any worker; for one worker; with a key while there is no worker; for a backoff or return. */
  readonly queue: Pending;
  readonly lanes = new Map<WorkerHandle, List>();
  readonly homeless = new List();
  readonly paused = new Map<Task, NodeJS.Timeout | undefined>();
  /** Paused tasks that a worker must post back before another worker can run them, by sequence number. */
  readonly returning = new Map<number, { readonly task: Task; readonly worker: WorkerHandle }>();
  readonly slots: Slots;
  readonly homes = new Map<number, WorkerHandle>();
  /** Publish only what an idle worker takes at once, so that the host's queue decides the order. */
  ordered: boolean;
  plainInARow = 0;
  slowLately = 0;
  /** A stack overflow may have left slots reserved for tasks that were never published. */
  hasStrays = false;
  /** `completed` when the load balancer last refused a task: until another task ends, it would refuse again. */
  refusedAt = -1;
  /** The load balancer; undefined: any free worker claims the task. */
  readonly choose: ((task: Task) => WorkerHandle | undefined) | undefined;
  lastNumber = 0;

  // Counts of unsettled tasks; `queueSize`, `maxQueue`, `needsDrain` and the number of workers follow from them.
  outstanding = 0;
  /** The task that is being settled, and `outstanding` without it: a stack overflow may interrupt `settle`. */
  leaving = 0;
  outstandingAfter = 0;
  /** Abortable tasks that any worker may run; an abortable task shares its worker with no other task. */
  abortable = 0;
  /** Steps of open streams: only the stream's worker can run them, so they need no further worker. */
  bound = 0;
  homed = 0;
  completed = 0;
  failed = 0;
  refused = 0;
  readonly streams = new Set<OpenStream>();
  isPaused = false;
  /** Refuses tasks. Submitted tasks still run, until `ended`. */
  closing = false;
  ended = false;

  readonly allReady = new Wait(() => this.readyCount >= this.options.minThreads);
  readonly room = new Wait(() => !this.isFull);
  readonly idle = new Wait(() => this.outstanding === 0 && this.streams.size === 0);

  callsHost: boolean;
  readonly blocked = new Map<WorkerHandle, BlockingCall>();

  readonly handlers: HandlerNames;
  readonly defaultHandler: number;
  readonly marks: Float64Array | undefined;
  hooks: TaskHooks | undefined;
  readonly onClosed = new Set<() => void>();
  readonly timing: Timing | undefined;
  idleTimer: NodeJS.Timeout | undefined;
  pauseTimer: NodeJS.Timeout | undefined;
  aheadTimer: NodeJS.Timeout | undefined;
  #mostHandlers = MOST_HANDLERS;
  readonly #firstMaxThreads: number;

  constructor(options: FilledOptions, emit: Emit, geometry: Geometry, policy?: Policy) {
    this.options = options;
    this.#firstMaxThreads = options.maxThreads;
    this.emit = emit;
    this.policy = policy;
    this.table = tableOf(layoutOf(geometry));
    const { table, workers } = this;
    this.freeIndexes = Array.from({ length: geometry.workers }, (_, index) => geometry.workers - 1 - index);
    this.handlers = new HandlerNames((id, handler) => {
      for (const worker of workers) worker.post(['handler', id, handler]);
      if (this.handlers.byId.size === this.#mostHandlers) queueMicrotask(() => this.#forgetHandlers());
    });
    const { filename, name, host } = options;
    this.callsHost = host !== undefined;
    const call = this.callsHost ? OBSERVED : 0;
    this.defaultHandler = filename === null ? -1 : this.handlers.idOf(filename, name, call);
    this.marks = options.explain ? marksFor(table.layout.slots) : undefined;
    this.slots = new Slots(table, workers, options.maxValueBytes);
    this.breaker = new Breaker(options.breaker);
    this.queue = policy?.queueOf(this) ?? new Queue();
    this.ordered = !(this.queue instanceof Queue);
    this.choose = policy?.chooserOf(this);
    this.timing = options.recordTiming ? new Timing(this) : undefined;
  }

  /** Bounds the memory for handlers: their names may come from outside. Runs in a microtask, when no call uses a number. */
  #forgetHandlers(): void {
    const { queue, lanes, homeless, paused, slots, handlers, workers } = this;
    if (queue.size + lanes.size + homeless.size + paused.size === 0) {
      const tasks = slots.tasks.filter((task) => task !== undefined);
      const used = new Set([this.defaultHandler, ...tasks.map(({ handler }) => handler)]);
      const forgotten = handlers.forgetAllBut(used);
      for (const worker of workers) worker.post(['forget', forgotten]);
    }
    this.#mostHandlers = Math.max(MOST_HANDLERS, 2 * handlers.byId.size);
  }

  abstract onWake(): void;
  abstract onMessage(worker: WorkerHandle, received: Message): void;
  abstract onExit(worker: WorkerHandle, exitCode: number): void;
  /** Called after every event. @param isShort see `plan` */
  abstract changed(isShort?: boolean): void;
  abstract get isStreaming(): boolean;

  get count(): number {
    return this.workers.length - this.retiring;
  }

  get mostThreads(): number {
    const { slots, workers } = this.table.layout;
    const bySlots = Math.floor(slots / 2 / this.options.concurrentTasksPerWorker);
    return Math.max(this.#firstMaxThreads, Math.min(1024, bySlots, workers - FEWEST_SPARE));
  }

  get readyCount(): number {
    return this.workers.filter((worker) => worker.state === READY).length;
  }

  /** The worker with this block of the table; undefined: none, or it was stopped. */
  workerAt(index: number): WorkerHandle | undefined {
    return this.workers.find((worker) => worker.index === index);
  }

  /** A further task would wait, even with `maxThreads` workers. */
  get isFull(): boolean {
    const { maxThreads, concurrentTasksPerWorker } = this.options;
    // The usual case, short enough for V8 to inline.
    if (this.abortable + this.bound + this.homed + this.retiring + this.blocked.size === 0)
      return this.outstanding >= Math.min(maxThreads * concurrentTasksPerWorker, this.table.layout.slots);
    return this.waiting(maxThreads, 1) > 0;
  }

  setHome(task: Task, worker: WorkerHandle | undefined): void {
    const extras = task.extras as Extras;
    this.tally(extras, -1);
    extras.worker = worker;
    this.tally(extras, 1);
  }

  /** Adds a task to the counts of unsettled tasks, or removes it. */
  tally({ stream, worker, abortable }: Extras, by: 1 | -1): void {
    if (stream === 'continues') this.bound += by;
    else if (worker === undefined) this.abortable += abortable ? by : 0;
    else {
      this.homed += by;
      worker.pinned += by;
      worker.pinnedAlone += abortable ? by : 0;
    }
  }

  /** @param isForeign see `Rejection` */
  settle(task: Task, outcome: unknown, failed: boolean, isForeign = false): void {
    if (task.place === SETTLED) return;
    const { extras } = task;
    // Any step may throw if the stack overflows; `leaving` lets `Core` repair the count.
    this.outstandingAfter = this.outstanding - 1;
    this.leaving = task.number;
    this.outstanding = this.outstandingAfter;
    if (extras !== undefined) this.tally(extras, -1);
    task.place = SETTLED;
    task.value = undefined;
    this.completed++;
    extras?.release?.();
    if (extras?.isCopied === true && !(failed && outcome instanceof PoolError)) detach(extras.transfer);
    const verdict = extras?.stream === undefined ? extras?.verdict : undefined;
    if (failed || verdict !== undefined) {
      // A request for an item that is taken back, because its stream has ended, is no failure.
      if (isForeign || !task.isStep) this.failed++;
      const reason = verdict === undefined ? outcome : verdict.reason;
      if (extras?.isSent === true && reason instanceof PoolError) reason.transferred = true;
      task.reject(reason, isForeign && verdict === undefined);
    } else task.resolve(outcome);
    // Here, because no event may follow a task that settles during a dispatch; last, so that its caller hears first.
    if (this.idle.isAwaited) this.idle.check();
    if (this.room.isAwaited) this.room.check();
  }

  /** How many unpinned tasks would wait, with so many workers and so many further tasks. */
  shortage(threads: number, morePlain = 0, moreAbortable = 0): number {
    const { concurrentTasksPerWorker: concurrency } = this.options;
    let whole = threads;
    let spare = 0;
    if (this.homed > 0) {
      for (const worker of this.workers) {
        if (worker.pinned === 0 || !takesTasks(worker)) continue;
        whole--;
        spare += this.#placesOf(worker);
      }
    }
    if (this.blocked.size > 0) {
      // A worker that is blocked by a call takes no further task.
      for (const { worker, isOpen } of this.blocked.values()) {
        if (!takesTasks(worker) || !isOpen()) continue;
        const { isExclusive, count } = this.slots.sharedBy(worker);
        if (!isExclusive) spare -= Math.max(0, this.#placesOf(worker) - count);
      }
    }
    if (this.retiring > 0) {
      // Tasks that a retiring worker still runs need no other worker.
      for (const worker of this.workers) {
        if (worker.state !== RETIRING) continue;
        const { isExclusive, count } = this.slots.sharedBy(worker);
        if (isExclusive) whole++;
        else spare += count;
      }
    }
    const abortable = this.abortable + moreAbortable;
    const plain = this.outstanding - this.bound - this.homed - this.abortable + morePlain;
    const room = Math.max(0, whole - abortable) * concurrency + spare;
    return Math.max(0, abortable - Math.max(0, whole)) + Math.max(0, plain - room);
  }

  /** How many unpinned tasks a worker may run beside its pinned tasks. */
  #placesOf({ pinned, pinnedAlone }: WorkerHandle): number {
    const { concurrentTasksPerWorker } = this.options;
    if (pinned === 0) return concurrentTasksPerWorker;
    return pinnedAlone > 0 ? 0 : Math.max(0, concurrentTasksPerWorker - pinned);
  }

  /** `shortage`, and the tasks that wait for their own worker or for a slot. */
  waiting(threads: number, morePlain = 0, moreAbortable = 0): number {
    let waiting = this.shortage(threads, morePlain, moreAbortable);
    const { concurrentTasksPerWorker } = this.options;
    if (this.homed > 0) {
      for (const worker of this.workers) {
        const room = worker.pinnedAlone > 0 ? 1 : concurrentTasksPerWorker;
        if (takesTasks(worker)) waiting += Math.max(0, worker.pinned - room);
      }
    }
    const slotless = this.outstanding + morePlain + moreAbortable - this.table.layout.slots;
    return Math.max(waiting, slotless);
  }

  homeOf(key: Key): WorkerHandle | undefined {
    const home = this.homes.get(placeOf(key));
    return home !== undefined && takesTasks(home) ? home : undefined;
  }

  /** Accepts a task. @param handler -1: there is no worker file @throws why the task is refused */
  admit(handler: number, extras: Extras | undefined): void {
    // The usual case, short enough for V8 to inline.
    const { closing, breaker, options } = this;
    if (!closing && breaker.until === 0 && handler !== -1 && options.maxQueue === Number.POSITIVE_INFINITY)
      return;
    const refusal = this.#whyNot(handler, extras);
    if (refusal === undefined) return;
    this.refused++;
    throw refusal;
  }

  #whyNot(handler: number, extras: Extras | undefined): Error | undefined {
    if (this.closing) return closed();
    if (this.breaker.pause > 0 && this.workers.length === 0) return this.breaker.refusal();
    if (handler === -1) {
      const message = 'filename must be provided to run() or in options object';
      return new PoolError('PLIMSOLL_POOL_NO_FILENAME', message);
    }
    const { maxThreads, maxQueue, concurrentTasksPerWorker } = this.options;
    if (maxQueue === Number.POSITIVE_INFINITY) return undefined;
    const home = extras?.key === undefined ? undefined : this.homeOf(extras.key);
    const exclusive = extras?.abortable ? 1 : 0;
    const waiting =
      home === undefined
        ? this.waiting(maxThreads, 1 - exclusive, exclusive)
        : this.waiting(maxThreads) + (home.pinned >= concurrentTasksPerWorker ? 1 : 0);
    if (waiting <= maxQueue) return undefined;
    const why =
      maxQueue === 0 ? 'No task queue available and all Workers are busy' : 'Task queue is at limit';
    return new PoolError('PLIMSOLL_POOL_QUEUE_FULL', why);
  }
}
