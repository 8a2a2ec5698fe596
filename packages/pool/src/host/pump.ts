import { now } from '../shared/clock.js';
import { cancelSleep, declareSleep, hostGate } from '../shared/gate.js';
import { Listener } from '../shared/listener.js';
import { SpinBudget } from '../shared/spin-budget.js';
import { timers } from '../shared/timers.js';
import { trimmerOf } from '../shared/trimmer.js';

export interface Pumped {
  readonly outstanding: number;
  /** Could the host spin without taking a core from a worker? */
  readonly hasSpareCore: boolean;
  turn(): number;
  anythingDone(): boolean;
  /** Tasks that wait in the table, or for room in it. */
  readonly queued: number;
  wakeWorkers(): void;
  /** Wakes workers for queued tasks, not counting on workers woken before. True: call again a little later. */
  wakeFurther(): unknown;
  /** Wakes workers for queued tasks, unless a worker is awake. */
  wakeIfAllSleep(): void;
}

/** Milliseconds of microtasks after which the event loop gets its turn. */
const TURN = 0.5;
const LOOKS = 24;
/** The first submissions of a burst wake a worker each: the caller may block this thread until a task has begun. */
const EAGER = 8;
/** For the same reason, these submissions are announced at once: most pools run no more tasks at a time. */
const AT_ONCE = 64;
/** Further small submissions are announced in batches, because an atomic store waits for all earlier stores. */
const BATCH = 16;
/** Milliseconds without a result after which further workers are woken. A faster worker keeps up alone. */
const PATIENCE = 0.05;
/** Turns in which the host looks before it sleeps, if no core is spare: docs/decisions/pool-waiting-heuristics.md. */
const POLLS = 4;
/** Milliseconds after which a sleeping host no longer counts on woken workers: their event loops may be busy. */
const COMING = 10;
const settled = Promise.resolve();

/**
 * Decides when the host looks for results: right after a submission, in microtasks while results come, in later turns
 * of the event loop when it has held the loop for long, and not at all once waiting for a wake-up is cheaper.
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
  #wasBusy = false;
  /** Stops listening, but not after each task: V8 takes old-generation memory whenever its set of waits becomes empty. */
  readonly #hushWhenIdle = trimmerOf(() => {
    const isBusy = this.#wasBusy || this.#pumped.outstanding > 0;
    this.#wasBusy = false;
    if (!isBusy) this.#listener.hush();
    return isBusy;
  });
  /** `armed`: `nextTurn` will be called in the next turn. `deferred`: it must go on with the work. */
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

  /** So many tasks were submitted that further submissions wake no worker at once. */
  get isStreaming(): boolean {
    return this.#scheduled && this.#submissions >= EAGER;
  }

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
    // Last, because any call above may throw if the stack overflows.
    this.#scheduled = true;
  }

  /** A worker has woken the host, or sent a message. Its reports come first, because a task may have waited for them. */
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

  /** The time slice lasts until the loop has turned: tasks that submit further tasks must not hold the loop for ever. */
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

  /** Wakes workers that PATIENCE has spared, declares sleep, then looks once more. */
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
