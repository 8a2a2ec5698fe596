import { AsyncLocalStorage } from 'node:async_hooks';
import type { Worker } from 'node:worker_threads';
import type { Pumped } from '../host/pump.js';
import type { Pool } from '../index.js';
import { type CurrentTask, provideContext } from '../shared/context.js';
import { LONGEST_TIMER, timers } from '../shared/timers.js';
import { type Death, Faults } from './faults.js';
import type { Order, Settings } from './test-options.js';
import { VirtualTime } from './virtual-time.js';

/** Something that has happened in a pool. */
export interface Step {
  /**
   * 'start': a worker is ready. 'start failed': it will never be. 'call': a worker has claimed a task, whose
   * function was called unless a fault hit the call. 'end': the pool has heard of the end of a call.
   */
  readonly kind: 'start' | 'start failed' | 'call' | 'end';
  /** The worker's thread id. */
  readonly threadId: number;
  /** The called function; only for 'call' and 'end'. */
  readonly name?: string;
}

/** The pool's code, bundled with a simulation instead of threads and time. */
export interface Realm {
  readonly Pool: typeof Pool;
  enter(simulation: Simulation): void;
  readonly SimulatedThread: new (threadId: number) => Thread;
}

export interface Thread {
  readonly threadId: number;
  /** The thread has ended, so its worker does nothing more. */
  readonly isDead: boolean;
  readonly isReady: boolean;
  start(): Promise<void>;
  /** Claims a task, calls its function and returns the function's name; undefined if there is no task to claim. */
  take(): string | undefined;
  /** Stops the worker at once; the host soon gets the event 'exit'. */
  die(death: Death): Promise<number>;
}

/** A call of a function, until the pool hears of its end. */
export interface Call {
  readonly thread: Thread;
  readonly name: string;
  /** A call that 'runs' may wait for something outside the pool. */
  state: 'runs' | 'has ended' | 'hangs';
  report(): void;
}

export interface Polled {
  poll(): void;
}

/** Real milliseconds that functions may wait for something outside before virtual time passes. */
const PATIENCE = 1000;

type Action = () => Step | undefined | Promise<Step>;

/** Workers run outside the async context of the test, as they do in real threads. */
const outside = AsyncLocalStorage.snapshot();

type Provider = () => CurrentTask | undefined;

const providers = new Set<Provider>();

function currentContext(): CurrentTask | undefined {
  for (const provider of providers) {
    const context = provider();
    if (context !== undefined) return context;
  }
  return undefined;
}

provideContext(currentContext);

export class Simulation {
  readonly time = new VirtualTime(() => this.changed());
  readonly faults = new Faults();
  readonly load: Settings['load'];
  readonly posts = new Set<Polled>();
  isAutomatic: boolean;
  /** Loading files, and starting workers. */
  readonly loads = new Set<{ readonly thread: Thread }>();
  /** The id of the thread that has begun to load a file last. */
  loader = 0;
  /** Running calls, and ended calls that the pool has not heard of, oldest first. */
  readonly calls = new Set<Call>();
  /** The host looks for results once even without outstanding tasks. */
  looksOnce = false;
  realm: Realm | undefined;
  pumped: Pumped | undefined;
  readonly #order: Order;
  readonly #threads = new Set<Thread>();
  #threadIds = 0;
  #isScheduled = false;
  #isDelivering = false;
  #last: Promise<unknown> = Promise.resolve();
  /** For each pending `runAll()`: the steps since its call, and what resolves it. */
  readonly #runs = new Map<Step[], () => void>();
  /** Providers, and how to end each: an AsyncLocalStorage in use slows every promise of the process. */
  readonly #providers = new Map<Provider, () => void>();
  #limitedWaits = 0;
  #realTimer: NodeJS.Timeout | undefined;
  /** The virtual timer for which `#realTimer` was set. */
  #awaitedTimer: VirtualTime['next'];

  constructor({ order, isAutomatic, load }: Settings) {
    this.#order = order;
    this.isAutomatic = isAutomatic;
    this.load = load;
  }

  startThread(): Worker {
    const { SimulatedThread } = this.realm as Realm;
    const thread = new SimulatedThread(++this.#threadIds);
    this.#threads.add(thread);
    this.changed();
    return thread as unknown as Worker;
  }

  stop(): void {
    this.#forgetRealTime();
    for (const [provider, end] of this.#providers) {
      providers.delete(provider);
      end();
    }
    this.#providers.clear();
  }

  /** Makes `task` of `@plimsoll/pool/worker` find the running task, whichever worker of whichever pool runs it. */
  provideContext(provider: Provider, end: () => void = () => {}): void {
    this.#providers.set(provider, end);
    providers.add(provider);
  }

  threadExited(thread: Thread): void {
    this.#threads.delete(thread);
    for (const waits of [this.calls, this.loads] as Set<{ thread: Thread }>[])
      for (const entry of waits) if (entry.thread === thread) waits.delete(entry);
    this.changed();
  }

  deliverSoon(): void {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    queueMicrotask(() => {
      this.#isDelivering = false;
      this.#deliver();
      this.changed();
    });
  }

  #deliver(): void {
    for (const post of [...this.posts]) post.poll();
  }

  changed(): void {
    if ((!this.isAutomatic && this.#runs.size === 0) || this.#isScheduled) return;
    this.#isScheduled = true;
    timers.setImmediate(() => {
      this.#isScheduled = false;
      void this.#exclusively(() => this.#go());
    });
  }

  #exclusively<Result>(run: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => outside(run));
    this.#last = result.catch(() => {});
    return result;
  }

  async #go(): Promise<void> {
    const step = await this.#next();
    const mayJump = step === undefined && !this.#isWaiting && this.#needsTime;
    if (step !== undefined || (mayJump && this.time.fireNext())) this.changed();
    else if (this.#isWaiting || (this.#isClosing && this.isAutomatic)) this.#followRealTime();
    else {
      this.#forgetRealTime();
      for (const end of this.#runs.values()) end();
    }
  }

  /**
   * Time stands still while functions wait for something outside. A wait without end meets its timeout as late as in reality.
   */
  #followRealTime(): void {
    const { next } = this.time;
    if (next === undefined || next === this.#awaitedTimer || !(this.#needsTime || this.#isClosing)) return;
    this.#forgetRealTime();
    this.#awaitedTimer = next;
    const fire = (): void => {
      this.#awaitedTimer = undefined;
      const isNeeded = this.#isClosing || (this.#isWaiting && this.#needsTime);
      if (isNeeded && this.time.next === next) this.time.fireNext();
      this.changed();
    };
    const late = Math.max(next.due - this.time.now, PATIENCE);
    this.#realTimer = timers.setTimeout(fire, Math.min(late, LONGEST_TIMER));
  }

  #forgetRealTime(): void {
    timers.clearTimeout(this.#realTimer);
    this.#awaitedTimer = undefined;
  }

  /** Would time help an outstanding task? */
  get #needsTime(): boolean {
    return (this.pumped?.outstanding ?? 0) > 0 && this.time.isAwaited;
  }

  /** Waits for something, but not for ever. */
  async countWait<Result>(wait: Promise<Result>): Promise<Result> {
    this.#limitedWaits++;
    try {
      return await wait;
    } finally {
      this.#limitedWaits--;
      this.changed();
    }
  }

  /** Without a task, the pool or a worker waits for a limited time: for a `dispose()`, or for whoever reads a stream. */
  get #isClosing(): boolean {
    return this.#limitedWaits > 0 && this.pumped?.outstanding === 0;
  }

  step(): Promise<Step | undefined> {
    return this.#exclusively(() => this.#next());
  }

  /** Resolves with all steps, once nothing more can happen. */
  runAll(): Promise<Step[]> {
    const log: Step[] = [];
    return new Promise((resolve) => {
      this.#runs.set(log, () => {
        this.#runs.delete(log);
        resolve(log);
      });
      this.changed();
    });
  }

  /** Lets virtual time pass. Fires due timers on the way; in an automatic pool, everything that can happens in between. */
  advance(milliseconds: number): Promise<void> {
    return this.#exclusively(async () => {
      const end = this.time.now + milliseconds;
      await this.#settleDown();
      while ((this.time.next?.due ?? Number.POSITIVE_INFINITY) <= end) {
        this.time.fireNext();
        await this.#settleDown();
      }
      this.time.now = end;
    });
  }

  async #settleDown(): Promise<void> {
    await turn();
    this.#exchange();
    while (this.isAutomatic && (await this.#next()) !== undefined);
  }

  /** Does a function or a loading file wait for something outside the pool? */
  get #isWaiting(): boolean {
    if (this.loads.size > 0) return true;
    for (const { state } of this.calls) if (state === 'runs') return true;
    return false;
  }

  /** Delivers messages and reports to both sides. */
  #exchange(): void {
    this.#deliver();
    if (this.looksOnce || (this.pumped?.outstanding ?? 0) > 0) {
      this.looksOnce = false;
      this.pumped?.turn();
    }
    this.pumped?.wakeWorkers();
    this.#deliver();
  }

  async #next(): Promise<Step | undefined> {
    this.#exchange();
    const step = await this.#act();
    if (step !== undefined || this.pumped?.outstanding === 0) return step;
    // A real host does this after ten milliseconds of sleep.
    this.pumped?.wakeFurther();
    return this.#act();
  }

  async #act(): Promise<Step | undefined> {
    const actions = this.#actions();
    while (actions.length > 0) {
      const [action] = actions.splice(this.#order(actions.length), 1);
      const step = await action?.();
      if (step === undefined) continue;
      await this.#loaded();
      await turn();
      for (const log of this.#runs.keys()) log.push(step);
      return step;
    }
    return undefined;
  }

  /** Waits for loading files, except those of dead workers. A load without end meets its timeout. */
  async #loaded(): Promise<void> {
    await turn();
    this.#exchange();
    if (this.loads.size === 0) return;
    while (this.loads.size > 0) {
      if (this.isAutomatic || this.#runs.size > 0) this.#followRealTime();
      await turn();
      this.#exchange();
    }
    this.#forgetRealTime();
  }

  #actions(): Action[] {
    const living = [...this.#threads].filter(({ isDead }) => !isDead);
    const starting = living.filter(({ isReady }) => !isReady);
    const ready = living.filter(({ isReady }) => isReady);
    const ended = [...this.calls].filter(({ state, thread }) => state === 'has ended' && !thread.isDead);
    return [
      ...starting.map((thread) => () => this.#start(thread)),
      ...ready.map((thread) => () => this.#call(thread)),
      ...ended.map((call) => () => this.#end(call)),
    ];
  }

  async #start(thread: Thread): Promise<Step> {
    const { threadId } = thread;
    const fault = this.faults.ofStart();
    if (fault !== undefined) {
      await thread.die(fault.death);
      return { kind: 'start failed', threadId };
    }
    const load = { thread };
    this.loads.add(load);
    void thread.start().finally(() => this.loads.delete(load));
    await this.#loaded();
    return { kind: thread.isDead ? 'start failed' : 'start', threadId };
  }

  #call(thread: Thread): Step | undefined {
    const name = thread.take();
    return name === undefined ? undefined : { kind: 'call', threadId: thread.threadId, name };
  }

  #end(call: Call): Step {
    this.calls.delete(call);
    call.report();
    return { kind: 'end', threadId: call.thread.threadId, name: call.name };
  }
}

const turn = (): Promise<void> => new Promise((resolve) => void timers.setImmediate(resolve));
