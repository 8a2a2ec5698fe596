import { type Machine, QUOTA_PERIOD_MS } from './machine.js';

const SLEEPING = 0;
const QUEUED = 1;
const RUNNING = 2;

const NOBODY = -1;
const NEVER = Number.POSITIVE_INFINITY;
/** Nanoseconds: below the clock that anything was recorded with. */
const EPSILON = 1e-7;

/**
 * What a thread does next: the CPU time of its next stretch of work in milliseconds, or a negative number when it sleeps.
 * It is asked when the thread has a core and has done all that it was to do; 0 is a point at which a thread that it woke may
 * take its core.
 */
export type Work = (thread: number, now: number) => number;

/**
 * Threads on cores, as Linux schedules them since 6.6: EEVDF (Stoica and Abdel-Wahab 1995; kernel/sched/fair.c), all threads
 * of one weight, one queue for all cores.
 *
 * Every thread has a virtual runtime; the average of those that can run is the virtual time. Who has had less than that is
 * eligible, and of the eligible the one with the earliest deadline runs, for a slice. A thread that sleeps keeps what it is
 * owed, so an event loop that needs little gets a core soon, and one that has just worked has to wait for half of a round.
 * Fluid sharing would have everybody wait for nobody; that is wrong by a slice for each thread that waits.
 */
export class Cores {
  readonly #machine: Machine;
  readonly #work: Work;
  readonly #state: Uint8Array;
  readonly #runtime: Float64Array;
  readonly #deadline: Float64Array;
  readonly #lag: Float64Array;
  readonly #left: Float64Array;
  readonly #turn: Float64Array;
  readonly #queue: Int32Array;
  #queued = 0;
  #queuedRuntime = 0;
  #turns = 0;
  #virtual = 0;

  readonly #thread: Int32Array;
  readonly #from: Float64Array;
  readonly #until: Float64Array;
  readonly #picked: Float64Array;
  #busy = 0;
  /** The core whose thread is being asked what it does next. */
  #asking = NOBODY;
  /** Who gets that core when the question is answered. */
  #displacer = NOBODY;

  readonly #budgetPerPeriod: number;
  #budget: number;
  #accounted = 0;
  #period = 0;
  #throttled = false;
  /** CPU time that was used, in milliseconds. */
  used = 0;

  /** @param chance numbers from 0 to below 1: what each thread is owed at first is not known. */
  constructor(threads: number, machine: Machine, work: Work, chance: () => number) {
    this.#machine = machine;
    this.#work = work;
    this.#state = new Uint8Array(threads);
    this.#runtime = new Float64Array(threads);
    this.#deadline = new Float64Array(threads);
    this.#lag = new Float64Array(threads).map(() => chance() * machine.protectMs);
    this.#left = new Float64Array(threads);
    this.#turn = new Float64Array(threads);
    this.#queue = new Int32Array(threads);
    this.#thread = new Int32Array(machine.cores).fill(-1);
    this.#from = new Float64Array(machine.cores);
    this.#until = new Float64Array(machine.cores).fill(NEVER);
    this.#picked = new Float64Array(machine.cores);
    this.#budgetPerPeriod = machine.quota === null ? NEVER : machine.quota * QUOTA_PERIOD_MS;
    this.#budget = this.#budgetPerPeriod;
  }

  isAsleep(thread: number): boolean {
    return this.#state[thread] === SLEEPING;
  }

  /** When the next thing happens on a core; infinite when all of them are idle. */
  get next(): number {
    if (this.#throttled) return (this.#period + 1) * QUOTA_PERIOD_MS;
    let least = NEVER;
    const until = this.#until;
    for (let core = 0; core < until.length; core++)
      if ((until[core] as number) < least) least = until[core] as number;
    if (this.#budgetPerPeriod === NEVER || this.#busy === 0) return least;
    return Math.min(least, this.#accounted + this.#budget / this.#busy, (this.#period + 1) * QUOTA_PERIOD_MS);
  }

  /** Let a sleeping thread run as soon as it gets a core; one that is awake stays as it is. */
  wake(thread: number, now: number): void {
    if (this.#state[thread] !== SLEEPING) return;
    this.#left[thread] = 0;
    if (this.#busy < this.#thread.length && !this.#throttled) {
      this.#place(thread, now);
      const core = this.#thread.indexOf(-1);
      this.#account(now);
      if (this.#busy === 0) this.#refill(now);
      this.#busy++;
      this.#start(core, thread, now);
      this.#from[core] = now + this.#machine.wakeMs;
      this.#until[core] = now + this.#machine.wakeMs;
      return;
    }
    this.#place(thread, now);
    this.#enqueue(thread);
    if (this.#throttled) return;
    if (!this.#preemptFor(thread, now) && this.#queued === 1) this.#limitSlices(now);
  }

  /** What happens at the moment `next`. */
  advance(now: number): void {
    if (this.#budgetPerPeriod !== NEVER && this.#advanceQuota(now)) return;
    const until = this.#until;
    for (let core = 0; core < until.length; core++)
      if ((until[core] as number) <= now) this.#advanceCore(core, now);
  }

  #advanceCore(core: number, now: number): void {
    this.#charge(core, now);
    const thread = this.#thread[core] as number;
    while ((this.#left[thread] as number) <= EPSILON) {
      this.#displacer = NOBODY;
      this.#asking = core;
      const work = this.#work(thread, now);
      this.#asking = NOBODY;
      if (work < 0) {
        this.#sleep(core, thread, now);
        return;
      }
      this.#left[thread] = work;
      if (this.#displacer === NOBODY) continue;
      this.#dequeue(this.#displacer);
      this.#enqueue(thread);
      this.#start(core, this.#displacer, now);
      this.#limitSlices(now);
      return;
    }
    if (this.#queued > 0 && now - (this.#picked[core] as number) >= this.#machine.sliceMs - EPSILON)
      this.#endSlice(core, thread, now);
    else this.#schedule(core, now);
  }

  #endSlice(core: number, thread: number, now: number): void {
    this.#renew(thread);
    this.#picked[core] = now;
    const next = this.#pick(now);
    // Who runs competes for the next slice, too.
    if (
      (this.#runtime[thread] as number) <= this.#virtual &&
      (this.#deadline[thread] as number) <= (this.#deadline[next] as number)
    ) {
      this.#schedule(core, now);
      return;
    }
    this.#dequeue(next);
    this.#enqueue(thread);
    this.#start(core, next, now);
  }

  #sleep(core: number, thread: number, now: number): void {
    this.#virtualAt(now);
    this.#state[thread] = SLEEPING;
    this.#lag[thread] = Math.min(this.#machine.sliceMs, this.#virtual - (this.#runtime[thread] as number));
    if (this.#queued > 0) {
      const next = this.#pick(now);
      this.#dequeue(next);
      this.#start(core, next, now);
      return;
    }
    this.#account(now);
    this.#busy--;
    this.#thread[core] = -1;
    this.#until[core] = NEVER;
  }

  /** Give a woken thread its place: what it is owed it keeps, what it owes it pays by having slept. */
  #place(thread: number, now: number): void {
    const others = this.#virtualAt(now);
    const owed = this.#lag[thread] as number;
    const lag =
      owed > 0
        ? (owed * (others + 1)) / Math.max(1, others)
        : Math.min(0, this.#virtual - (this.#runtime[thread] as number));
    this.#runtime[thread] = this.#virtual - (others === 0 ? 0 : lag);
    this.#deadline[thread] = (this.#runtime[thread] as number) + this.#machine.protectMs;
  }

  /** Take the core of a thread that has had it for long enough and may wait longer than the woken one. */
  #preemptFor(woken: number, now: number): boolean {
    let victim = NOBODY;
    for (let core = 0; core < this.#thread.length; core++) {
      if (now - (this.#picked[core] as number) < this.#machine.protectMs) continue;
      this.#charge(core, now);
      this.#renew(this.#thread[core] as number);
      if (victim === NOBODY || this.#deadlineOn(core) > this.#deadlineOn(victim)) victim = core;
    }
    if (victim === NOBODY || (this.#deadline[woken] as number) >= this.#deadlineOn(victim)) return false;
    this.#virtualAt(now);
    if ((this.#runtime[woken] as number) > this.#virtual + EPSILON) return false;
    if (victim === this.#asking) {
      this.#displacer = woken;
      return true;
    }
    const thread = this.#thread[victim] as number;
    this.#dequeue(woken);
    this.#enqueue(thread);
    this.#start(victim, woken, now);
    this.#limitSlices(now);
    return true;
  }

  #deadlineOn(core: number): number {
    return this.#deadline[this.#thread[core] as number] as number;
  }

  /** Somebody waits now: nobody keeps a core beyond a slice. */
  #limitSlices(now: number): void {
    for (let core = 0; core < this.#thread.length; core++)
      if (core !== this.#asking && this.#thread[core] !== -1) {
        this.#charge(core, now);
        this.#schedule(core, now);
      }
  }

  #start(core: number, thread: number, now: number): void {
    this.#state[thread] = RUNNING;
    this.#thread[core] = thread;
    this.#from[core] = now;
    this.#picked[core] = now;
    this.#schedule(core, now);
  }

  #schedule(core: number, now: number): void {
    const done =
      Math.max(now, this.#from[core] as number) + (this.#left[this.#thread[core] as number] as number);
    const slice = (this.#picked[core] as number) + this.#machine.sliceMs;
    this.#until[core] = this.#queued > 0 ? Math.min(done, Math.max(now, slice)) : done;
  }

  /** Book what the thread of a core has run since it was last looked at. */
  #charge(core: number, now: number): void {
    const ran = now - (this.#from[core] as number);
    if (ran <= 0) return;
    const thread = this.#thread[core] as number;
    this.#runtime[thread] = (this.#runtime[thread] as number) + ran;
    this.#left[thread] = (this.#left[thread] as number) - ran;
    this.#from[core] = now;
    this.used += ran;
  }

  #renew(thread: number): void {
    const runtime = this.#runtime[thread] as number;
    if (runtime >= (this.#deadline[thread] as number))
      this.#deadline[thread] = runtime + this.#machine.protectMs;
  }

  #enqueue(thread: number): void {
    this.#state[thread] = QUEUED;
    this.#turn[thread] = this.#turns++;
    this.#queue[this.#queued++] = thread;
    this.#queuedRuntime += this.#runtime[thread] as number;
  }

  #dequeue(thread: number): void {
    const at = this.#queue.indexOf(thread);
    this.#queue[at] = this.#queue[--this.#queued] as number;
    this.#queuedRuntime = this.#queued === 0 ? 0 : this.#queuedRuntime - (this.#runtime[thread] as number);
  }

  /** The thread that waits and is to run next; there must be one. */
  #pick(now: number): number {
    this.#virtualAt(now);
    const limit = this.#virtual + EPSILON;
    let best = -1;
    let least = -1;
    for (let index = 0; index < this.#queued; index++) {
      const thread = this.#queue[index] as number;
      const runtime = this.#runtime[thread] as number;
      if (least === -1 || runtime < (this.#runtime[least] as number)) least = thread;
      if (runtime <= limit && (best === -1 || this.#isBefore(thread, best))) best = thread;
    }
    return best === -1 ? least : best;
  }

  #isBefore(one: number, other: number): boolean {
    const difference = (this.#deadline[one] as number) - (this.#deadline[other] as number);
    return (
      difference < 0 || (difference === 0 && (this.#turn[one] as number) < (this.#turn[other] as number))
    );
  }

  /** Bring the virtual time up to date. @returns how many threads can run. */
  #virtualAt(now: number): number {
    let sum = this.#queuedRuntime;
    let count = this.#queued;
    for (let core = 0; core < this.#thread.length; core++) {
      const thread = this.#thread[core] as number;
      if (thread === -1 || this.#state[thread] === SLEEPING) continue;
      sum +=
        (this.#runtime[thread] as number) +
        Math.max(0, this.#throttled ? 0 : now - (this.#from[core] as number));
      count++;
    }
    if (count > 0) this.#virtual = sum / count;
    return count;
  }

  /** Book what all cores together took from the quota. */
  #account(now: number): void {
    if (this.#budgetPerPeriod === NEVER) return;
    this.#budget -= this.#busy * Math.max(0, now - this.#accounted);
    this.#accounted = now;
  }

  /** @returns whether a new period has begun. */
  #refill(now: number): boolean {
    const period = Math.floor((now + EPSILON) / QUOTA_PERIOD_MS);
    if (period <= this.#period) return false;
    this.#period = period;
    this.#budget = this.#budgetPerPeriod;
    return true;
  }

  /** @returns whether it was the quota that `now` was about. */
  #advanceQuota(now: number): boolean {
    this.#account(now);
    if (this.#refill(now)) {
      if (this.#throttled) this.#resume(now);
      return true;
    }
    // Whoever is done at this very moment is done.
    if (this.#budget > EPSILON || this.#busy === 0 || this.#until.some((until) => until <= now)) return false;
    for (let core = 0; core < this.#thread.length; core++)
      if (this.#thread[core] !== -1) this.#charge(core, now);
    this.#throttled = true;
    return true;
  }

  #resume(now: number): void {
    this.#throttled = false;
    this.#accounted = now;
    for (let core = 0; core < this.#thread.length; core++) {
      if (this.#thread[core] !== -1) {
        this.#from[core] = now;
        this.#picked[core] = now;
        continue;
      }
      if (this.#queued === 0) continue;
      const next = this.#pick(now);
      this.#dequeue(next);
      this.#busy++;
      this.#start(core, next, now);
    }
    for (let core = 0; core < this.#thread.length; core++)
      if (this.#thread[core] !== -1) this.#schedule(core, now);
  }
}
