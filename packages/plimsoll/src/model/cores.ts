import { Core, type CoreThreads, NEVER, NOBODY, SLEEPING } from './core.js';
import type { Machine } from './machine.js';
import { Quota } from './quota.js';
import { RecentLoad } from './recent-load.js';

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
  readonly #threads: CoreThreads;
  /** Of each thread that sleeps: what it was owed when it went to sleep. */
  readonly #lag: Float64Array;
  /** Of each thread: the core that it was on before its home. */
  readonly #recent: Int32Array;
  readonly #cores: readonly Core[];
  readonly #quota: Quota;
  readonly #load = new RecentLoad();
  #busy = 0;
  /** The core whose thread is being asked what it does next. */
  #asking: Core | null = null;
  /** Who gets that core when the question is answered. */
  #displacer = NOBODY;
  /** CPU time that was used, in milliseconds. */
  used = 0;

  /** @param chance numbers from 0 to below 1: what each thread is owed at first, and when cores are balanced. */
  constructor(threads: number, machine: Machine, work: Work, chance: () => number) {
    this.#machine = machine;
    this.#work = work;
    this.#chance = chance;
    this.#threads = {
      state: new Uint8Array(threads),
      runtime: new Float64Array(threads),
      deadline: new Float64Array(threads),
      lastRan: new Float64Array(threads).fill(-NEVER),
      left: new Float64Array(threads),
      home: new Int32Array(threads).map((_, thread) => thread % machine.cores),
    };
    this.#lag = new Float64Array(threads).map(() => chance() * machine.protectMs);
    this.#recent = Int32Array.from(this.#threads.home);
    this.#quota = new Quota(machine.quota);
    this.#cores = Array.from(
      { length: machine.cores },
      (_, index) => new Core(index, this.#threads, machine, this.#quota),
    );
  }

  isAsleep(thread: number): boolean {
    return this.#threads.state[thread] === SLEEPING;
  }

  /** When the next thing happens on a core; infinite when all of them are idle. */
  get next(): number {
    const quota = this.#quota;
    if (quota.throttled) return quota.periodEnd;
    let least = NEVER;
    for (const { until } of this.#cores) if (until < least) least = until;
    if (quota.isUnlimited || this.#busy === 0) return least;
    return Math.min(least, quota.usedUpAt(this.#busy), quota.periodEnd);
  }

  /** Let a sleeping thread run as soon as it gets a core; one that is awake stays as it is. */
  wake(thread: number, now: number): void {
    if (!this.isAsleep(thread)) return;
    this.#threads.left[thread] = 0;
    const idle = this.#quota.throttled ? null : this.#idleCore(thread, now);
    if (idle !== null) {
      this.#place(thread, idle, now);
      this.#occupy(idle, thread, now);
      idle.from = now + this.#machine.wakeMs;
      idle.until = now + this.#machine.wakeMs;
      return;
    }
    const core = this.#busyCore(thread);
    this.#place(thread, core, now);
    core.enqueue(thread);
    if (!this.#quota.throttled && !this.#preempt(core, thread, now)) this.#limitSlice(core, now);
  }

  /** What happens at the moment `next`. */
  advance(now: number): void {
    if (!this.#quota.isUnlimited && this.#advanceQuota(now)) return;
    for (const core of this.#cores) if (core.until <= now) this.#advanceCore(core, now);
  }

  #advanceCore(core: Core, now: number): void {
    const { left } = this.#threads;
    const { thread } = core;
    this.used += core.charge(now);
    while ((left[thread] as number) <= EPSILON) {
      this.#displacer = NOBODY;
      this.#asking = core;
      const work = this.#work(thread, now);
      this.#asking = null;
      if (work < 0) {
        this.#sleep(core, now);
        return;
      }
      left[thread] = work;
      if (this.#displacer === NOBODY) continue;
      this.#exchange(core, this.#displacer, now);
      return;
    }
    const isOver = now - core.picked >= this.#machine.sliceMs - EPSILON;
    if (isOver && core.queue.size > 0) this.#endSlice(core, now);
    else core.schedule(now);
  }

  #endSlice(core: Core, now: number): void {
    const { runtime, deadline } = this.#threads;
    const { thread, queue } = core;
    core.renew();
    this.#balance(core, now);
    core.picked = now;
    if (queue.size === 0) {
      core.schedule(now);
      return;
    }
    core.virtualAt(now);
    const next = queue.pick();
    // Who runs competes for the next slice, too.
    const stays =
      (runtime[thread] as number) <= queue.virtual &&
      (deadline[thread] as number) <= (deadline[next] as number);
    if (stays) core.schedule(now);
    else this.#exchange(core, next, now);
  }

  /** Give somebody who waits for a core this core in place of the one who has it. */
  #exchange(core: Core, next: number, now: number): void {
    const { thread } = core;
    core.queue.dequeue(next);
    this.#threads.lastRan[thread] = now;
    core.enqueue(thread);
    core.start(next, now);
  }

  #sleep(core: Core, now: number): void {
    const { runtime, lastRan, state } = this.#threads;
    const { thread, queue } = core;
    core.virtualAt(now);
    state[thread] = SLEEPING;
    lastRan[thread] = now;
    this.#lag[thread] = Math.min(this.#machine.sliceMs, queue.virtual - (runtime[thread] as number));
    core.thread = NOBODY;
    if (queue.size > 0) {
      core.start(core.takeNext(now), now);
      return;
    }
    this.#account(now);
    this.#busy--;
    core.until = NEVER;
  }

  /** Book what the cores have done until now; to be called before their number of busy ones changes. */
  #account(now: number): void {
    this.#quota.account(now, this.#busy);
    this.#load.account(now, this.#busy / this.#cores.length);
  }

  /** At a tick: a thread that waits here goes to a core that is idle, or that has two fewer. */
  #balance(core: Core, now: number): void {
    let emptiest: Core | null = null;
    for (const other of this.#cores) {
      if (other === core) continue;
      if (other.load + 2 > core.load) continue;
      if (other.thread === NOBODY && this.#chance() >= IDLE_BALANCE) continue;
      if (emptiest === null || other.load < emptiest.load) emptiest = other;
    }
    if (emptiest === null) return;
    const thread = core.queue.pickCold(now - HOT_MS);
    if (thread === NOBODY) return;
    this.#move(thread, core, emptiest, now);
    if (emptiest.thread !== NOBODY) this.#limitSlice(emptiest, now);
    else {
      emptiest.queue.dequeue(thread);
      this.#occupy(emptiest, thread, now);
    }
  }

  /** Let a thread wait for another core; what it is owed goes with it. */
  #move(thread: number, from: Core, to: Core, now: number): void {
    const { runtime, deadline } = this.#threads;
    from.virtualAt(now);
    to.virtualAt(now);
    const shift = to.queue.virtual - from.queue.virtual;
    from.queue.dequeue(thread);
    runtime[thread] = (runtime[thread] as number) + shift;
    deadline[thread] = (deadline[thread] as number) + shift;
    to.enqueue(thread);
  }

  /** Give a woken thread its place on a core: what it is owed it keeps, what it owes it pays by having slept. */
  #place(thread: number, core: Core, now: number): void {
    const { runtime, deadline, home } = this.#threads;
    const last = this.#homeOf(thread);
    last.virtualAt(now);
    const others = core.virtualAt(now);
    const owed = this.#lag[thread] as number;
    const lag =
      owed > 0
        ? (owed * (others + 1)) / Math.max(1, others)
        : Math.min(0, last.queue.virtual - (runtime[thread] as number));
    runtime[thread] = core.queue.virtual - (others === 0 ? 0 : lag);
    deadline[thread] = (runtime[thread] as number) + this.#machine.protectMs;
    home[thread] = core.index;
  }

  #homeOf(thread: number): Core {
    return this.#cores[this.#threads.home[thread] as number] as Core;
  }

  /**
   * An idle core for a thread that wakes up; `null` when none is found, though there may be one: its own, the one before that,
   * and of the others only so many are tried as the recent load lets expect to be worth it (`select_idle_sibling`,
   * `update_idle_cpu_scan`; of two cores none when they were more than six tenths busy).
   */
  #idleCore(thread: number, now: number): Core | null {
    const cores = this.#cores;
    this.#load.account(now, this.#busy / cores.length);
    const home = this.#homeOf(thread);
    const recent = cores[this.#recent[thread] as number] as Core;
    this.#recent[thread] = home.index;
    if (this.#busy === cores.length) return null;
    if (home.thread === NOBODY) return home;
    if (recent.thread === NOBODY) return recent;
    const tries = Math.floor(cores.length * (1 - Math.min(1, (IMBALANCE * this.#load.share) ** 2)));
    const from = this.#busyCore(thread).index;
    for (let step = 1; step <= tries; step++) {
      const core = cores[(from + step) % cores.length] as Core;
      if (core.thread === NOBODY) return core;
    }
    return null;
  }

  /** The core that a thread waits for: that of the thread that wakes it, unless fewer wait for its own. */
  #busyCore(thread: number): Core {
    const home = this.#homeOf(thread);
    const asking = this.#asking;
    return asking === null || home.load < asking.load ? home : asking;
  }

  /** Take a core from a thread that has had it for long enough, if the woken one is to run before it. */
  #preempt(core: Core, woken: number, now: number): boolean {
    const { thread } = core;
    if (thread === NOBODY || now - core.picked < this.#machine.protectMs) return false;
    const { runtime, deadline } = this.#threads;
    this.used += core.charge(now);
    core.renew();
    if ((deadline[woken] as number) >= (deadline[thread] as number)) return false;
    core.virtualAt(now);
    if ((runtime[woken] as number) > core.queue.virtual + EPSILON) return false;
    if (core === this.#asking) this.#displacer = woken;
    else this.#exchange(core, woken, now);
    return true;
  }

  /** A thread waits for this core now, so the one that has it loses it at the end of its slice. */
  #limitSlice(core: Core, now: number): void {
    if (core === this.#asking || core.thread === NOBODY) return;
    this.used += core.charge(now);
    core.schedule(now);
  }

  /** Start a thread on a core that was idle. */
  #occupy(core: Core, thread: number, now: number): void {
    this.#account(now);
    if (this.#busy === 0) this.#quota.refill(now);
    this.#busy++;
    core.start(thread, now);
  }

  /** @returns whether it was the quota that `now` was about. */
  #advanceQuota(now: number): boolean {
    const quota = this.#quota;
    quota.account(now, this.#busy);
    if (quota.refill(now)) {
      if (quota.throttled) this.#resume(now);
      return true;
    }
    // A thread that is done at this very moment is not stopped.
    if (!quota.isUsedUp || this.#busy === 0 || this.#cores.some(({ until }) => until <= now)) return false;
    for (const core of this.#cores) if (core.thread !== NOBODY) this.used += core.charge(now);
    quota.throttled = true;
    return true;
  }

  #resume(now: number): void {
    this.#quota.throttled = false;
    for (const core of this.#cores) if (core.thread !== NOBODY) core.from = now;
    for (const core of this.#cores) {
      if (core.thread !== NOBODY) {
        core.picked = now;
        core.schedule(now);
      } else if (core.queue.size > 0) this.#occupy(core, core.takeNext(now), now);
    }
  }
}
