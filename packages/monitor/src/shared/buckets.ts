/** Buckets of each power of two: a wait is off by one part in 256 at most. */
const SUB_BITS = 7;
const SUB = 1 << SUB_BITS;
/** Powers of two from one nanosecond on: up to 73 minutes; what is longer counts as that. */
const EXPONENTS = 42;

/** How many buckets a histogram has. Their width grows with the wait. */
export const BUCKETS = SUB * EXPONENTS;

/** The bucket of a wait in nanoseconds. */
export function bucketOf(nanoseconds: number): number {
  const wait = Math.max(1, nanoseconds);
  const exponent = Math.floor(Math.log2(wait));
  // The logarithm of what lies just under a power of two may be rounded to it.
  const power = 2 ** exponent > wait ? exponent - 1 : exponent;
  const place = power * SUB + Math.floor((wait / 2 ** power - 1) * SUB);
  return Math.min(BUCKETS - 1, place);
}

/** The wait in the middle of a bucket, in nanoseconds. */
export function middleOf(bucket: number): number {
  return (1 + ((bucket % SUB) + 0.5) / SUB) * 2 ** Math.floor(bucket / SUB);
}
