/** Buckets per power of two: the error is at most one part in 256. */
const SUB_BITS = 7;
const SUB = 1 << SUB_BITS;
/** Powers of two from one nanosecond on, up to 73 minutes; longer waits count as 73 minutes. */
const EXPONENTS = 42;

/** Buckets of a histogram. Their width grows with the wait. */
export const BUCKETS = SUB * EXPONENTS;

/** The bucket of a wait in nanoseconds. */
export function bucketOf(nanoseconds: number): number {
  const wait = Math.max(1, nanoseconds);
  const exponent = Math.floor(Math.log2(wait));
  // Just below a power of two, the logarithm may round up to it.
  const power = 2 ** exponent > wait ? exponent - 1 : exponent;
  const bucket = power * SUB + Math.floor((wait / 2 ** power - 1) * SUB);
  return Math.min(BUCKETS - 1, bucket);
}

/** The wait in the middle of a bucket, in nanoseconds. */
export function middleOf(bucket: number): number {
  return (1 + ((bucket % SUB) + 0.5) / SUB) * 2 ** Math.floor(bucket / SUB);
}
