import { now } from '../shared/clock.js';
import { Histogram, Times } from '../shared/histogram.js';

type Kind = 'run' | 'wait';

/** What a pool with `recordTiming` knows of the times of its tasks. Milliseconds, by the clock that all threads share. */
export class Timing {
  /** Of workers whose threads run. */
  readonly #living = new Set<Times>();
  /** Of all the others. */
  readonly #gone = new Times();
  /** What there was at the last reset. */
  readonly #before: { [Name in Kind]?: Histogram } = {};
  readonly #pressures: Pressure;

  constructor(flow: Flow) {
    this.#pressures = new Pressure(flow, now());
  }

  /** To be called before tasks are counted as come or gone. */
  atTime(time: number): void {
    this.#pressures.before(time);
  }

  atNow(): void {
    this.atTime(now());
  }

  /** A worker has been started. */
  born(times: Times): void {
    this.#living.add(times);
  }

  /** A worker's thread has exited. */
  died(times: Times): void {
    this.#living.delete(times);
    this.#gone.run.add(times.run);
    this.#gone.wait.add(times.wait);
  }

  /** All times since the last reset. */
  since(kind: Kind): Histogram {
    const all = this.ever(kind);
    const before = this.#before[kind];
    if (before !== undefined) all.subtract(before);
    return all;
  }

  reset(kind: Kind): void {
    this.#before[kind] = this.ever(kind);
  }

  /** All times, whatever was reset. */
  ever(kind: Kind): Histogram {
    const all = new Histogram();
    all.add(this.#gone[kind]);
    for (const times of this.#living) all.add(times[kind]);
    return all;
  }

  /** That workers have spent in tasks; no reset touches it. */
  get totalRunTime(): number {
    let total = this.#gone.run.sum;
    for (const times of this.#living) total += times.run.sum;
    return total;
  }

  /** Tasks in ÷ tasks out over the last seconds. */
  get pressure(): number {
    return this.#pressures.at(now());
  }
}

/** Milliseconds of one slot of the window. */
const SLOT = 250;
/** Slots of the window: five seconds. */
const SLOTS = 20;

/** What the pool has taken on and brought to an end so far. */
export interface Flow {
  readonly completed: number;
  readonly outstanding: number;
}

/**
 * Queue pressure: tasks that came in divided by tasks that went out, over the last five seconds.
 *
 * Counts nothing itself: both numbers follow from counters that the pool has anyway. It only remembers what they were
 * when each slot of 250 ms began, which it learns at the first event of the slot. So a task costs one comparison, an
 * idle pool nothing, and nobody needs a timer.
 */
export class Pressure {
  readonly #flow: Flow;
  readonly #origin: number;
  /** By slot modulo SLOTS: which slot it is, and what had come in and gone out before it. */
  readonly #slots = new Float64Array(SLOTS).fill(-1);
  readonly #inBefore = new Float64Array(SLOTS);
  readonly #outBefore = new Float64Array(SLOTS);
  #slotEnd: number;

  /** @param now by the clock of all later times, in milliseconds. */
  constructor(flow: Flow, now: number) {
    this.#flow = flow;
    this.#origin = now;
    this.#slotEnd = now;
  }

  /** To be called before the counters change. Times that lie before the newest slot belong to it. */
  before(now: number): void {
    if (now >= this.#slotEnd) this.#open(now);
  }

  #open(now: number): void {
    const slot = Math.floor((now - this.#origin) / SLOT);
    const place = slot % SLOTS;
    this.#slots[place] = slot;
    this.#inBefore[place] = this.#flow.completed + this.#flow.outstanding;
    this.#outBefore[place] = this.#flow.completed;
    this.#slotEnd = this.#origin + (slot + 1) * SLOT;
  }

  /** In ÷ out; Infinity when nothing went out, NaN when nothing came in either. */
  at(now: number): number {
    const oldest = Math.floor((now - this.#origin) / SLOT) - SLOTS + 1;
    let first = -1;
    let earliest = Number.POSITIVE_INFINITY;
    for (const [place, slot] of this.#slots.entries()) {
      if (slot < oldest || slot < 0 || slot >= earliest) continue;
      earliest = slot;
      first = place;
    }
    if (first === -1) return Number.NaN;
    const { completed, outstanding } = this.#flow;
    const came = completed + outstanding - (this.#inBefore[first] as number);
    const went = completed - (this.#outBefore[first] as number);
    return came / went;
  }
}
