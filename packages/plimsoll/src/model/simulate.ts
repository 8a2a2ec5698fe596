import { MinHeap } from '../collections/heap.js';
import { Ring } from '../collections/ring.js';
import { PoolQueue } from '../libuv/queue.js';
import { createRandom, type Random } from '../stats/random.js';
import { Clients } from './clients.js';
import { Cores } from './cores.js';
import { Device } from './device.js';
import { type Families, linkFamilies, NOBODY } from './families.js';
import { Lock } from './lock.js';
import type { Machine } from './machine.js';
import { type Devices, type Passage, UNLIMITED, type Workload } from './workload.js';

export interface Simulated {
  /** Pool threads of each process. */
  readonly size: number;
  readonly machine: Machine;
  /** By default blocked time is a delay that nothing else changes. */
  readonly devices?: Devices;
  /** Of what happens at random moments beside the jobs; by default 1. */
  readonly seed?: number;
  /** Between two samples of the event-loop delay, in milliseconds; by default none are taken. */
  readonly sampleMs?: number;
}

/** What waits for an event loop, and what for a moment: a kind, and a job or thread, in one number. */
const KINDS = 4;
const CALLBACK = 0;
const SUBMISSION = 1;
const BURST = 2;
const SAMPLE = 3;

/** A burst of other threads' work, in milliseconds of CPU time. */
const OTHER_BURST_MS = 1;
const NOTHING = -1;

/** What a worker does. */
const FETCHING = 0;
const COMPUTING = 1;
const BLOCKED = 2;
const RETURNING = 3;
const UNLOCKING = 4;

/**
 * Run a workload through pools of some size: libuv's queue by its own rules, threads on cores, event loops that take results
 * and release what follows from them, clients that wait for their answers. The same arguments give the same result.
 *
 * @returns when each step went through what
 * @example
 * simulate(workload, { size: 8, machine }).callbackMs[0];
 */
export function simulate(workload: Workload, simulated: Simulated): Passage {
  return new Simulation(workload, simulated).run();
}

/** Thread ids: the workers of every process, then the event loops, then a sampler of each loop, then the others. */
class Simulation {
  readonly #work: Workload;
  readonly #size: number;
  readonly #random: Random;
  readonly #cores: Cores;
  readonly #fast: Device;
  readonly #slow: Device;
  readonly #queues: PoolQueue[];
  readonly #idle: Ring[];
  readonly #inbox: Ring[];
  readonly #moments = new MinHeap();

  readonly #firstLoop: number;
  readonly #firstSampler: number;
  readonly #firstOther: number;
  readonly #others: number;
  readonly #otherShare: number;

  /** What a thread has in hand: of a worker its job, of a loop its item, of others whether they have worked. */
  readonly #at: Int32Array;
  readonly #stage: Uint8Array;
  /** Of each event loop: libuv's `wq_mutex`, under which results change hands. */
  readonly #locks: Lock[];
  /** What is left of the items that each loop took at one time. */
  readonly #batch: Int32Array;
  readonly #families: Families;
  readonly #clients: Clients;
  /** Of each step: how many of those that it waits for are not over. */
  readonly #waitsFor: Int32Array;
  #root = 0;
  #returned = 0;

  readonly #submit: Float64Array;
  readonly #start: Float64Array;
  readonly #ended: Float64Array;
  readonly #callback: Float64Array;
  readonly #sampleMs: number;
  readonly #sampledAt: number[] = [];
  readonly #delays: number[] = [];

  constructor(work: Workload, { size, machine, devices = UNLIMITED, seed = 1, sampleMs = 0 }: Simulated) {
    this.#work = work;
    this.#size = size;
    this.#random = createRandom(seed);
    const loops = work.loopProcess.length;
    this.#firstLoop = size * work.processes;
    this.#firstSampler = this.#firstLoop + loops;
    this.#firstOther = this.#firstSampler + loops;
    this.#others = Math.ceil(machine.otherCores);
    this.#otherShare = machine.otherCores / Math.max(1, this.#others);
    const threads = this.#firstOther + this.#others;
    this.#cores = new Cores(
      threads,
      machine,
      (thread, now) => this.#next(thread, now),
      () => this.#random.next(),
    );
    this.#fast = new Device(devices.fast);
    this.#slow = new Device(devices.slow);
    this.#queues = Array.from({ length: work.processes }, () => new PoolQueue(size));
    this.#idle = Array.from({ length: work.processes }, () => new Ring());
    for (let worker = 0; worker < this.#firstLoop; worker++) this.#idleOf(worker).push(worker);
    this.#inbox = Array.from({ length: loops }, () => new Ring());
    this.#at = new Int32Array(threads).fill(NOTHING);
    this.#stage = new Uint8Array(threads);
    this.#locks = Array.from({ length: loops }, () => new Lock());
    this.#batch = new Int32Array(loops);
    this.#submit = new Float64Array(work.count);
    this.#start = new Float64Array(work.count);
    this.#ended = new Float64Array(work.count);
    this.#callback = new Float64Array(work.count);
    this.#sampleMs = sampleMs;
    this.#families = linkFamilies(work);
    this.#waitsFor = Int32Array.from(this.#families.waitsFor);
    this.#clients = new Clients(work.requests);
  }

  run(): Passage {
    const { count } = this.#work;
    this.#startOthers();
    while (this.#returned < count) this.#step();
    return {
      submitMs: this.#submit,
      startMs: this.#start,
      endMs: this.#ended,
      callbackMs: this.#callback,
      loopDelaysMs: this.#delays,
      cpuMs: this.#cores.used,
    };
  }

  #step(): void {
    const root = this.#families.roots[this.#root];
    const outside = root === undefined ? Number.POSITIVE_INFINITY : (this.#work.atMs[root] as number);
    const moment = this.#moments.least;
    const fast = this.#fast.next;
    const slow = this.#slow.next;
    const cores = this.#cores.next;
    const now = Math.min(outside, moment, fast, slow, cores);
    if (now === outside) {
      this.#root++;
      this.#comes(root as number, now);
    } else if (now === moment) this.#momentCame(this.#moments.pop(), now);
    else if (now === fast) this.#cores.wake(this.#fast.end(now), now);
    else if (now === slow) this.#cores.wake(this.#slow.end(now), now);
    else if (now === cores) this.#cores.advance(now);
    else throw new Error('the simulation stands still: a job waits for one that never comes');
  }

  #momentCame(item: number, now: number): void {
    const subject = Math.floor(item / KINDS);
    switch (item % KINDS) {
      case SUBMISSION:
        this.#comes(subject, now);
        break;
      case BURST:
        if (subject >= this.#firstOther) this.#cores.wake(subject, now);
        else this.#tell(subject, item, now);
        break;
      default:
        this.#sample(subject, now);
    }
  }

  /** A step comes to its event loop. */
  #comes(step: number, now: number): void {
    this.#submit[step] = now;
    this.#tell(this.#work.loop[step] as number, step * KINDS + SUBMISSION, now);
  }

  /** Give an event loop something to do. */
  #tell(loop: number, item: number, now: number): void {
    (this.#inbox[loop] as Ring).push(item);
    this.#cores.wake(this.#firstLoop + loop, now);
  }

  #next(thread: number, now: number): number {
    if (thread < this.#firstLoop) return this.#nextOfWorker(thread, now);
    if (thread < this.#firstSampler) return this.#nextOfLoop(thread - this.#firstLoop, now);
    if (thread >= this.#firstOther) return this.#nextOfOther(thread, now);
    this.#sampled(thread - this.#firstSampler, now);
    return -1;
  }

  #nextOfWorker(thread: number, now: number): number {
    const job = this.#at[thread] as number;
    switch (this.#stage[thread]) {
      case COMPUTING:
        return (this.#work.blockedMs[job] as number) > 0 ? this.#block(thread, now) : this.#end(thread, now);
      case BLOCKED:
        return this.#end(thread, now);
      case RETURNING:
        return this.#giveBack(thread, now);
      case UNLOCKING:
        this.#unlock(this.#work.loop[job] as number, now);
        this.#stage[thread] = FETCHING;
    }
    const process = Math.floor(thread / this.#size);
    const queue = this.#queues[process] as PoolQueue;
    const taken = queue.take();
    if (taken === NOTHING) {
      this.#idleOf(thread).push(thread);
      return -1;
    }
    if (this.#work.slow[taken] === 1 && queue.hasSlowWaiting) this.#signal(process, now);
    this.#at[thread] = taken;
    this.#stage[thread] = COMPUTING;
    this.#start[taken] = now;
    return this.#work.cpuMs[taken] as number;
  }

  #block(thread: number, now: number): number {
    const job = this.#at[thread] as number;
    this.#stage[thread] = BLOCKED;
    const device = this.#work.slow[job] === 1 ? this.#slow : this.#fast;
    device.begin(thread, this.#work.blockedMs[job] as number, now);
    return -1;
  }

  #end(thread: number, now: number): number {
    const job = this.#at[thread] as number;
    this.#ended[job] = now;
    if (this.#work.slow[job] === 1) (this.#queues[Math.floor(thread / this.#size)] as PoolQueue).slowEnded();
    return this.#giveBack(thread, now);
  }

  /**
   * libuv wakes the event loop while it holds the lock of the results. Where the loop then takes the very core of the thread
   * that woke it, it finds them locked, and so does everybody else, until that thread has its turn again.
   */
  #giveBack(thread: number, now: number): number {
    const job = this.#at[thread] as number;
    const loop = this.#work.loop[job] as number;
    const lock = this.#locks[loop] as Lock;
    this.#stage[thread] = RETURNING;
    if (!lock.take(thread)) return -1;
    this.#stage[thread] = UNLOCKING;
    this.#tell(loop, job * KINDS + CALLBACK, now);
    return 0;
  }

  #unlock(loop: number, now: number): void {
    const next = (this.#locks[loop] as Lock).release();
    if (next !== NOTHING) this.#cores.wake(next, now);
  }

  #signal(process: number, now: number): void {
    const idle = this.#idle[process] as Ring;
    if (idle.size > 0) this.#cores.wake(idle.shift(), now);
  }

  /** Hand a job to the pool; a step that needs none is over. */
  #release(step: number, now: number): void {
    if (this.#work.point?.[step] === 1) this.#pass(step, now);
    else this.#submitJob(step, now);
  }

  #pass(step: number, now: number): void {
    if (this.#work.direct[step] === 1) {
      this.#submit[step] = now;
      this.#start[step] = now;
    }
    this.#ended[step] = now;
    this.#callback[step] = now;
    this.#returned++;
    this.#clients.answered(step, (arrival, afterMs) =>
      this.#moments.push(now + afterMs, arrival * KINDS + SUBMISSION),
    );
    this.#followLater(step, now);
    this.#followAtOnce(step, now);
  }

  #submitJob(job: number, now: number): void {
    this.#submit[job] = now;
    const process = this.#work.loopProcess[this.#work.loop[job] as number] as number;
    if ((this.#queues[process] as PoolQueue).submit(job, this.#work.slow[job] === 1))
      this.#signal(process, now);
  }

  #nextOfLoop(loop: number, now: number): number {
    const thread = this.#firstLoop + loop;
    const inbox = this.#inbox[loop] as Ring;
    const done = this.#at[thread] as number;
    this.#at[thread] = NOTHING;
    if (done !== NOTHING) this.#itemDone(loop, done, now);
    while (inbox.size > 0) {
      if (this.#batch[loop] === 0 && !this.#beginTurn(loop, now)) return -1;
      this.#batch[loop] = (this.#batch[loop] as number) - 1;
      const item = inbox.shift();
      const work = this.#beginItem(item, loop, now);
      if (work > 0) {
        this.#at[thread] = item;
        return work;
      }
      this.#itemDone(loop, item, now);
    }
    return -1;
  }

  /** A turn of the loop takes what is there now; what comes later has to wait for the next one. @returns whether it can. */
  #beginTurn(loop: number, now: number): boolean {
    const lock = this.#locks[loop] as Lock;
    const thread = this.#firstLoop + loop;
    if (!lock.take(thread)) return false;
    this.#unlock(loop, now);
    this.#batch[loop] = (this.#inbox[loop] as Ring).size;
    this.#sampled(loop, now);
    return true;
  }

  /** @returns the CPU time that it takes. */
  #beginItem(item: number, loop: number, now: number): number {
    const subject = Math.floor(item / KINDS);
    switch (item % KINDS) {
      case CALLBACK:
        this.#callback[subject] = now;
        this.#returned++;
        this.#followLater(subject, now);
        return this.#work.afterMs[subject] as number;
      case SUBMISSION:
        this.#start[subject] = now;
        return this.#work.beforeMs[subject] as number;
      default:
        return this.#work.background[loop]?.burstMs ?? 0;
    }
  }

  #itemDone(loop: number, item: number, now: number): void {
    const subject = Math.floor(item / KINDS);
    const kind = item % KINDS;
    if (kind === SUBMISSION) this.#release(subject, now);
    else if (kind === BURST) this.#nextBurst(loop, now);
    else if (kind === CALLBACK) this.#followAtOnce(subject, now);
  }

  /** What a callback releases as the last thing that it does. */
  #followAtOnce(step: number, now: number): void {
    const { firstLink, nextLink } = this.#families;
    for (let link = firstLink[step] as number; link !== NOBODY; link = nextLink[link] as number) {
      const next = this.#stepAt(link);
      if (this.#work.direct[next] === 1 && this.#isLast(next)) this.#release(next, now);
    }
  }

  /** What follows from a callback, but not at once. */
  #followLater(step: number, now: number): void {
    const { firstLink, nextLink } = this.#families;
    for (let link = firstLink[step] as number; link !== NOBODY; link = nextLink[link] as number) {
      const next = this.#stepAt(link);
      if (this.#work.direct[next] === 0 && this.#isLast(next))
        this.#moments.push(now + (this.#work.atMs[next] as number), next * KINDS + SUBMISSION);
    }
  }

  #stepAt(link: number): number {
    const { count } = this.#work;
    return link < count ? link : (this.#families.joined[link - count] as number);
  }

  /** One of those that a step waits for is over. @returns whether it was the last of them. */
  #isLast(step: number): boolean {
    const left = (this.#waitsFor[step] as number) - 1;
    this.#waitsFor[step] = left;
    return left === 0;
  }

  #nextOfOther(thread: number, now: number): number {
    if (this.#at[thread] === NOTHING) {
      this.#at[thread] = 0;
      return OTHER_BURST_MS;
    }
    this.#at[thread] = NOTHING;
    this.#moments.push(now + this.#gap(this.#otherShare, OTHER_BURST_MS), thread * KINDS + BURST);
    return -1;
  }

  #nextBurst(loop: number, now: number): void {
    const { share, burstMs } = this.#work.background[loop] ?? { share: 0, burstMs: 0 };
    this.#moments.push(now + this.#gap(share, burstMs), loop * KINDS + BURST);
  }

  /** Between two bursts that take `share` of the time when nothing holds them up. */
  #gap(share: number, burstMs: number): number {
    return -Math.log(1 - this.#random.next()) * burstMs * (1 / Math.min(0.999, share) - 1);
  }

  #startOthers(): void {
    const from = this.#work.atMs[this.#families.roots[0] ?? 0] ?? 0;
    for (let other = 0; other < this.#others; other++)
      this.#moments.push(
        from + this.#gap(this.#otherShare, OTHER_BURST_MS),
        (this.#firstOther + other) * KINDS + BURST,
      );
    for (let loop = 0; loop < this.#inbox.length; loop++) {
      if ((this.#work.background[loop]?.share ?? 0) > 0) this.#nextBurst(loop, from);
      if (this.#sampleMs > 0) this.#moments.push(from + this.#sampleMs, loop * KINDS + SAMPLE);
    }
  }

  /**
   * Something small comes to an event loop. A sleeping one has to be given a core: its sampler tries that in its place, so
   * that a sample wakes no loop, which would take results earlier than it does.
   */
  #sample(loop: number, now: number): void {
    this.#moments.push(now + this.#sampleMs, loop * KINDS + SAMPLE);
    if (this.#sampledAt[loop] !== undefined) return;
    this.#sampledAt[loop] = now;
    if (this.#cores.isAsleep(this.#firstLoop + loop)) this.#cores.wake(this.#firstSampler + loop, now);
  }

  #sampled(loop: number, now: number): void {
    const since = this.#sampledAt[loop];
    if (since === undefined) return;
    this.#delays.push(now - since);
    delete this.#sampledAt[loop];
  }

  #idleOf(worker: number): Ring {
    return this.#idle[Math.floor(worker / this.#size)] as Ring;
  }
}
