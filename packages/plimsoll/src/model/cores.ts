import type { Machine } from './machine.js';
import { Quota } from './quota.js';
import { RecentLoad } from './recent-load.js';
import { RunQueue, type Threads } from './run-queue.js';

const SLEEPING = 0;
const QUEUED = 1;
const RUNNING = 2;

const NOBODY = -1;
const NEVER = Number.POSITIVE_INFINITY;
/** Nanoseconds: below the clock that anything was recorded with. */
const EPSILON = 1e-7;

/**
 * A thread that had a core so recently is left where it is, because its data are in that core's cache: Linux's
 * `sysctl_sched_migration_cost`, in milliseconds.
 */
const HOT_MS = 0.5;

/**
 * How often an idle core is given somebody who waits for another one, at a tick of that one. Linux balances at intervals that
 * grow while little is found, and versions differ. It matters little: from 0.1 to 1, waits for a core become a seventh shorter.
 */
const IDLE_BALANCE = 0.5;

/** Linux's `imbalance_pct` of cores that share a cache. */
const IMBALANCE = 1.17;

/**
 * What a thread does next: the CPU time of its next burst of work in milliseconds, or a negative number when it sleeps.
 * It is asked when the thread has a core and has done all that it was to do; 0 is a point at which a thread that it woke may
 * take its core.
 */
export type Work = (thread: number, now: number) => number;

/**
 * Threads on cores, as Linux schedules them since 6.6: EEVDF (Stoica and Abdel-Wahab 1995; kernel/sched/fair.c), all threads
 * of one weight, a queue for each core.
 *
 * Every thread has a virtual runtime; the average of those that can run on a core is its virtual time. Who has had less than
 * that is eligible, and of the eligible the one with the earliest deadline runs, for a slice. A thread that sleeps keeps what
 * it is owed, so an event loop that needs little gets a core soon, and one that has just worked waits for half of a round.
 * A thread that wakes up takes an idle core if it finds one; else it waits for one core and not for any, until a tick
 * evens the queues out. Fluid sharing would have nobody wait for anybody.
 */
export class Cores {
  readonly #machine: Machine;
  readonly #work: Work;
  readonly #chance: () => number;
  readonly #state: Uint8Array;
  readonly #threads: Threads;
  readonly #lag: Float64Array;
  readonly #left: Float64Array;
  /** The core that a thread runs on, waits for, or ran on last. */
  readonly #home: Int32Array;

  readonly #queues: RunQueue[];
  readonly #thread: Int32Array;
  readonly #from: Float64Array;
  readonly #until: Float64Array;
  readonly #picked: Float64Array;
  readonly #quota: Quota;
  #busy = 0;
  /** The core whose thread is being asked what it does next. */
  #asking = NOBODY;
  /** Who gets that core when the question is answered. */
  #displacer = NOBODY;
  /** Of each thread: the core that it was on before its home. */
  readonly #recent: Int32Array;
  readonly #load = new RecentLoad();
  /** CPU time that was used, in milliseconds. */
  used = 0;

  /** @param chance numbers from 0 to below 1: what each thread is owed at first, and when cores are balanced. */
  constructor(threads: number, machine: Machine, work: Work, chance: () => number) {
    this.#machine = machine;
    this.#work = work;
    this.#chance = chance;
    this.#state = new Uint8Array(threads);
    this.#threads = {
      runtime: new Float64Array(threads),
      deadline: new Float64Array(threads),
      lastRan: new Float64Array(threads).fill(-NEVER),
    };
    this.#lag = new Float64Array(threads).map(() => chance() * machine.protectMs);
    this.#left = new Float64Array(threads);
    this.#home = new Int32Array(threads).map((_, thread) => thread % machine.cores);
    this.#recent = Int32Array.from(this.#home);
    this.#queues = Array.from({ length: machine.cores }, () => new RunQueue(this.#threads));
    this.#thread = new Int32Array(machine.cores).fill(NOBODY);
    this.#from = new Float64Array(machine.cores);
    this.#until = new Float64Array(machine.cores).fill(NEVER);
    this.#picked = new Float64Array(machine.cores);
    this.#quota = new Quota(machine.quota);
  }

  isAsleep(thread: number): boolean {
    return this.#state[thread] === SLEEPING;
  }

  /** When the next thing happens on a core; infinite when all of them are idle. */
  get next(): number {
    const quota = this.#quota;
    if (quota.throttled) return quota.periodEnd;
    let least = NEVER;
    const until = this.#until;
    for (let core = 0; core < until.length; core++)
      if ((until[core] as number) < least) least = until[core] as number;
    if (quota.isUnlimited || this.#busy === 0) return least;
    return Math.min(least, quota.usedUpAt(this.#busy), quota.periodEnd);
  }

  /** Let a sleeping thread run as soon as it gets a core; one that is awake stays as it is. */
  wake(thread: number, now: number): void {
    if (this.#state[thread] !== SLEEPING) return;
    this.#left[thread] = 0;
    const idle = this.#quota.throttled ? NOBODY : this.#idleCore(thread, now);
    if (idle !== NOBODY) {
      this.#place(thread, idle, now);
      this.#occupy(idle, thread, now);
      this.#from[idle] = now + this.#machine.wakeMs;
      this.#until[idle] = now + this.#machine.wakeMs;
      return;
    }
    const core = this.#busyCore(thread);
    this.#place(thread, core, now);
    this.#enqueue(thread, core);
    if (!this.#quota.throttled && !this.#preempt(core, thread, now)) this.#limitSlice(core, now);
  }

  /** What happens at the moment `next`. */
  advance(now: number): void {
    if (!this.#quota.isUnlimited && this.#advanceQuota(now)) return;
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
      this.#exchange(core, this.#displacer, now);
      return;
    }
    const isOver = now - (this.#picked[core] as number) >= this.#machine.sliceMs - EPSILON;
    if (isOver && (this.#queues[core] as RunQueue).size > 0) this.#endSlice(core, thread, now);
    else this.#schedule(core, now);
  }

  #endSlice(core: number, thread: number, now: number): void {
    const { runtime, deadline } = this.#threads;
    this.#renew(thread);
    this.#balance(core, now);
    this.#picked[core] = now;
    const queue = this.#queues[core] as RunQueue;
    if (queue.size === 0) {
      this.#schedule(core, now);
      return;
    }
    this.#virtualAt(core, now);
    const next = queue.pick();
    // Who runs competes for the next slice, too.
    const stays =
      (runtime[thread] as number) <= queue.virtual &&
      (deadline[thread] as number) <= (deadline[next] as number);
    if (stays) this.#schedule(core, now);
    else this.#exchange(core, next, now);
  }

  /** Give somebody who waits for a core this core in place of the one who has it. */
  #exchange(core: number, next: number, now: number): void {
    const thread = this.#thread[core] as number;
    this.#dequeue(next, core);
    this.#threads.lastRan[thread] = now;
    this.#enqueue(thread, core);
    this.#start(core, next, now);
  }

  #sleep(core: number, thread: number, now: number): void {
    const queue = this.#queues[core] as RunQueue;
    this.#virtualAt(core, now);
    this.#state[thread] = SLEEPING;
    this.#threads.lastRan[thread] = now;
    this.#lag[thread] = Math.min(
      this.#machine.sliceMs,
      queue.virtual - (this.#threads.runtime[thread] as number),
    );
    this.#thread[core] = NOBODY;
    if (queue.size > 0) {
      this.#virtualAt(core, now);
      const next = queue.pick();
      this.#dequeue(next, core);
      this.#start(core, next, now);
      return;
    }
    this.#quota.account(now, this.#busy);
    this.#load.account(now, this.#busy / this.#thread.length);
    this.#busy--;
    this.#until[core] = NEVER;
  }

  /** At a tick: a thread that waits here goes to a core that is idle, or that has two fewer. */
  #balance(core: number, now: number): void {
    const queue = this.#queues[core] as RunQueue;
    let emptiest = NOBODY;
    for (let other = 0; other < this.#queues.length; other++) {
      if (other === core) continue;
      if (this.#loadOf(other) + 2 > this.#loadOf(core)) continue;
      if (this.#thread[other] === NOBODY && this.#chance() >= IDLE_BALANCE) continue;
      if (emptiest === NOBODY || this.#loadOf(other) < this.#loadOf(emptiest)) emptiest = other;
    }
    if (emptiest === NOBODY) return;
    const thread = queue.pickCold(now - HOT_MS);
    if (thread === NOBODY) return;
    this.#move(thread, core, emptiest, now);
    if (this.#thread[emptiest] !== NOBODY) this.#limitSlice(emptiest, now);
    else {
      this.#dequeue(thread, emptiest);
      this.#occupy(emptiest, thread, now);
    }
  }

  #loadOf(core: number): number {
    return (this.#queues[core] as RunQueue).size + (this.#thread[core] === NOBODY ? 0 : 1);
  }

  /** Let a thread wait for another core; what it is owed goes with it. */
  #move(thread: number, from: number, to: number, now: number): void {
    const { runtime, deadline } = this.#threads;
    this.#virtualAt(from, now);
    this.#virtualAt(to, now);
    const shift = (this.#queues[to] as RunQueue).virtual - (this.#queues[from] as RunQueue).virtual;
    this.#dequeue(thread, from);
    runtime[thread] = (runtime[thread] as number) + shift;
    deadline[thread] = (deadline[thread] as number) + shift;
    this.#enqueue(thread, to);
  }

  /** Give a woken thread its place on a core: what it is owed it keeps, what it owes it pays by having slept. */
  #place(thread: number, core: number, now: number): void {
    const { runtime, deadline } = this.#threads;
    const home = this.#home[thread] as number;
    this.#virtualAt(home, now);
    const others = this.#virtualAt(core, now);
    const owed = this.#lag[thread] as number;
    const lag =
      owed > 0
        ? (owed * (others + 1)) / Math.max(1, others)
        : Math.min(0, (this.#queues[home] as RunQueue).virtual - (runtime[thread] as number));
    runtime[thread] = (this.#queues[core] as RunQueue).virtual - (others === 0 ? 0 : lag);
    deadline[thread] = (runtime[thread] as number) + this.#machine.protectMs;
    this.#home[thread] = core;
  }

  /**
   * An idle core for a thread that wakes up; -1 when none is found, though there may be one: its own, the one before that, and
   * of the others only so many are looked at as the load of late lets expect to be worth it (`select_idle_sibling`,
   * `update_idle_cpu_scan`; of two cores none when they were more than six tenths busy).
   */
  #idleCore(thread: number, now: number): number {
    this.#load.account(now, this.#busy / this.#thread.length);
    const cores = this.#thread.length;
    const home = this.#home[thread] as number;
    const recent = this.#recent[thread] as number;
    this.#recent[thread] = home;
    if (this.#busy === cores) return NOBODY;
    if (this.#thread[home] === NOBODY) return home;
    if (this.#thread[recent] === NOBODY) return recent;
    const looks = Math.floor(cores * (1 - Math.min(1, (IMBALANCE * this.#load.share) ** 2)));
    const from = this.#busyCore(thread);
    for (let look = 1; look <= looks; look++)
      if (this.#thread[(from + look) % cores] === NOBODY) return (from + look) % cores;
    return NOBODY;
  }

  /** The core that a thread waits for: that of whoever wakes it, unless fewer wait for its own. */
  #busyCore(thread: number): number {
    const home = this.#home[thread] as number;
    if (this.#asking === NOBODY) return home;
    return this.#loadOf(home) < this.#loadOf(this.#asking) ? home : this.#asking;
  }

  /** Take a core from a thread that has had it for long enough, if the woken one is to run before it. */
  #preempt(core: number, woken: number, now: number): boolean {
    const thread = this.#thread[core] as number;
    if (thread === NOBODY || now - (this.#picked[core] as number) < this.#machine.protectMs) return false;
    const { runtime, deadline } = this.#threads;
    this.#charge(core, now);
    this.#renew(thread);
    if ((deadline[woken] as number) >= (deadline[thread] as number)) return false;
    this.#virtualAt(core, now);
    if ((runtime[woken] as number) > (this.#queues[core] as RunQueue).virtual + EPSILON) return false;
    if (core === this.#asking) this.#displacer = woken;
    else this.#exchange(core, woken, now);
    return true;
  }

  /** Somebody waits for this core now: nobody keeps it beyond a slice. */
  #limitSlice(core: number, now: number): void {
    if (core === this.#asking || this.#thread[core] === NOBODY) return;
    this.#charge(core, now);
    this.#schedule(core, now);
  }

  /** Start a thread on a core that was idle. */
  #occupy(core: number, thread: number, now: number): void {
    this.#quota.account(now, this.#busy);
    this.#load.account(now, this.#busy / this.#thread.length);
    if (this.#busy === 0) this.#quota.refill(now);
    this.#busy++;
    this.#start(core, thread, now);
  }

  #start(core: number, thread: number, now: number): void {
    this.#state[thread] = RUNNING;
    this.#home[thread] = core;
    this.#thread[core] = thread;
    this.#from[core] = now;
    this.#picked[core] = now;
    this.#schedule(core, now);
  }

  #schedule(core: number, now: number): void {
    const done =
      Math.max(now, this.#from[core] as number) + (this.#left[this.#thread[core] as number] as number);
    const slice = (this.#picked[core] as number) + this.#machine.sliceMs;
    this.#until[core] =
      (this.#queues[core] as RunQueue).size > 0 ? Math.min(done, Math.max(now, slice)) : done;
  }

  /** Book what the thread of a core has run since it was last looked at. */
  #charge(core: number, now: number): void {
    const ran = now - (this.#from[core] as number);
    if (ran <= 0) return;
    const thread = this.#thread[core] as number;
    const { runtime } = this.#threads;
    runtime[thread] = (runtime[thread] as number) + ran;
    this.#left[thread] = (this.#left[thread] as number) - ran;
    this.#from[core] = now;
    this.used += ran;
  }

  #renew(thread: number): void {
    const { runtime, deadline } = this.#threads;
    if ((runtime[thread] as number) >= (deadline[thread] as number))
      deadline[thread] = (runtime[thread] as number) + this.#machine.protectMs;
  }

  #enqueue(thread: number, core: number): void {
    this.#state[thread] = QUEUED;
    this.#home[thread] = core;
    (this.#queues[core] as RunQueue).enqueue(thread);
  }

  #dequeue(thread: number, core: number): void {
    (this.#queues[core] as RunQueue).dequeue(thread);
  }

  /** Bring the virtual time of a core up to date. @returns how many threads can run on it. */
  #virtualAt(core: number, now: number): number {
    const thread = this.#thread[core] as number;
    if (thread === NOBODY) return (this.#queues[core] as RunQueue).update(null);
    const ran = this.#quota.throttled ? 0 : Math.max(0, now - (this.#from[core] as number));
    return (this.#queues[core] as RunQueue).update((this.#threads.runtime[thread] as number) + ran);
  }

  /** @returns whether it was the quota that `now` was about. */
  #advanceQuota(now: number): boolean {
    const quota = this.#quota;
    quota.account(now, this.#busy);
    if (quota.refill(now)) {
      if (quota.throttled) this.#resume(now);
      return true;
    }
    // Whoever is done at this very moment is done.
    if (!quota.isUsedUp || this.#busy === 0 || this.#until.some((until) => until <= now)) return false;
    for (let core = 0; core < this.#thread.length; core++)
      if (this.#thread[core] !== NOBODY) this.#charge(core, now);
    quota.throttled = true;
    return true;
  }

  #resume(now: number): void {
    this.#quota.throttled = false;
    for (let core = 0; core < this.#thread.length; core++)
      if (this.#thread[core] !== NOBODY) this.#from[core] = now;
    for (let core = 0; core < this.#thread.length; core++) {
      const queue = this.#queues[core] as RunQueue;
      if (this.#thread[core] !== NOBODY) {
        this.#picked[core] = now;
        this.#schedule(core, now);
        continue;
      }
      if (queue.size === 0) continue;
      this.#virtualAt(core, now);
      const next = queue.pick();
      this.#dequeue(next, core);
      this.#occupy(core, next, now);
    }
  }
}
