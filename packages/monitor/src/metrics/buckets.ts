/** A number, and the upper half of the same bits: exponent and the beginning of the mantissa. */
const float = new Float64Array(1);
const halves = new Int32Array(float.buffer);
float[0] = 1;
const UPPER = halves[0] === 0 ? 1 : 0;
const ONE = halves[UPPER] as number;
/** Bits of the mantissa in the upper half. */
const MANTISSA = 20;

/**
 * Buckets of a histogram, `2 ** bits` per power of two: their width grows with the value, so the error is at most one part in
 * `2 ** (bits + 1)`. Smaller values than 1 are in the first bucket, and those beyond the last power of two in the last one.
 */
export function bucketsOf(bits: number, powers: number) {
  const each = 2 ** bits;
  const count = each * powers;
  const shift = MANTISSA - bits;
  return {
    count,
    bucketOf(value: number): number {
      float[0] = value;
      const bucket = ((halves[UPPER] as number) >> shift) - (ONE >> shift);
      return Math.max(0, Math.min(count - 1, bucket));
    },
    /** The value in the middle of a bucket. */
    middleOf(bucket: number): number {
      return (1 + ((bucket % each) + 0.5) / each) * 2 ** Math.floor(bucket / each);
    },
  };
}
