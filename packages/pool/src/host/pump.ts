import { now } from '../shared/clock.js';
import { cancelSleep, declareSleep, hostGate } from '../shared/gate.js';
import { Listener } from '../shared/listener.js';
import { SpinBudget } from '../shared/spin-budget.js';
import { timers } from '../shared/timers.js';
import { trimmerOf } from '../shared/trimmer.js';

/** What the pump drives. */
export interface Pumped {
  readonly outstanding: number;
  /** Could the host spin without taking a core from a worker? */
  readonly hasSpareCore: boolean;
  turn(): number;
  anythingDone(): boolean;
  /** Tasks that wait in the table, or for room in it. */
  readonly queued: number;
  wakeWorkers(): void;
  /** Wakes sleeping workers for what is queued, as if no other one were coming. True: there may be more to do a little later. */
  wakeFurther(): unknown;
  /** The same, but wakes no worker while one of them is awake. */
  wakeIfAllSleep(): void;
}

/** Milliseconds of microtasks after which the event loop gets its turn, whatever is going on. */
const TURN = 0.5;
const LOOKS = 24;
/** Submissions of a burst that wake a worker at once: the caller may block this thread until the task has done something. */
const EAGER = 8;
/** Further ones that are announced at once, for the same reason: as many as most pools could run at a time. */
const AT_ONCE = 64;
/** Of further small ones, so many at a time: a store that other threads must see at once waits for all stores before it. */
const BATCH = 16;
/** Milliseconds without a result after which further workers are woken: one that ends tasks faster keeps up with the host. */
const PATIENCE = 0.05;
/** Turns in which the host looks before it sleeps, while workers keep every core busy: docs/decisions/pool-waiting-heuristics.md. */
const POLLS = 4;
/** Milliseconds after which the sleeping host counts no more on workers that it woke: something else may keep them busy. */
const COMING = 10;
const settled = Promise.resolve();

/**
 * Decides when the host looks for results: at once after a task was published, in microtasks while results keep
 * coming, in later turns of the event loop when it has held the loop for long, and not at all once results take
 * so long that being woken is cheaper. A worker wakes a sleeping host, which uses no CPU.
 */
export class Pump {
  #scheduled = false;
  #asleep = false;
  readonly #budget = new SpinBudget();
  #spun = false;
  #sleptAt = 0;
  #turnEnd = 0;
  #waitingSince = 0;
  #polls = 0;
  #submissions = 0;
  readonly #words: Int32Array;
  readonly #pumped: Pumped;
  readonly #keepAlive = timers.hold();
  #late: NodeJS.Timeout | undefined;
  readonly #listener: Listener;
  /** Since the last look at whether the pool is idle. */
  #wasBusy = false;
  /** Not after each task: V8 keeps its waits in a set, for which it takes old-generation memory whenever the set becomes empty. */
  readonly #hushWhenIdle = trimmerOf(() => {
    const isBusy = this.#wasBusy || this.#pumped.outstanding > 0;
    this.#wasBusy = false;
    if (!isBusy) this.#listener.hush();
    return isBusy;
  });
  /** `nextTurn` will be called when this turn of the event loop is over, and shall go on with the work then. */
  #armed = false;
  #deferred = false;
  readonly #inMicrotask = (): void => this.#goOn(this.#pumped.turn());
  readonly #nextTurn = () => {
    this.#armed = false;
    if (!this.#deferred) return;
    this.#deferred = false;
    this.#enterTurn();
    this.#inMicrotask();
  };

  constructor(words: Int32Array, pumped: Pumped) {
    this.#words = words;
    this.#pumped = pumped;
    this.#listener = new Listener(words, hostGate, () => this.woken());
  }

  /** More has been submitted than what may wake workers at once. */
  get isStreaming(): boolean {
    return this.#scheduled && this.#submissions >= EAGER;
  }

  /** Something changed that may need a look: a task was submitted or cancelled, a worker is ready or gone. */
  stateChanged(mayBatch = false): void {
    if (!this.#scheduled) this.#submissions = 0;
    const count = ++this.#submissions;
    if (count <= EAGER) this.#pumped.wakeWorkers();
    else if (!mayBatch || count <= AT_ONCE || count % BATCH === 0) this.#pumped.wakeIfAllSleep();
    if (this.#scheduled) return;
    const time = now();
    if (this.#asleep) this.#wakeUp();
    else this.#waitingSince = time;
    this.#enterTurn();
    if (time > this.#turnEnd) this.#deferred = true;
    else void settled.then(this.#inMicrotask);
    // Last, because at the end of the stack any call above may throw, and then it is not.
    this.#scheduled = true;
  }

  /** A worker has woken this side, or sent a message. What it has to say comes first: somebody has waited for it. */
  woken(): void {
    if (this.#scheduled) return;
    const wasAsleep = this.#asleep;
    if (wasAsleep) this.#wakeUp();
    this.#scheduled = true;
    const ended = this.#pumped.turn();
    if (wasAsleep) this.#budget.slept(now() - this.#sleptAt);
    if (this.#pumped.outstanding > 0) this.#enterTurn();
    this.#goOn(ended);
  }

  stop(): void {
    this.#keepAlive.close();
    timers.clearTimeout(this.#late);
    this.#listener.hush();
  }

  /** The pump's time counts until the loop has really turned: tasks submitted by the ends of others would hold it for ever. */
  #enterTurn(): void {
    if (this.#armed) return;
    this.#turnEnd = now() + TURN;
    timers.setImmediate(this.#nextTurn);
    this.#armed = true;
  }

  #goOn(ended: number): void {
    if (this.#pumped.outstanding === 0) {
      this.#scheduled = false;
      this.#keepAlive.unref();
      this.#wasBusy = true;
      this.#hushWhenIdle();
      return;
    }
    const time = now();
    if (ended === 0 && time - this.#waitingSince > PATIENCE) this.#pumped.wakeWorkers();
    else this.#pumped.wakeIfAllSleep();
    if (ended > 0) {
      if (this.#spun) this.#budget.hit();
      this.#spun = false;
      this.#polls = 0;
      this.#waitingSince = time;
    }
    if (time > this.#turnEnd) this.#deferred = true;
    else if (ended > 0) void settled.then(this.#inMicrotask);
    else this.#wait(time);
  }

  #wait(time: number): void {
    if (this.#pumped.hasSpareCore && this.#budget.current > 0) {
      if (time - this.#waitingSince < this.#budget.current) {
        this.#spun = true;
        for (let look = 0; look < LOOKS && !this.#pumped.anythingDone(); look++);
        void settled.then(this.#inMicrotask);
        return;
      }
      if (this.#spun) this.#budget.missed();
      this.#spun = false;
    } else if (!this.#pumped.hasSpareCore && this.#polls++ < POLLS) {
      this.#deferred = true;
      return;
    }
    this.#sleep();
  }

  /** Wakes whom it had patience with, declares sleep, then looks once more. */
  #sleep(): void {
    this.#pumped.wakeWorkers();
    declareSleep(this.#words, hostGate);
    if (this.#pumped.anythingDone()) {
      cancelSleep(this.#words, hostGate);
      void settled.then(this.#inMicrotask);
      return;
    }
    this.#scheduled = false;
    this.#asleep = true;
    this.#polls = 0;
    this.#sleptAt = now();
    this.#keepAlive.ref();
    this.#listener.listen();
    if (this.#pumped.queued === 0) return;
    this.#late ??= timers
      .setTimeout(() => {
        if (this.#pumped.wakeFurther() === true) this.#late?.refresh();
      }, COMING)
      .unref();
    this.#late.refresh();
  }

  #wakeUp(): void {
    cancelSleep(this.#words, hostGate);
    this.#asleep = false;
  }
}
