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

const SUB_BITS = 7;
const SUB = 1 << SUB_BITS;
const EXPONENTS = 40;
const NANOS = 1e6;

/**
 * Counts times in buckets whose width grows with the time, so a percentile is off by less than one part in 128.
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

/** The first SUB buckets are one nanosecond wide; each further SUB / 2 twice as wide as the ones before. */
function bucketOf(nanoseconds: number): number {
  const value = Math.floor(nanoseconds);
  if (value < SUB) return value;
  let exponent = 0;
  let rest = value;
  // Numbers beyond 32 bits are shifted down first, since bit operations see only 32.
  while (rest >= 2 ** 31) {
    rest = Math.floor(rest / 2 ** 16);
    exponent += 16;
  }
  const shift = 31 - Math.clz32(rest) - (SUB_BITS - 1);
  exponent += shift;
  return Math.min(SUB * EXPONENTS - 1, SUB + (exponent - 1) * (SUB / 2) + ((rest >> shift) - SUB / 2));
}

function middleOf(place: number): number {
  if (place < SUB) return place;
  const exponent = Math.floor((place - SUB) / (SUB / 2)) + 1;
  const mantissa = ((place - SUB) % (SUB / 2)) + SUB / 2;
  return (mantissa + 0.5) * 2 ** exponent;
}
