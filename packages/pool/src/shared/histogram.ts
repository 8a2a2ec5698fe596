import { bucketsOf } from '../../../monitor/dist/metrics/buckets.js';

const PERCENTS = [
  ...(['0_001', '0_01', '0_1', '1', '2_5', '10', '25', '50', '75'] as const),
  ...(['90', '97_5', '99', '99_9', '99_99', '99_999'] as const),
] as const;

/** A summary of recorded times in milliseconds, with Piscina's fields. */
export type HistogramSummary = Readonly<
  Record<'average' | 'mean' | 'stddev' | 'min' | 'max' | `p${(typeof PERCENTS)[number]}`, number>
>;

/** For nanoseconds, up to eighteen minutes. */
const { count, bucketOf, middleOf } = bucketsOf(6, 40);
const NANOS = 1e6;

/** Cells in front of the buckets. */
const COUNT = 0;
const SUM = 1;
const SQUARES = 2;
const SMALLEST = 3;
const LARGEST = 4;
const BUCKETS = 8;
const CELLS = BUCKETS + count;
const BYTES = CELLS * 8;

/**
 * Buckets get wider with the time, so a percentile is off by at most one part in 128. Recording takes nanoseconds, unlike in
 * Node's native histogram. Another thread may read the cells meanwhile, and see a time in one cell and not yet in the next.
 */
export class Histogram {
  readonly #cells: Float64Array;

  constructor(cells: Float64Array = new Float64Array(CELLS)) {
    this.#cells = cells;
  }

  record(milliseconds: number): void {
    const cells = this.#cells;
    const time = Math.max(milliseconds, 0);
    const place = BUCKETS + bucketOf(time * NANOS);
    cells[place] = (cells[place] as number) + 1;
    if (cells[COUNT] === 0 || time < (cells[SMALLEST] as number)) cells[SMALLEST] = time;
    if (time > (cells[LARGEST] as number)) cells[LARGEST] = time;
    cells[SUM] = (cells[SUM] as number) + time;
    cells[SQUARES] = (cells[SQUARES] as number) + time * time;
    cells[COUNT] = (cells[COUNT] as number) + 1;
  }

  add(addend: Histogram): void {
    if (addend.count === 0) return;
    const smallest = this.count === 0 ? addend.#smallest : Math.min(this.#smallest, addend.#smallest);
    const largest = Math.max(this.#largest, addend.#largest);
    for (let cell = 0; cell < CELLS; cell++) {
      this.#cells[cell] = (this.#cells[cell] as number) + (addend.#cells[cell] as number);
    }
    this.#cells[SMALLEST] = smallest;
    this.#cells[LARGEST] = largest;
  }

  /** Subtracts times that are part of this histogram. Extremes are then only as exact as the buckets. */
  subtract(part: Histogram): void {
    const smallest = this.#smallest;
    const largest = this.#largest;
    for (let cell = 0; cell < CELLS; cell++) {
      this.#cells[cell] = Math.max(0, (this.#cells[cell] as number) - (part.#cells[cell] as number));
    }
    const within = (place: number): number =>
      place === -1 ? 0 : Math.min(largest, Math.max(smallest, timeAt(place)));
    const isUsed = (times: number, place: number): boolean => place >= BUCKETS && times > 0;
    this.#cells[SMALLEST] = within(this.#cells.findIndex(isUsed));
    this.#cells[LARGEST] = within(this.#cells.findLastIndex(isUsed));
  }

  get count(): number {
    return this.#cells[COUNT] as number;
  }

  /** In milliseconds. */
  get sum(): number {
    return this.#cells[SUM] as number;
  }

  get #smallest(): number {
    return this.#cells[SMALLEST] as number;
  }

  get #largest(): number {
    return this.#cells[LARGEST] as number;
  }

  /** NaN if nothing was recorded, as in Node. */
  get mean(): number {
    return this.sum / this.count;
  }

  percentile(percent: number): number {
    if (this.count === 0) return 0;
    let rank = Math.max(1, Math.ceil((percent / 100) * this.count));
    for (let place = BUCKETS; place < CELLS; place++) {
      rank -= this.#cells[place] as number;
      if (rank <= 0) return Math.min(this.#largest, Math.max(this.#smallest, timeAt(place)));
    }
    return this.#largest;
  }

  /** How many times do not exceed this one, by the buckets. */
  countUpTo(milliseconds: number): number {
    const last = BUCKETS + bucketOf(milliseconds * NANOS);
    const end = timeAt(last) <= milliseconds ? last + 1 : last;
    const cells = this.#cells;
    let count = 0;
    for (let place = BUCKETS; place < end; place++) count += cells[place] as number;
    return count;
  }

  summary(): HistogramSummary {
    const { mean, count } = this;
    const stddev = Math.sqrt(Math.max(0, (this.#cells[SQUARES] as number) / count - mean * mean));
    const percentiles = PERCENTS.map((name) => [`p${name}`, this.percentile(Number(name.replace('_', '.')))]);
    const moments = { average: mean, mean, stddev, min: this.#smallest, max: this.#largest };
    return { ...moments, ...Object.fromEntries(percentiles) } as HistogramSummary;
  }
}

const timeAt = (cell: number): number => middleOf(cell - BUCKETS) / NANOS;

/** The times of one worker's tasks, in memory that the host reads. */
export class Times {
  /** From the start of a task's function to its end. */
  readonly run: Histogram;
  /** From `run()` to the start of the task's function. */
  readonly wait: Histogram;

  /** @param buffer the memory of another thread's Times */
  constructor(readonly buffer = new SharedArrayBuffer(2 * BYTES)) {
    this.run = new Histogram(new Float64Array(buffer, 0, CELLS));
    this.wait = new Histogram(new Float64Array(buffer, BYTES));
  }
}
