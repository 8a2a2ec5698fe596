import { availableParallelism, getPriority, setPriority } from 'node:os';
import type { ResourceLimits } from 'node:worker_threads';
import { now, source } from '../shared/clock.js';
import { IN_DENO } from '../shared/deno.js';
import { AWAKE, reclaimSpinPermits, retire, SLEEPING } from '../shared/gate.js';
import { Times } from '../shared/histogram.js';
import type { SharedTable } from '../shared/memory.js';
import * as message from '../shared/messages.js';
import { resetBlock } from '../shared/table.js';
import { isInTime, LONGEST_TIMER, timers } from '../shared/timers.js';
import type { FilledOptions } from './options.js';
import type { PoolState } from './state.js';
import { type WorkerEvents, WorkerHandle } from './worker-handle.js';

/** The parts of a worker's first message that change. */
type CurrentStartup = Pick<message.Startup, 'arenas' | 'handlers' | 'preload' | 'shapes'>;

/** What the crew tells the rest of the pool. */
export interface CrewEvents extends Pick<WorkerEvents, 'onWake' | 'onMessage' | 'onStarted'> {
  onCreate(worker: WorkerHandle): void;
  onReady(worker: WorkerHandle): void;
  /** A worker is about to be stopped, and leaves the crew. Its thread may not exit for long. */
  onKill(worker: WorkerHandle): void;
  /** A worker's thread has exited; it is no longer in the crew. */
  onGone(worker: WorkerHandle, exitCode: number): void;
}

const cores = availableParallelism();

/** Node ends a thread when its code returns to JavaScript, and waits for that as long as it takes. */
const stuck = (threads: number): string =>
  `${threads} stopped worker${threads === 1 ? '' : 's'} cannot end, probably inside a native call that does not return`;

/**
 * Milliseconds that a worker is kept at least, whatever `idleTimeout` says: it costs no CPU while it idles, and to start
 * another one in its place costs as much as this.
 */
const LEAST_IDLE = 50;

/** Milliseconds that an ending pool waits for threads in Deno, where nothing stops one that is busy: the process may end then. */
const DENO_PATIENCE = 1000;

/** The worker threads: started on need, stopped when idle for long, replaced when they die. */
export class Crew {
  readonly #workers: WorkerHandle[];
  readonly #exiting = new Set<WorkerHandle>();
  readonly #freeIndexes: number[];
  #idleTimer: NodeJS.Timeout | undefined;
  /** How many of the workers retire: they count no more for how many there may and must be. */
  retiring = 0;
  readonly #options: FilledOptions;
  readonly #table: SharedTable;
  readonly #current: () => CurrentStartup;
  readonly #marks: SharedArrayBuffer | undefined;
  readonly #lifecycle: boolean;
  readonly #events: CrewEvents;
  readonly #workerEvents: WorkerEvents;

  constructor(
    { options, table, workers, observer, lifecycle }: PoolState,
    current: () => CurrentStartup,
    events: CrewEvents,
  ) {
    this.#options = options;
    this.#table = table;
    this.#workers = workers;
    this.#marks = observer?.marks.buffer;
    this.#lifecycle = lifecycle;
    this.#current = current;
    this.#events = events;
    const count = table.layout.workers;
    this.#freeIndexes = Array.from({ length: count }, (_, index) => count - 1 - index);
    this.#workerEvents = {
      onWake: events.onWake,
      onReady: (worker, kernelThreadId) => this.#onReady(worker, kernelThreadId),
      onMessage: events.onMessage,
      onStarted: events.onStarted,
      onExit: (worker, exitCode) => this.#onExit(worker, exitCode),
    };
  }

  /** Those that do not retire. */
  get count(): number {
    return this.#workers.length - this.retiring;
  }

  /**
   * Starts a worker, unless there are as many as there may be.
   * @param beyond so many more than that
   * @throws what Node throws for options of threads; an Error when too many threads do not end
   */
  spawn(beyond = 0): boolean {
    if (this.count >= this.#options.maxThreads + beyond) return false;
    const index = this.#freeIndexes.at(-1);
    if (index === undefined) throw new Error(`${stuck(this.#exiting.size)}, so there is no room for others`);
    resetBlock(this.#table, index);
    const worker = new WorkerHandle(
      this.#startup(index),
      this.#table,
      this.#threadOptions(),
      this.#workerEvents,
    );
    this.#freeIndexes.pop();
    this.#workers.push(worker);
    this.#events.onCreate(worker);
    return true;
  }

  #startup(index: number): Omit<message.Startup, keyof message.PostPorts> {
    return {
      layout: this.#table.layout,
      table: this.#table.buffer,
      index,
      concurrency: this.#options.concurrentTasksPerWorker,
      times: this.#options.recordTiming ? new Times().buffer : undefined,
      marks: this.#marks,
      lifecycle: this.#lifecycle ? this.#options.closeTimeout : undefined,
      maxHeapMb: this.#options.maxHeapMb,
      clock: source,
      nice: this.#options.niceIncrement !== 0,
      ...this.#current(),
    };
  }

  #threadOptions(): object {
    const { argv, execArgv, env, workerData, trackUnmanagedFds } = this.#options;
    const resourceLimits = withYoungLimit(this.#options.resourceLimits);
    const all = { resourceLimits, argv, execArgv, env, workerData, trackUnmanagedFds };
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    // Without a prototype: nobody's polluted Object.prototype becomes an option of a thread.
    return Object.assign(Object.create(null), given) as object;
  }

  #onReady(worker: WorkerHandle, kernelThreadId: number): void {
    worker.ready = true;
    worker.readyAt = now();
    if (kernelThreadId > 0) this.#setNice(kernelThreadId);
    this.#events.onReady(worker);
  }

  #setNice(kernelThreadId: number): void {
    try {
      setPriority(kernelThreadId, Math.min(19, getPriority(kernelThreadId) + this.#options.niceIncrement));
    } catch {
      // A thread that is gone, or a system that does not let us: tasks run at the usual priority.
    }
  }

  /** Is any worker running, spinning, or about to look for work? */
  get isAnyAwake(): boolean {
    for (const worker of this.#workers) if (worker.ready && worker.isAwake) return true;
    return false;
  }

  get hasSpareCore(): boolean {
    let awake = 0;
    for (const worker of this.#workers) if (worker.ready && worker.isAwake) awake++;
    return awake < cores;
  }

  get idle(): number {
    return this.#workers.filter((worker) => worker.ready && !worker.retiring && worker.hasNothing).length;
  }

  /** Lets a worker end what it has, and then itself. One that has nothing and need not dispose of anything is stopped at once. */
  retire(worker: WorkerHandle): void {
    worker.readMessages();
    if (worker.leaving || worker.retiring) return;
    const mayStop = !worker.disposes && worker.kept === 0;
    if (!worker.ready || (mayStop && this.#hasRetired(worker))) {
      this.kill(worker);
      return;
    }
    worker.retiring = true;
    this.retiring++;
    const tell = (): void => {
      if (!worker.leaving && !worker.hasExited) worker.post([message.RETIRE]);
    };
    // Until then it takes tasks as ever: it could not be woken for the next item of a stream otherwise.
    if (worker.kept > 0) worker.onFree = tell;
    else tell();
  }

  /** Lets all workers dispose of what they have, so many milliseconds at most. */
  async retireAll(patience: number): Promise<void> {
    // It may have told that it is ready, and ended tasks, before the host has heard of the former.
    for (const worker of [...this.#workers]) worker.readMessages();
    const disposing = this.#workers.filter((worker) => worker.ready && worker.disposes);
    for (const worker of disposing) this.retire(worker);
    await isInTime(Promise.all(disposing.map((worker) => worker.exited)), patience);
  }

  /** Retires so many workers as there are more than there may be, first those that do least. */
  shrink(): void {
    const surplus = this.count - this.#options.maxThreads;
    if (surplus <= 0) return;
    const loadOf = (worker: WorkerHandle): number =>
      worker.ready ? worker.running + worker.mailCount + 1 : 0;
    const staying = this.#workers.filter((worker) => !worker.retiring);
    staying.sort((one, other) => loadOf(one) - loadOf(other));
    for (const worker of staying.slice(0, surplus)) this.retire(worker);
  }

  /** Stops a worker at once. Its tasks are settled when its thread has exited. */
  kill(worker: WorkerHandle): void {
    if (worker.leaving) return;
    this.#events.onKill(worker);
    this.#leave(worker);
    worker.terminate();
  }

  killByIndex(index: number): void {
    const worker = this.#workers.find((candidate) => candidate.index === index);
    if (worker !== undefined) this.kill(worker);
  }

  /**
   * Stops every worker. Resolves when all threads have exited.
   * @throws Error when some have not after so many milliseconds
   */
  async killAll(patience: number): Promise<void> {
    timers.clearTimeout(this.#idleTimer);
    for (const worker of [...this.#workers]) this.kill(worker);
    const exited = Promise.all([...this.#exiting].map((worker) => worker.exited));
    if (await isInTime(exited, IN_DENO ? Math.min(patience, DENO_PATIENCE) : patience)) return;
    if (!IN_DENO) throw new Error(stuck(this.#exiting.size));
  }

  #leave(worker: WorkerHandle): void {
    const place = this.#workers.indexOf(worker);
    if (place === -1) return;
    this.#workers.splice(place, 1);
    if (worker.retiring) this.retiring--;
    this.#exiting.add(worker);
  }

  #onExit(worker: WorkerHandle, exitCode: number): void {
    this.#leave(worker);
    this.#events.onGone(worker, exitCode);
    worker.leaving = true;
    this.#exiting.delete(worker);
    reclaimSpinPermits(this.#table, worker.index);
    this.#freeIndexes.push(worker.index);
  }

  /** Looks after workers beyond `minThreads` for as long as there are any. */
  watchIdle(): void {
    const { idleTimeout, minThreads } = this.#options;
    if (this.#idleTimer !== undefined || idleTimeout === Number.POSITIVE_INFINITY) return;
    if (this.count <= minThreads) return;
    this.#idleTimer = timers
      .setTimeout(
        () => {
          this.#idleTimer = undefined;
          this.#retireIdle();
          this.watchIdle();
        },
        Math.min(Math.max(idleTimeout, LEAST_IDLE) / 2, LONGEST_TIMER),
      )
      .unref();
  }

  #retireIdle(): void {
    const time = now();
    const enough = Math.max(this.#options.idleTimeout, LEAST_IDLE);
    for (const worker of [...this.#workers].reverse()) {
      if (!worker.ready || !this.#seemsIdle(worker)) worker.idleSince = undefined;
      else if (worker.idleSince === undefined || worker.idleMark !== worker.claimed) {
        worker.idleSince = time;
        worker.idleMark = worker.claimed;
      }
      if (worker.retiring || this.#readyCount <= this.#options.minThreads) continue;
      if (worker.idleSince !== undefined && time - worker.idleSince >= enough) this.#retireIdleOne(worker);
    }
  }

  /** Who still starts may not get that far. */
  get #readyCount(): number {
    return this.#workers.filter((worker) => worker.ready && !worker.retiring).length;
  }

  #seemsIdle(worker: WorkerHandle): boolean {
    return (
      worker.kept === 0 && worker.hasNothing && Atomics.load(this.#table.words, worker.gate) === SLEEPING
    );
  }

  /** One that has taken something meanwhile stays. */
  #retireIdleOne(worker: WorkerHandle): void {
    if (worker.disposes) this.retire(worker);
    else if (this.#hasRetired(worker)) this.kill(worker);
  }

  /** A retired worker claims nothing. One that has an asynchronous task must stay, and look for work again. */
  #hasRetired(worker: WorkerHandle): boolean {
    if (!retire(this.#table.words, worker.gate)) return false;
    if (worker.hasNothing) return true;
    Atomics.store(this.#table.words, worker.gate, AWAKE);
    Atomics.notify(this.#table.words, worker.gate);
    return false;
  }
}

/**
 * A worker at its heap limit is ended by Node, which gives V8 16 MB more to get that far (src/node_worker.cc, NearHeapLimit). On
 * Node 24 the young generation may have 192 MB; a full one that moves to the old generation overruns that allowance, and V8
 * ends the whole process. 48 MB are the default of Node 20 and 22, on which that has not been seen.
 */
function withYoungLimit(limits: ResourceLimits | undefined): ResourceLimits | undefined {
  if (limits?.maxOldGenerationSizeMb === undefined) return limits;
  return { ...limits, maxYoungGenerationSizeMb: limits.maxYoungGenerationSizeMb ?? 48 };
}
