/** A summary of recorded times, in milliseconds; the fields of Piscina's. */
export interface HistogramSummary {
  readonly average: number;
  readonly mean: number;
  readonly stddev: number;
  readonly min: number;
  readonly max: number;
  readonly p0_001: number;
  readonly p0_01: number;
  readonly p0_1: number;
  readonly p1: number;
  readonly p2_5: number;
  readonly p10: number;
  readonly p25: number;
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p97_5: number;
  readonly p99: number;
  readonly p99_9: number;
  readonly p99_99: number;
  readonly p99_999: number;
}

/** Buckets of each power of two, by the first bits of the mantissa. */
const SUB_BITS = 6;
const SUB = 1 << SUB_BITS;
/** Powers of two from one nanosecond on: up to eighteen minutes. */
const EXPONENTS = 40;
const NANOS = 1e6;

/** A time in nanoseconds, and the upper half of the same bits: exponent and the beginning of the mantissa. */
const float = new Float64Array(1);
const halves = new Int32Array(float.buffer);
float[0] = 1;
const UPPER = halves[0] === 0 ? 1 : 0;
const UPPER_BITS = 20 - SUB_BITS;
const ONE = (halves[UPPER] as number) >> UPPER_BITS;

/**
 * Counts times in buckets whose width grows with the time, so a percentile is off by one part in 128 at most.
 * Recording costs a few nanoseconds, which Node's own histogram, behind a native call, does not.
 */
export class Histogram {
  count = 0;
  private readonly buckets = new Float64Array(SUB * EXPONENTS);
  private sum = 0;
  private squares = 0;
  private smallest = Number.POSITIVE_INFINITY;
  private largest = 0;

  /** Adds a time in milliseconds. */
  record(milliseconds: number): void {
    const time = Math.max(milliseconds, 0);
    const place = bucketOf(time * NANOS);
    this.buckets[place] = (this.buckets[place] as number) + 1;
    this.count++;
    this.sum += time;
    this.squares += time * time;
    if (time < this.smallest) this.smallest = time;
    if (time > this.largest) this.largest = time;
  }

  reset(): void {
    this.buckets.fill(0);
    this.count = 0;
    this.sum = 0;
    this.squares = 0;
    this.smallest = Number.POSITIVE_INFINITY;
    this.largest = 0;
  }

  /** NaN when nothing was recorded, as everywhere in Node. */
  get mean(): number {
    return this.sum / this.count;
  }

  /** The time that `percent` of all recorded times do not exceed. */
  percentile(percent: number): number {
    if (this.count === 0) return 0;
    let left = Math.max(1, Math.ceil((percent / 100) * this.count));
    for (let place = 0; place < this.buckets.length; place++) {
      left -= this.buckets[place] as number;
      if (left <= 0) return Math.min(this.largest, Math.max(this.smallest, middleOf(place) / NANOS));
    }
    return this.largest;
  }

  summary(): HistogramSummary {
    const { mean, count } = this;
    const at = (percent: number): number => this.percentile(percent);
    return {
      average: mean,
      mean,
      stddev: Math.sqrt(Math.max(0, this.squares / count - mean * mean)),
      min: count === 0 ? 0 : this.smallest,
      max: this.largest,
      p0_001: at(0.001),
      p0_01: at(0.01),
      p0_1: at(0.1),
      p1: at(1),
      p2_5: at(2.5),
      p10: at(10),
      p25: at(25),
      p50: at(50),
      p75: at(75),
      p90: at(90),
      p97_5: at(97.5),
      p99: at(99),
      p99_9: at(99.9),
      p99_99: at(99.99),
      p99_999: at(99.999),
    };
  }
}

function bucketOf(nanoseconds: number): number {
  float[0] = nanoseconds;
  const place = ((halves[UPPER] as number) >> UPPER_BITS) - ONE;
  return Math.max(0, Math.min(SUB * EXPONENTS - 1, place));
}

function middleOf(place: number): number {
  return (1 + ((place % SUB) + 0.5) / SUB) * 2 ** Math.floor(place / SUB);
}
