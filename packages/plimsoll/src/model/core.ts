import type { Machine } from './machine.js';
import type { Quota } from './quota.js';
import { RunQueue, type Threads } from './run-queue.js';

export const NOBODY = -1;
export const NEVER = Number.POSITIVE_INFINITY;

export const SLEEPING = 0;
export const QUEUED = 1;
export const RUNNING = 2;

/** What a core needs to know of every thread. Times in milliseconds. */
export interface CoreThreads extends Threads {
  readonly state: Uint8Array;
  /** CPU time until what a thread was last given to do is done. */
  readonly left: Float64Array;
  /** The core that a thread runs on, waits for, or ran on last. */
  readonly home: Int32Array;
}

/** One core: the thread that has it, those that wait for it, and the clock of both. */
export class Core {
  readonly index: number;
  readonly queue: RunQueue;
  /** Who has it; -1 for nobody. */
  thread = NOBODY;
  /** When something happens on it next; infinite while it is idle. */
  until = NEVER;
  /** When its thread was given the core. */
  picked = 0;
  /** Since when its thread has run unbooked. */
  from = 0;
  readonly #threads: CoreThreads;
  readonly #machine: Machine;
  readonly #quota: Quota;

  constructor(index: number, threads: CoreThreads, machine: Machine, quota: Quota) {
    this.index = index;
    this.queue = new RunQueue(threads);
    this.#threads = threads;
    this.#machine = machine;
    this.#quota = quota;
  }

  /** How many threads have it or wait for it. */
  get load(): number {
    return this.queue.size + (this.thread === NOBODY ? 0 : 1);
  }

  /** Bring its virtual time up to date. @returns how many threads can run on it. */
  virtualAt(now: number): number {
    if (this.thread === NOBODY) return this.queue.update(null);
    const ran = this.#quota.throttled ? 0 : Math.max(0, now - this.from);
    return this.queue.update((this.#threads.runtime[this.thread] as number) + ran);
  }

  /** Book what its thread has run since that was last done. @returns how much that was. */
  charge(now: number): number {
    const ran = now - this.from;
    if (ran <= 0) return 0;
    const { runtime, left } = this.#threads;
    runtime[this.thread] = (runtime[this.thread] as number) + ran;
    left[this.thread] = (left[this.thread] as number) - ran;
    this.from = now;
    return ran;
  }

  /** Give its thread a new deadline if it has reached the old one. */
  renew(): void {
    const { runtime, deadline } = this.#threads;
    const own = runtime[this.thread] as number;
    if (own >= (deadline[this.thread] as number)) deadline[this.thread] = own + this.#machine.protectMs;
  }

  /** Set when its thread is done, or at the end of its slice if somebody waits. */
  schedule(now: number): void {
    const done = Math.max(now, this.from) + (this.#threads.left[this.thread] as number);
    const sliceEnd = this.picked + this.#machine.sliceMs;
    this.until = this.queue.size > 0 ? Math.min(done, Math.max(now, sliceEnd)) : done;
  }

  /** Give it to a thread. */
  start(thread: number, now: number): void {
    this.#threads.state[thread] = RUNNING;
    this.#threads.home[thread] = this.index;
    this.thread = thread;
    this.from = now;
    this.picked = now;
    this.schedule(now);
  }

  enqueue(thread: number): void {
    this.#threads.state[thread] = QUEUED;
    this.#threads.home[thread] = this.index;
    this.queue.enqueue(thread);
  }

  /** Who waits here and comes next, out of the queue; there must be somebody. */
  takeNext(now: number): number {
    this.virtualAt(now);
    const next = this.queue.pick();
    this.queue.dequeue(next);
    return next;
  }
}
