import { BUCKETS, bucketOf } from '../shared/buckets.js';

/** A wait that has not ended yet, counted `weight` times. */
export interface Unfinished {
  readonly age: number;
  readonly weight: number;
}

/**
 * Adds unfinished waits to the finished ones. Leaving them out would flatter a pool that stands still;
 * counting their age as their wait would flatter a slow pool. So each is spread over the finished waits above
 * its age (Kaplan and Meier, 1958, as Efron's redistribution to the right); if there are none, it counts as
 * its age.
 */
export function withUnfinished(counts: Float64Array, unfinished: readonly Unfinished[]): Float64Array {
  if (unfinished.length === 0) return counts;
  const censored = new Float64Array(BUCKETS);
  addTo(censored, unfinished);
  let left = sum(counts) + sum(censored);
  let scale = 1;
  return counts.map((ended, bucket) => {
    const lost = censored[bucket] as number;
    const mass = ended * scale;
    left -= ended + lost;
    if (lost > 0 && left > 0) scale *= (left + lost) / left;
    return lost > 0 && left <= 0 ? mass + lost * scale : mass;
  });
}

/** Counts each unfinished wait in the bucket of its age. */
export function addTo(counts: Float64Array, unfinished: readonly Unfinished[]): void {
  for (const { age, weight } of unfinished) {
    const bucket = bucketOf(age);
    counts[bucket] = (counts[bucket] as number) + weight;
  }
}

export const sum = (counts: Float64Array): number => counts.reduce((total, count) => total + count, 0);
