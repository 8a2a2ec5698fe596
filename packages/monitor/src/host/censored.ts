import { BUCKETS, bucketOf } from '../shared/buckets.js';

/** A wait that has lasted so long and has not ended; it stands for `weight` of them. */
export interface Unfinished {
  readonly age: number;
  readonly weight: number;
}

/**
 * Waits by bucket, those included that have not ended. To leave them out would flatter a pool that stands still, to take
 * their age for their wait would flatter one that is slow. So each counts as some wait above its age, in the proportion in
 * which the others are (Kaplan and Meier, 1958, by Efron's redistribution to the right); when none is, as its age.
 */
export function withUnfinished(counts: Float64Array, unfinished: readonly Unfinished[]): Float64Array {
  if (unfinished.length === 0) return counts;
  const cut = new Float64Array(BUCKETS);
  let left = sum(counts);
  for (const { age, weight } of unfinished) {
    const bucket = bucketOf(age);
    cut[bucket] = (cut[bucket] as number) + weight;
    left += weight;
  }
  const masses = new Float64Array(BUCKETS);
  let scale = 1;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const ended = counts[bucket] as number;
    const lost = cut[bucket] as number;
    masses[bucket] = ended * scale;
    left -= ended + lost;
    if (lost === 0) continue;
    if (left > 0) scale *= (left + lost) / left;
    else masses[bucket] = (masses[bucket] as number) + lost * scale;
  }
  return masses;
}

export function sum(counts: Float64Array): number {
  let total = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) total += counts[bucket] as number;
  return total;
}
