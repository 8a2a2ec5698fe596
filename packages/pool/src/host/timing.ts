import { now } from '../shared/clock.js';
import { Histogram, type Times } from '../shared/histogram.js';

type Kind = 'run' | 'wait';

/** What the times of a pool follow from. */
interface Timed extends Flow {
  readonly workers: Iterable<{ readonly times: Times | undefined }>;
  readonly exiting: Timed['workers'];
}

/** What a pool with `recordTiming` knows of the times of its tasks. Milliseconds, by the clock that all threads share. */
export class Timing {
  /** Of workers whose threads have exited. */
  readonly #gone = { run: new Histogram(), wait: new Histogram() };
  /** What there was at the last reset. */
  readonly #before: { [Name in Kind]?: Histogram } = {};
  readonly #pressures: Pressure;
  readonly #pool: Timed;

  constructor(pool: Timed) {
    this.#pool = pool;
    this.#pressures = new Pressure(pool, now());
  }

  /** To be called before tasks are counted as come or gone. */
  atTime(time: number): void {
    this.#pressures.before(time);
  }

  /** A worker's thread has exited: it is about to be none of the pool's any more. */
  died({ run, wait }: Times): void {
    this.#gone.run.add(run);
    this.#gone.wait.add(wait);
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
    for (const workers of [this.#pool.workers, this.#pool.exiting])
      for (const { times } of workers) if (times !== undefined) all.add(times[kind]);
    return all;
  }

  /** That workers have spent in tasks; no reset touches it. */
  get totalRunTime(): number {
    return this.ever('run').sum;
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

/** Tasks in ÷ tasks out. Remembers the pool's counters at the first event of each slot, so a task costs one comparison. */
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
    const known = this.#slots.filter((slot) => slot >= Math.max(oldest, 0));
    if (known.length === 0) return Number.NaN;
    const first = Math.min(...known) % SLOTS;
    const { completed, outstanding } = this.#flow;
    const came = completed + outstanding - (this.#inBefore[first] as number);
    return came / (completed - (this.#outBefore[first] as number));
  }
}
