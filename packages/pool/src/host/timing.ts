import { now } from '../shared/clock.js';
import { Histogram, type Times } from '../shared/histogram.js';

/** The window of `Pressure` has 20 parts of 250 ms: five seconds. */
const SLOT = 250;
const SLOTS = 20;

interface Flow {
  readonly completed: number;
  readonly outstanding: number;
}

/** Tasks that had come in and gone out before a part of the window. */
interface Mark {
  readonly slot: number;
  readonly came: number;
  readonly went: number;
}

/** Tasks in ÷ tasks out. Notes the pool's counters at the first event of each part, so a task costs one comparison. */
export class Pressure {
  readonly #flow: Flow;
  readonly #origin: number;
  readonly #marks: Mark[] = [];
  #slotEnd: number;

  constructor(flow: Flow, now: number) {
    this.#flow = flow;
    this.#origin = now;
    this.#slotEnd = now;
  }

  /** Call it before the counters change. A time before the newest part counts for that part. */
  before(now: number): void {
    if (now < this.#slotEnd) return;
    const { completed, outstanding } = this.#flow;
    const slot = this.#slotAt(now);
    if (this.#marks.push({ slot, came: completed + outstanding, went: completed }) > SLOTS)
      this.#marks.shift();
    this.#slotEnd = this.#origin + (slot + 1) * SLOT;
  }

  #slotAt(now: number): number {
    return Math.floor((now - this.#origin) / SLOT);
  }

  /** Tasks in ÷ tasks out; Infinity: none went out; NaN: none came in either. */
  at(now: number): number {
    const newest = this.#slotAt(now);
    const first = this.#marks.find(({ slot }) => slot > newest - SLOTS);
    const { completed, outstanding } = this.#flow;
    return first === undefined
      ? Number.NaN
      : (completed + outstanding - first.came) / (completed - first.went);
  }
}

type Kind = 'run' | 'wait';
type Workers = Iterable<{ readonly times: Times | undefined }>;

/** Run and wait times of a pool with `recordTiming`, in milliseconds of the clock that all threads share. */
export class Timing extends Pressure {
  readonly #past = { run: new Histogram(), wait: new Histogram() };
  readonly #before: { [Name in Kind]?: Histogram } = {};
  readonly #pool: { readonly workers: Workers; readonly exiting: Workers };

  constructor(pool: Flow & { readonly workers: Workers; readonly exiting: Workers }) {
    super(pool, now());
    this.#pool = pool;
  }

  /** Keeps the times of a worker that the pool is about to forget. */
  died({ run, wait }: Times): void {
    this.#past.run.add(run);
    this.#past.wait.add(wait);
  }

  since(kind: Kind): Histogram {
    const total = this.ever(kind);
    const before = this.#before[kind];
    if (before !== undefined) total.subtract(before);
    return total;
  }

  reset(kind: Kind): void {
    this.#before[kind] = this.ever(kind);
  }

  ever(kind: Kind): Histogram {
    const total = new Histogram();
    total.add(this.#past[kind]);
    for (const { times } of [...this.#pool.workers, ...this.#pool.exiting])
      if (times !== undefined) total.add(times[kind]);
    return total;
  }
}
