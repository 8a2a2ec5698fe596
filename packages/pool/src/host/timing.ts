import { now } from '../shared/clock.js';
import { Histogram, type Times } from '../shared/histogram.js';

/** Milliseconds of one slot of the window, and its slots: five seconds. */
const SLOT = 250;
const SLOTS = 20;

interface Flow {
  readonly completed: number;
  readonly outstanding: number;
}

/** What had come in and gone out before a slot. */
interface Mark {
  readonly slot: number;
  readonly came: number;
  readonly went: number;
}

/** Tasks in ÷ tasks out. Remembers the pool's counters at the first event of each slot, so a task costs one comparison. */
export class Pressure {
  readonly #flow: Flow;
  readonly #origin: number;
  /** Oldest first. */
  readonly #marks: Mark[] = [];
  #slotEnd: number;

  constructor(flow: Flow, now: number) {
    this.#flow = flow;
    this.#origin = now;
    this.#slotEnd = now;
  }

  /** To be called before the counters change. Times that lie before the newest slot belong to it. */
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

  /** In ÷ out; Infinity when nothing went out, NaN when nothing came in either. */
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

/** What a pool with `recordTiming` knows of the times of its tasks. Milliseconds, by the clock that all threads share. */
export class Timing extends Pressure {
  readonly #past = { run: new Histogram(), wait: new Histogram() };
  readonly #before: { [Name in Kind]?: Histogram } = {};
  readonly #pool: { readonly workers: Workers; readonly exiting: Workers };

  constructor(pool: Flow & { readonly workers: Workers; readonly exiting: Workers }) {
    super(pool, now());
    this.#pool = pool;
  }

  /** A worker's thread has exited: it is about to be none of the pool's any more. */
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

  /** All times, whatever was reset. */
  ever(kind: Kind): Histogram {
    const total = new Histogram();
    total.add(this.#past[kind]);
    for (const { times } of [...this.#pool.workers, ...this.#pool.exiting])
      if (times !== undefined) total.add(times[kind]);
    return total;
  }
}
