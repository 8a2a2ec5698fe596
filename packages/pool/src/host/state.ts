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
/** Memory that is not used until then costs next to nothing. */
const STUCK_WORKERS = 128;
/** So many of those blocks are left for them when the pool is made larger. */
const FEWEST_SPARE = 64;

const powerOfTwo = (least: number): number => 2 ** Math.ceil(Math.log2(least));

/** The table is small: slots for what is in flight; what waits longer stays on the host. */
export function geometryFor(
  { maxThreads, concurrentTasksPerWorker }: FilledOptions,
  policy: Policy | undefined,
): Geometry {
  return {
    slots: Math.max(FEWEST_SLOTS, powerOfTwo(Math.min(maxThreads * concurrentTasksPerWorker * 2, 2 ** 15))),
    // A killed worker keeps its block until its thread has exited, which one in a native call that never returns does not;
    // its replacement needs another one meanwhile.
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

/** What the pool has to tell a stream: to end, when its worker is gone, or to close its iterable first. */
export interface OpenStream {
  readonly worker: WorkerHandle | undefined;
  fail(reason: unknown): void;
  close(reason: unknown): void;
}

/** What hears of tasks for `explain()`. Times are those of the clock that all threads share. */
export interface TaskHooks {
  written(slot: number, from: number, to: number): void;
  read(worker: WorkerHandle, slot: number, base: number, failed: boolean, from: number, to: number): void;
  ready(): void;
}

/** What decides in the pool's place: the queue and the load balancer of a `Piscina` or `Tinypool`. */
export interface Policy {
  /** The functions of worker files that are called around their tasks. */
  readonly hooks: LifecycleHooks;
  /** Give workers numbers from 1 on, where files written for tinypool look for them. */
  readonly hasNumbers?: boolean;
  /** A worker without a task leaves its core to other threads at once. */
  readonly neverSpins?: boolean;
  queueOf(state: State): Pending | undefined;
  chooserOf(state: State): ((task: Task) => WorkerHandle | undefined) | undefined;
}

/** A call for whose answer a worker is blocked. */
export interface BlockingCall {
  readonly worker: WorkerHandle;
  readonly slot: number;
  readonly answer: (value: unknown, isFailed: boolean) => void;
  readonly isOpen: () => boolean;
  /** Tasks that the function has submitted, and what it has called, by their pool: the answer probably waits for them. */
  readonly nested: Map<State, Task[]>;
  /** In whose function the calling task was submitted, perhaps of another pool. */
  outer: BlockingCall | undefined;
}

/** Everything that a pool knows. Functions act on it, and `Core` says when. */
export abstract class State implements WorkerEvents {
  readonly options: FilledOptions;
  readonly emit: Emit;
  readonly table: SharedTable;
  readonly policy: Policy | undefined;

  /** Those that have not been stopped; those that have, and whose threads have not exited. */
  readonly workers: WorkerHandle[] = [];
  readonly exiting = new Set<WorkerHandle>();
  /** How many of the workers retire: they count no more for how many there may and must be. */
  retiring = 0;
  readonly freeIndexes: number[];
  started = 0;
  exited = 0;
  /** Workers that have died before they took a task, since one has ended a task. */
  idleDeaths = 0;
  startError: { readonly error: unknown } | undefined;
  readonly breaker: Breaker;

  /** Where tasks wait: for anybody, for one worker each, for a worker that does not exist yet, for their backoff or return. */
  readonly queue: Pending;
  readonly lanes = new Map<WorkerHandle, List>();
  readonly homeless = new List();
  readonly paused = new Map<Task, NodeJS.Timeout | undefined>();
  /** By the number of what was written: those among them that their worker has to post back before another one can run them. */
  readonly returning = new Map<number, { readonly task: Task; readonly worker: WorkerHandle }>();
  readonly slots: Slots;
  /** Which worker runs the tasks of a key, by `placeOf`: always the same, as long as it lives. */
  readonly homes = new Map<number, WorkerHandle>();
  /** Publish only what an idle worker takes at once, so that the order stays the queue's to decide. */
  ordered: boolean;
  plainInARow = 0;
  /** For how many tasks outcomes are expected to be slow to read. */
  slowLately = 0;
  /** Slots may belong to tasks that never got into the table. */
  hasStrays = false;
  /** How many tasks had ended when the next one was refused a worker: until another ends, the answer would be the same. */
  refusedAt = -1;
  /** A balancer's choice; undefined: any free worker claims the task. */
  readonly choose: ((task: Task) => WorkerHandle | undefined) | undefined;
  lastNumber = 0;

  // Tasks between their submission and their end, wherever they are: `queueSize`, `maxQueue`, `needsDrain` and the number of
  // workers follow from these.
  outstanding = 0;
  /** The number of the task that left last or is about to, and the tasks that are outstanding without it. */
  leaving = 0;
  outstandingAfter = 0;
  /** Those among them that share a worker with no other task, but for those with a worker of their own. */
  abortable = 0;
  /** Steps of streams: they wait for no worker but their own, so they count for nothing else. */
  bound = 0;
  homed = 0;
  completed = 0;
  failed = 0;
  refused = 0;
  readonly streams = new Set<OpenStream>();
  isPaused = false;
  /** No task is taken any more; those that were submitted still run, until it has ended. */
  closing = false;
  ended = false;

  readonly allReady = new Wait(() => this.readyCount >= this.options.minThreads);
  readonly room = new Wait(() => !this.isFull);
  readonly idle = new Wait(() => this.outstanding === 0 && this.streams.size === 0);

  callsHost: boolean;
  /** The last call of each worker that blocks it, until it is answered. */
  readonly blocked = new Map<WorkerHandle, BlockingCall>();

  readonly handlers: HandlerNames;
  /** The number of the pool's own function; -1: it has none. */
  readonly defaultHandler: number;
  readonly marks: Float64Array | undefined;
  hooks: TaskHooks | undefined;
  /** Called when the pool has ended. */
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

  /** Names may come from outside. Only waiting tasks keep a number for longer than a call, and no task calls this. */
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
  /** After every event. @param isShort see `plan` */
  abstract changed(isShort?: boolean): void;
  abstract get isStreaming(): boolean;

  get count(): number {
    return this.workers.length - this.retiring;
  }

  /** The most workers that the table has room for, with some that do not end. */
  get mostThreads(): number {
    const { slots, workers } = this.table.layout;
    const bySlots = Math.floor(slots / 2 / this.options.concurrentTasksPerWorker);
    return Math.max(this.#firstMaxThreads, Math.min(1024, bySlots, workers - FEWEST_SPARE));
  }

  get readyCount(): number {
    return this.workers.filter((worker) => worker.state === READY).length;
  }

  /** undefined: none has that block of the table, or it has been stopped. */
  workerAt(index: number): WorkerHandle | undefined {
    return this.workers.find((worker) => worker.index === index);
  }

  /** A task more would wait, however many workers were started. */
  get isFull(): boolean {
    return this.waiting(this.options.maxThreads, 1) > 0;
  }

  /** The worker of a task with a key; undefined: none for now. */
  setHome(task: Task, worker: WorkerHandle | undefined): void {
    const extras = task.extras as Extras;
    this.tally(extras, -1);
    extras.worker = worker;
    this.tally(extras, 1);
  }

  /** Counts a task that is under way, or no more, by what it needs of workers. */
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
    // At the end of the stack any step may throw, so the count can be written twice.
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
    // Now, since a task may end in the middle of a dispatch that no event follows; but its caller has the result first.
    if (this.idle.isAwaited) this.idle.check();
    if (this.room.isAwaited) this.room.check();
  }

  /** Number of shared tasks that would wait with this many workers, if this many more were submitted. */
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
      // One that is blocked by a call takes nothing beside what it runs.
      for (const { worker, isOpen } of this.blocked.values()) {
        if (!takesTasks(worker) || !isOpen()) continue;
        const { isExclusive, count } = this.slots.sharedBy(worker);
        if (!isExclusive) spare -= Math.max(0, this.#placesOf(worker) - count);
      }
    }
    if (this.retiring > 0) {
      // What workers that retire still run needs no other one.
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

  /** How many shared tasks a worker may run beside those that are for it alone. */
  #placesOf({ pinned, pinnedAlone }: WorkerHandle): number {
    const { concurrentTasksPerWorker } = this.options;
    if (pinned === 0) return concurrentTasksPerWorker;
    return pinnedAlone > 0 ? 0 : Math.max(0, concurrentTasksPerWorker - pinned);
  }

  /** The same, with the tasks that wait for the worker of their own, or for a slot. */
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

  /** @param handler -1: there is no file @throws why the task is refused */
  admit(handler: number, extras: Extras | undefined): void {
    // Nearly always: short, so that the compiler puts it into its caller.
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
