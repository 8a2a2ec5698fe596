import { now } from '../shared/clock.js';
import { Histogram, type Times } from '../shared/histogram.js';

/** Milliseconds of one slot of the window, and its slots: five seconds. */
const SLOT = 250;
const SLOTS = 20;

interface Flow {
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

type Kind = 'run' | 'wait';
type Workers = Iterable<{ readonly times: Times | undefined }>;

/** What a pool with `recordTiming` knows of the times of its tasks. Milliseconds, by the clock that all threads share. */
export class Timing extends Pressure {
  readonly #gone = { run: new Histogram(), wait: new Histogram() };
  readonly #before: { [Name in Kind]?: Histogram } = {};
  readonly #pool: { readonly workers: Workers; readonly exiting: Workers };

  constructor(pool: Flow & { readonly workers: Workers; readonly exiting: Workers }) {
    super(pool, now());
    this.#pool = pool;
  }

  /** A worker's thread has exited: it is about to be none of the pool's any more. */
  died({ run, wait }: Times): void {
    this.#gone.run.add(run);
    this.#gone.wait.add(wait);
  }

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
    for (const { times } of [...this.#pool.workers, ...this.#pool.exiting])
      if (times !== undefined) all.add(times[kind]);
    return all;
  }
}
